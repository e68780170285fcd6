package verdict

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
)

// A node is a JSON value that preserves what encoding/json loses: the order of members, duplicate names, and the text
// of numbers.
type node struct {
	kind    byte   // '{', '[', or 0 for a scalar
	text    string // the JSON of a scalar
	names   []string
	values  []*node // of the members, or the elements
	invalid []byte  // replaces all other fields: bytes that may be invalid JSON
}

// parse reads one JSON value.
func parse(data []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	n, err := parseNext(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return n, nil
}

func parseNext(d *json.Decoder) (*node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		return parseContainer(d, byte(v))
	case json.Number:
		return &node{text: v.String()}, nil
	case string:
		return stringNode(v), nil
	case bool:
		return &node{text: strconv.FormatBool(v)}, nil
	default:
		return &node{text: "null"}, nil
	}
}

func parseContainer(d *json.Decoder, kind byte) (*node, error) {
	n := &node{kind: kind}
	for d.More() {
		if kind == '{' {
			token, err := d.Token()
			if err != nil {
				return nil, err
			}
			name, isName := token.(string)
			if !isName {
				return nil, errors.New("a member has no name")
			}
			n.names = append(n.names, name)
		}
		value, err := parseNext(d)
		if err != nil {
			return nil, err
		}
		n.values = append(n.values, value)
	}
	_, err := d.Token() // the closing bracket
	return n, err
}

// stringNode returns the JSON string of s.
func stringNode(s string) *node {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be encoded
	return &node{text: string(bytes.TrimSpace(b.Bytes()))}
}

// JSON returns the value as compact JSON.
func (n *node) JSON() []byte { return n.append(nil) }

func (n *node) append(dst []byte) []byte {
	switch {
	case n.invalid != nil:
		return append(dst, n.invalid...)
	case n.kind == 0:
		return append(dst, n.text...)
	}
	dst = append(dst, n.kind)
	for i, v := range n.values {
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.kind == '{' {
			dst = append(dst, stringNode(n.names[i]).text...)
			dst = append(dst, ':')
		}
		dst = v.append(dst)
	}
	return append(dst, n.kind+2) // } follows { by two in ASCII, and ] follows [
}

// clone returns a deep copy.
func (n *node) clone() *node {
	c := *n
	c.names = slices.Clone(n.names)
	c.values = make([]*node, len(n.values))
	for i, v := range n.values {
		c.values[i] = v.clone()
	}
	return &c
}

// all returns the value and all values inside it in pre-order.
func (n *node) all() []*node {
	nodes := []*node{n}
	for _, v := range n.values {
		nodes = append(nodes, v.all()...)
	}
	return nodes
}

// depth returns the nesting depth of containers.
func (n *node) depth() int {
	if n.kind == 0 {
		return 0
	}
	deepest := 0
	for _, v := range n.values {
		deepest = max(deepest, v.depth())
	}
	return deepest + 1
}

// isNumber reports whether it is a number.
func (n *node) isNumber() bool {
	return n.kind == 0 && n.text != "" && (n.text[0] == '-' || '0' <= n.text[0] && n.text[0] <= '9')
}

// isString reports whether it is a string.
func (n *node) isString() bool { return n.kind == 0 && n.text != "" && n.text[0] == '"' }

// str returns the text of a string.
func (n *node) str() string {
	var s string
	_ = json.Unmarshal([]byte(n.text), &s) // "" for anything but a string
	return s
}

// repeats reports whether an object has a duplicate name.
func (n *node) repeats() bool {
	for _, v := range n.all() {
		names := slices.Sorted(slices.Values(v.names))
		if len(slices.Compact(names)) < len(v.names) {
			return true
		}
	}
	return false
}

// at returns the value at an RFC 6901 pointer; nil if there is none.
func (n *node) at(pointer string) *node {
	for _, part := range pointerParts(pointer) {
		i := -1
		switch n.kind {
		case '{':
			i = slices.Index(n.names, part)
		case '[':
			if k, err := strconv.Atoi(part); err == nil {
				i = k
			}
		}
		if i < 0 || i >= len(n.values) {
			return nil
		}
		n = n.values[i]
	}
	return n
}

// withoutNull returns the value without null members.
func (n *node) withoutNull() *node {
	c := n.clone()
	for _, v := range c.all() {
		for i := len(v.names) - 1; i >= 0; i-- {
			if v.values[i].text == "null" {
				v.names, v.values = slices.Delete(v.names, i, i+1), slices.Delete(v.values, i, i+1)
			}
		}
	}
	return c
}

// isWithin reports whether n equals other, except for members missing in n.
func (n *node) isWithin(other *node) bool {
	if n.kind != other.kind || n.text != other.text || n.kind == '[' && len(n.values) != len(other.values) {
		return false
	}
	for i, v := range n.values {
		at := i
		if n.kind == '{' {
			at = slices.Index(other.names, n.names[i])
		}
		if at < 0 || !v.isWithin(other.values[at]) {
			return false
		}
	}
	return true
}
