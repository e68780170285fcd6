package redact

import (
	"bytes"
	"encoding/json"
)

// JSON returns JSON in which the texts are as text returns them, and without members and arguments whose names say that
// they are secrets. Everything else stays as it was written; names of members too. What is not JSON, such as a difference
// between two files, is taken line by line.
func JSON(raw []byte, text func(string) string) []byte {
	var line commandReader // a list of texts may be a command line
	return eachText(raw, func(name, value string) string {
		arg := line.next(value)
		if name != "" && nameIsSecret(name, false) && valueMayBeSecret(value) || !arg.inline && arg.isSecret() {
			return Hidden
		}
		return text(value)
	})
}

// eachText returns JSON with each text that is no name as change returns it, which gets the name of the member that has
// it, or "".
func eachText(raw []byte, change func(name, value string) string) []byte {
	var b bytes.Buffer
	name := "" // of the value that comes next
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '"')
		if i < 0 {
			i = len(raw)
		}
		if bytes.ContainsAny(raw[:i], "{}[]") {
			name = "" // the value of that name is no text
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

// quote returns a text in JSON.
func quote(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text can be written
	return bytes.TrimRight(b.Bytes(), "\n")
}

// literalAt returns the string literal that raw begins with, and what it says; not ok if it does not end on its line.
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

// isName reports whether a literal before rest is the name of a member.
func isName(rest []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":"))
}
