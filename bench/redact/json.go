package redact

import (
	"bytes"
	"encoding/json"
)

// JSON applies text to the strings of JSON, and hides members and arguments with secret names. Everything else is
// unchanged, including member names. Other input, such as a diff of two files, is processed line by line.
func JSON(raw []byte, text func(string) string) []byte {
	var line commandReader // a list of strings may be a command line
	return eachText(raw, func(name, value string) string {
		arg := line.next(value)
		if name != "" && nameIsSecret(name, false) && valueMayBeSecret(value) || !arg.inline && arg.isSecret() {
			return Hidden
		}
		return text(value)
	})
}

// eachText applies change to each string value of JSON. The name passed to change is that of its member, or "".
func eachText(raw []byte, change func(name, value string) string) []byte {
	var b bytes.Buffer
	name := "" // name of the next value
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '"')
		if i < 0 {
			i = len(raw)
		}
		if bytes.ContainsAny(raw[:i], "{}[]") {
			name = "" // the value of that name is not a string
		}
		b.Write(raw[:i])
		if raw = raw[i:]; len(raw) == 0 {
			break
		}
		literal, value, ok := literalAt(raw)
		raw = raw[len(literal):]
		switch {
		case !ok:
			b.Write(literal)
		case isName(raw):
			b.Write(literal)
			name = value
		default:
			if changed := change(name, value); changed != value {
				literal = quote(changed)
			}
			b.Write(literal)
			name = ""
		}
	}
	return b.Bytes()
}

// quote encodes text as a JSON string.
func quote(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string can always be encoded
	return bytes.TrimRight(b.Bytes(), "\n")
}

// literalAt returns the string literal at the start of raw with its value. ok is false if it does not end on the same
// line.
func literalAt(raw []byte) (literal []byte, value string, ok bool) {
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '\n':
			return raw[:i], "", false
		case '"':
			literal = raw[:i+1]
			err := json.Unmarshal(literal, &value)
			return literal, value, err == nil
		}
	}
	return raw, "", false
}

// isName reports whether a literal followed by rest is a member name.
func isName(rest []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":"))
}
