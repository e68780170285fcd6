package verdict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// oddScalars are boundary cases of JSON, of Go types, or of validators.
var oddScalars = []string{
	"null", "true", "false", "0", "-0", "-0.0", "1", "-1", "2", "3.0", "1e2", "1E+2", "100e-2", "0.5", "2.5", "0.1", "1e-7", "5e-324", "1e-400",
	"127", "128", "-128", "-129", "255", "256", "32767", "32768", "65535", "65536", "2147483647", "2147483648", "-2147483649", "4294967295", "4294967296",
	"9007199254740991", "9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
	"18446744073709551615", "18446744073709551616", "1e18", "1e19", "3.4028234663852886e38", "3.5e38", "1.7976931348623157e308", "1e309", "1e400", "1e999", "1e1000",
	"123456789012345678901234567890", "0.1000000000000000055511151231257827", "1.0000000000000000000000001", "3.00000000000000000000", strings.Repeat("9", 100), strings.Repeat("9", 101),
	`""`, `" "`, `"x"`, `"1"`, `"-1"`, `"01"`, `"1.0"`, `"true"`, `"null"`, `"a"`, `"aa"`, `"abcdefgh"`, `"é"`, `"e\u0301"`, `"😀"`, `"漢字"`, `"\ud83d\ude00"`, `"\u0000"`, `"\n"`, `"\u2028"`,
	`"aGk="`, `"aGk"`, `"aG\nk="`, `"a-_="`, `"AA=="`, `"AB=="`, `"10.0.0.1"`, `"::1"`, `"010.0.0.1"`, `"fe80::1%eth0"`, `"red"`, `"RED"`,
	`"2026-01-31T09:30:00Z"`, `"2026-02-30T00:00:00Z"`, `"2016-12-31T23:59:60Z"`, `"2026-01-31t09:30:00z"`, `"2026-01-31T09:30:00,5Z"`, `"2026-01-31T24:00:00Z"`, `"2026-01-31T09:30:00+24:00"`, `"2026-01-31"`, `"09:30:00Z"`,
	`"a@b.example"`, `"http://a/b"`, `"123e4567-e89b-12d3-a456-426614174000"`, "[]", "{}", "[null]", `[1]`, `["a"]`, `[1,1]`, `{"a":1}`, `{"":null}`, `{"1":1}`, `{"type":"circle"}`,
	"\"\xff\"", `"\ud800"`, `"\udc00x"`, "[", "1 2", "tru", "", "NaN", "01", `{"a":1,}`, `'a'`,
}

// mutator changes valid values into possibly invalid ones.
type mutator struct {
	*rand.Rand
	hints *hints
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// mutate changes a copy of a value in one place, occasionally in more.
func (m mutator) mutate(valid *node) []byte {
	root := valid.clone()
	for {
		nodes := root.all()
		m.change(nodes[m.IntN(len(nodes))])
		if m.IntN(4) > 0 {
			break
		}
	}
	data := root.JSON()
	switch m.IntN(20) {
	case 0:
		var b bytes.Buffer
		if json.Indent(&b, data, "\r", "\t ") == nil {
			data = b.Bytes()
		}
	case 1:
		data = m.escape(data)
	}
	if m.IntN(40) == 0 && len(data) > 0 { // any byte
		data[m.IntN(len(data))] = pick(m.Rand, []byte("\"\\{}[],:0e- \xff\x00"))
	}
	return data
}

// escape replaces some letters of names and strings with escapes.
func (m mutator) escape(data []byte) []byte {
	var escaped []byte
	inString := false
	for i, c := range data {
		isEscaped := i > 0 && data[i-1] == '\\' // after an escaped backslash the letter also stays
		switch {
		case c == '"' && !isEscaped:
			inString = !inString
			escaped = append(escaped, c)
		case inString && !isEscaped && 'a' <= c && c <= 'z' && m.IntN(3) == 0:
			escaped = fmt.Appendf(escaped, "\\u%04x", c)
		default:
			escaped = append(escaped, c)
		}
	}
	return escaped
}

// change changes a value in place.
func (m mutator) change(n *node) {
	switch {
	case n.invalid != nil:
	case m.IntN(4) == 0:
		*n = *m.scalar()
	case n.kind == '{':
		m.changeObject(n)
	case n.kind == '[':
		m.changeArray(n)
	case n.isString():
		m.changeString(n)
	case n.isNumber():
		m.changeNumber(n)
	default:
		*n = *m.scalar()
	}
}

// scalar generates a scalar.
func (m mutator) scalar() *node {
	switch {
	case len(m.hints.numbers) > 0 && m.IntN(4) == 0:
		return &node{text: pick(m.Rand, m.hints.numbers)}
	case len(m.hints.texts) > 0 && m.IntN(4) == 0:
		return &node{text: pick(m.Rand, m.hints.texts)}
	}
	text := pick(m.Rand, oddScalars)
	if n, err := parse([]byte(text)); err == nil && n.kind != 0 {
		return n
	}
	return &node{invalid: []byte(text)} // inserted unchanged, including escapes
}

func (m mutator) changeObject(n *node) {
	add := func(name string, value *node) {
		at := m.IntN(len(n.names) + 1)
		n.names, n.values = slices.Insert(n.names, at, name), slices.Insert(n.values, at, value)
	}
	if len(n.names) == 0 {
		add(pick(m.Rand, m.hints.names), m.scalar())
		return
	}
	i := m.IntN(len(n.names))
	switch m.IntN(8) {
	case 0, 1:
		n.names, n.values = slices.Delete(n.names, i, i+1), slices.Delete(n.values, i, i+1)
	case 2:
		add(pick(m.Rand, m.hints.names), m.scalar())
	case 3:
		add(n.names[i], n.values[i].clone())
	case 4:
		n.names[i] = m.otherName(n.names[i])
	case 5:
		n.values[i] = &node{text: "null"}
	case 6:
		n.names, n.values = nil, nil
	default:
		j := m.IntN(len(n.names))
		n.values[i], n.values[j] = n.values[j], n.values[i]
	}
}

// otherName returns a name that could be confused with another.
func (m mutator) otherName(name string) string {
	switch m.IntN(5) {
	case 0:
		return strings.ToUpper(name)
	case 1:
		return strings.ToLower(name)
	case 2:
		return strings.Map(unicode.SimpleFold, name)
	case 3:
		return name + pick(m.Rand, []string{"s", " ", "\x00", "\u200b", "."})
	default:
		return pick(m.Rand, m.hints.names)
	}
}

func (m mutator) changeArray(n *node) {
	if len(n.values) == 0 {
		n.values = append(n.values, m.scalar())
		return
	}
	i := m.IntN(len(n.values))
	switch m.IntN(5) {
	case 0:
		n.values = slices.Delete(n.values, i, i+1)
	case 1:
		n.values = append(n.values, m.scalar())
	case 2:
		n.values = slices.Insert(n.values, i, n.values[i].clone())
	case 3:
		n.values = nil
	default:
		for count := pick(m.Rand, m.hints.counts); len(n.values) != count; {
			if len(n.values) > count {
				n.values = n.values[:len(n.values)-1]
			} else {
				n.values = append(n.values, n.values[0].clone())
			}
		}
	}
}

func (m mutator) changeString(n *node) {
	s := []rune(n.str())
	switch m.IntN(5) {
	case 0:
		s = []rune(strings.Repeat(pick(m.Rand, []string{"a", "é", "😀", "0", "Z"}), pick(m.Rand, m.hints.counts)))
	case 1:
		s = append(s, pick(m.Rand, []rune("a0 é漢😀\n\u0301\x00=")))
	case 2:
		if len(s) > 0 {
			i := m.IntN(len(s))
			s = slices.Delete(s, i, i+1)
		}
	case 3:
		if len(s) > 0 {
			s[m.IntN(len(s))] = pick(m.Rand, []rune("a0Zé漢😀 -"))
		}
	default:
		*n = *m.scalar()
		return
	}
	*n = *stringNode(string(s))
}

func (m mutator) changeNumber(n *node) {
	switch m.IntN(4) {
	case 0:
		if near := beside(n.text); len(near) > 0 {
			*n = node{text: pick(m.Rand, near)}
		}
	case 1:
		if !strings.ContainsAny(n.text, ".eE") {
			n.text += pick(m.Rand, []string{".0", "e0", "0", ".5", "E+0", ".00000000000000000001"})
		}
	case 2:
		n.text = "-" + strings.TrimPrefix(n.text, "-")
	default:
		*n = *m.scalar()
	}
}
