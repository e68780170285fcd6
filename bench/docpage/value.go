package docpage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/bench/terminal"
)

// maxDepth is how deep a schema may nest to be read. Nobody writes one by hand that does; and the
// stack is not for strangers to fill.
const maxDepth = 256

// A value is JSON whose members are in the order in which they were written. A nil value is absent;
// all methods take it.
type value struct {
	kind    byte     // { [ " 0 t n
	text    string   // of a string, what it says; of a number, its digits; true or false
	names   []string // of the members
	members map[string]*value
	items   []*value
}

// parseValue reads one JSON value.
func parseValue(raw []byte) (*value, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := readValue(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more follows the JSON value")
	}
	return v, nil
}

func readValue(dec *json.Decoder, depth int) (*value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested more than %d deep", maxDepth)
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		return readInside(dec, t, depth)
	case string:
		return &value{kind: '"', text: t}, nil
	case json.Number:
		return &value{kind: '0', text: t.String()}, nil
	case bool:
		return &value{kind: 't', text: strconv.FormatBool(t)}, nil
	default:
		return &value{kind: 'n', text: "null"}, nil
	}
}

func readInside(dec *json.Decoder, open json.Delim, depth int) (*value, error) {
	v := &value{kind: byte(open)}
	for dec.More() {
		var name string
		if open == '{' {
			token, err := dec.Token()
			if err != nil {
				return nil, err
			}
			name, _ = token.(string) // a member has no other name
		}
		member, err := readValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		v.put(name, member)
	}
	_, err := dec.Token()
	return v, err
}

// put adds an element, or a member; of two with one name the last counts, where the first stood.
func (v *value) put(name string, member *value) {
	if v.kind == '[' {
		v.items = append(v.items, member)
		return
	}
	if v.members == nil {
		v.members = map[string]*value{}
	}
	if _, there := v.members[name]; !there {
		v.names = append(v.names, name)
	}
	v.members[name] = member
}

// get returns a member, nil if there is none.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	return v.members[name]
}

// str returns the text of a string, "" for anything else.
func (v *value) str() string {
	if v == nil || v.kind != '"' {
		return ""
	}
	return v.text
}

// is reports whether the value is this JSON literal: true, false.
func (v *value) is(literal string) bool { return v != nil && v.kind == 't' && v.text == literal }

// object reports whether the value is an object.
func (v *value) object() bool { return v != nil && v.kind == '{' }

// list returns the elements of an array.
func (v *value) list() []*value {
	if v == nil {
		return nil
	}
	return v.items
}

// fromPointer makes a name of what stands for it in a JSON pointer (RFC 6901, section 4).
var fromPointer = strings.NewReplacer("~1", "/", "~0", "~")

// at follows a JSON pointer without its #; nil if it leads nowhere.
func (v *value) at(pointer string) *value {
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			return v
		}
		name := fromPointer.Replace(part)
		if v != nil && v.kind == '[' {
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v.items) {
				return nil
			}
			v = v.items[i]
			continue
		}
		v = v.get(name)
	}
	return v
}

// compact writes the value on one line.
func (v *value) compact() string {
	var b strings.Builder
	v.write(&b, -1)
	return b.String()
}

// pretty writes the value over several lines, short lists and objects on one.
func (v *value) pretty() string {
	var b strings.Builder
	v.write(&b, 0)
	return b.String()
}

// maxOneLine is how long a value may be, in bytes, to be written on one line of a pretty text.
const maxOneLine = 60

// write writes the value, at a depth of indentation, or on one line if that is negative.
func (v *value) write(b *strings.Builder, depth int) {
	switch v.kind {
	case '"':
		b.WriteString(quote(v.text))
		return
	case '{', '[':
	default:
		b.WriteString(v.text)
		return
	}
	inner := depth + 1
	if depth < 0 || v.flat() {
		inner = -1
	}
	b.WriteByte(v.kind)
	for i, member := range v.items {
		breakLine(b, i == 0, inner)
		member.write(b, inner)
	}
	for i, name := range v.names {
		breakLine(b, i == 0, inner)
		b.WriteString(quote(name))
		b.WriteString(": ")
		v.members[name].write(b, inner)
	}
	if inner >= 0 && len(v.items)+len(v.names) > 0 {
		b.WriteByte('\n')
		b.WriteString(strings.Repeat("  ", depth))
	}
	b.WriteByte(v.kind + 2) // } follows { by two in ASCII, and ] follows [
}

// breakLine goes on to the next element, or to the first.
func breakLine(b *strings.Builder, first bool, depth int) {
	switch {
	case depth < 0 && first:
	case depth < 0:
		b.WriteString(", ")
	case first:
		b.WriteByte('\n')
		b.WriteString(strings.Repeat("  ", depth))
	default:
		b.WriteString(",\n")
		b.WriteString(strings.Repeat("  ", depth))
	}
}

// flat reports whether the value holds nothing nested and is short enough for one line.
func (v *value) flat() bool {
	size := 0
	for _, member := range v.items {
		size += len(member.text) + 4
		if member.kind == '{' || member.kind == '[' {
			return false
		}
	}
	for _, name := range v.names {
		member := v.members[name]
		size += len(name) + len(member.text) + 8
		if member.kind == '{' || member.kind == '[' {
			return false
		}
	}
	return size <= maxOneLine
}

// quote writes a text as JSON, with the characters that nobody sees as escapes.
func quote(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return strconv.Quote(text) // it cannot: a string is always JSON
	}
	var out strings.Builder
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		switch {
		case !terminal.Hidden(r):
			out.WriteRune(r)
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}
