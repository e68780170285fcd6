package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// The kinds of a [value].
const (
	rawKind    = "raw"    // Text unchanged: a number, a literal, or invalid JSON
	stringKind = "string" // Text between quotes, with escapes spelled out
	arrayKind  = "array"  // Parts are its items
	objectKind = "object" // Parts are its members
	nestKind   = "nest"   // a single part inside Text.Times openings, each Text.Unit
)

// A value describes JSON of any size in a few bytes: repeated parts are written once, with a count. One count is
// multiplied by the size of the message, so that the same value exists at all sizes.
type value struct {
	Kind  string `json:"kind"`
	Text  text   `json:"text,omitzero"`
	Parts []part `json:"parts,omitempty"`
}

// A text is Head, then Unit repeated Times times, then Tail. If Numbered is set, the number of the item or member that
// contains it follows.
type text struct {
	Head     string `json:"head,omitempty"`
	Unit     string `json:"unit,omitempty"`
	Times    int    `json:"times,omitempty"`
	Tail     string `json:"tail,omitempty"`
	Grows    bool   `json:"grows,omitempty"`
	Numbered bool   `json:"numbered,omitempty"`
}

// A part is an item of an array or a member of an object, with a count.
type part struct {
	Name  text  `json:"name,omitzero"`
	Value value `json:"value"`
	Times int   `json:"times"`
	Grows bool  `json:"grows,omitempty"`
}

// times returns the effective count in a message of size n.
func times(count int, grows bool, n int) int {
	if !grows {
		return count
	}
	if count > 0 && n > math.MaxInt32/count {
		return math.MaxInt32
	}
	return count * n
}

// append appends v as it is in a message of size n, inside the i-th item.
func (v *value) append(dst []byte, n, i int) []byte {
	switch v.Kind {
	case stringKind:
		return append(v.Text.append(append(dst, '"'), n, i), '"')
	case arrayKind:
		return append(v.appendParts(append(dst, '['), n), ']')
	case objectKind:
		return append(v.appendParts(append(dst, '{'), n), '}')
	case nestKind:
		depth := times(v.Text.Times, v.Text.Grows, n)
		for range depth {
			dst = append(dst, v.Text.Unit...)
		}
		dst = v.Parts[0].Value.append(dst, n, i)
		for range depth {
			dst = append(dst, closing(v.Text.Unit))
		}
		return dst
	default:
		return v.Text.append(dst, n, i)
	}
}

// appendParts appends the items or members of v, separated by commas.
func (v *value) appendParts(dst []byte, n int) []byte {
	first := true
	for p := range v.Parts {
		p := &v.Parts[p]
		for i := range times(p.Times, p.Grows, n) {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			if v.Kind == objectKind {
				dst = append(p.Name.append(append(dst, '"'), n, i), '"', ':')
			}
			dst = p.Value.append(dst, n, i)
		}
	}
	return dst
}

func (t *text) append(dst []byte, n, i int) []byte {
	dst = append(dst, t.Head...)
	for range times(t.Times, t.Grows, n) {
		dst = append(dst, t.Unit...)
	}
	dst = append(dst, t.Tail...)
	if t.Numbered {
		dst = strconv.AppendInt(dst, int64(i), 10)
	}
	return dst
}

// closing returns the closing byte for an opening.
func closing(opening string) byte {
	if strings.HasPrefix(opening, "{") {
		return '}'
	}
	return ']'
}

// An extent has the quantities that the limits apply to.
type extent struct {
	bytes, values, depth int
}

// extent returns the extent of v in a message of size n, inside an item with a number of the given digits. It may be a
// few bytes too large.
func (v *value) extent(n, digits int) extent {
	switch v.Kind {
	case arrayKind, objectKind:
		e := extent{bytes: 2, values: 2}
		if v.Kind == objectKind {
			e.values++
		}
		for p := range v.Parts {
			p := &v.Parts[p]
			count := times(p.Times, p.Grows, n)
			d := len(strconv.Itoa(count))
			inner := p.Value.extent(n, d)
			size := inner.bytes + 1
			if v.Kind == objectKind {
				size += p.Name.bytes(n, d) + 3
			}
			e.bytes += product(count, size)
			e.values += product(count, inner.values)
			e.depth = max(e.depth, inner.depth)
		}
		e.depth++
		return e
	case nestKind:
		depth := times(v.Text.Times, v.Text.Grows, n)
		e := v.Parts[0].Value.extent(n, digits)
		values := depth
		if closing(v.Text.Unit) == '}' {
			values *= 2
		}
		return extent{e.bytes + product(depth, len(v.Text.Unit)+1), e.values + values, e.depth + depth}
	case stringKind:
		return extent{bytes: v.Text.bytes(n, digits) + 2, values: 1}
	default:
		return extent{bytes: v.Text.bytes(n, digits), values: 1}
	}
}

func (t *text) bytes(n, digits int) int {
	size := len(t.Head) + len(t.Tail) + product(times(t.Times, t.Grows, n), len(t.Unit))
	if t.Numbered {
		size += digits
	}
	return size
}

// product returns a*b, or a number beyond every limit.
func product(a, b int) int {
	const beyond = 1 << 40
	if b > 0 && a > beyond/b {
		return beyond
	}
	return a * b
}

// clone returns a deep copy of v.
func (v *value) clone() value {
	c := *v
	c.Parts = nil
	for p := range v.Parts {
		inner := v.Parts[p]
		inner.Value = v.Parts[p].Value.clone()
		c.Parts = append(c.Parts, inner)
	}
	return c
}

// eachText calls fn for every text in v.
func (v *value) eachText(fn func(*text)) {
	fn(&v.Text)
	for p := range v.Parts {
		fn(&v.Parts[p].Name)
		v.Parts[p].Value.eachText(fn)
	}
}

// each calls fn for v and every value in it.
func (v *value) each(fn func(*value)) {
	fn(v)
	for p := range v.Parts {
		v.Parts[p].Value.each(fn)
	}
}

// raw returns unquoted JSON.
func raw(text string) value { return value{Kind: rawKind, Text: textOf(text)} }

func textOf(head string) text { return text{Head: head} }

// one returns a part that occurs once; array items have no name.
func one(name string, v value) part { return part{Name: textOf(name), Value: v, Times: 1} }

// object returns an object with these members.
func object(parts ...part) value { return value{Kind: objectKind, Parts: parts} }

// many returns an array with as many items as the size of the message.
func many(item value) value {
	return value{Kind: arrayKind, Parts: []part{{Value: item, Times: 1, Grows: true}}}
}

// valueOf parses a JSON text, keeping the order of members.
func valueOf(data []byte) (value, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return readValue(dec)
}

func readValue(dec *json.Decoder) (value, error) {
	token, err := dec.Token()
	if err != nil {
		return value{}, err
	}
	switch token := token.(type) {
	case json.Delim:
		v := value{Kind: arrayKind}
		if token == '{' {
			v.Kind = objectKind
		}
		for dec.More() {
			p := part{Times: 1}
			if v.Kind == objectKind {
				name, err := readValue(dec)
				if err != nil {
					return value{}, err
				}
				p.Name = name.Text
			}
			if p.Value, err = readValue(dec); err != nil {
				return value{}, err
			}
			v.Parts = append(v.Parts, p)
		}
		_, err := dec.Token()
		return v, err
	case string:
		quoted, err := json.Marshal(token)
		if err != nil {
			return value{}, err
		}
		return value{Kind: stringKind, Text: textOf(string(quoted[1 : len(quoted)-1]))}, nil
	default:
		data, err := json.Marshal(token)
		return raw(string(data)), err
	}
}
