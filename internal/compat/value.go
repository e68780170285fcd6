package compat

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
)

// A value is JSON. A schema is one that is an object or a boolean.
type value struct {
	kind    byte // '{', '[', '"', '0', 't', 'f' or 'n'
	names   []string
	members map[string]*value
	items   []*value
	text    string // of a string what it says, of a number how it is written
}

// A side is a document and how it is to be read.
type side struct {
	root   *value
	draft7 bool
	// plain says that every $ref is a pointer from the root, and nothing in the document moves the root.
	plain bool
}

// newSide reads a document that is valid JSON.
func newSide(raw []byte) (*side, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	s := &side{root: newValue(v)}
	s.draft7 = strings.Contains(s.root.get("$schema").string(), "draft-07")
	s.plain = !moves(s.root)
	return s, nil
}

func newValue(v any) *value {
	switch v := v.(type) {
	case map[string]any:
		made := &value{kind: '{', members: map[string]*value{}}
		for name, member := range v {
			made.names = append(made.names, name)
			made.members[name] = newValue(member)
		}
		slices.Sort(made.names)
		return made
	case []any:
		made := &value{kind: '['}
		for _, item := range v {
			made.items = append(made.items, newValue(item))
		}
		return made
	case string:
		return &value{kind: '"', text: v}
	case json.Number:
		return &value{kind: '0', text: v.String()}
	case bool:
		if v {
			return &value{kind: 't', text: "true"}
		}
		return &value{kind: 'f', text: "false"}
	default:
		return &value{kind: 'n', text: "null"}
	}
}

// movers are keywords by which a reference can lead elsewhere than its pointer says.
var movers = []string{"$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"}

// moves reports whether one of the movers is anywhere in the document. A property of such a name counts,
// too: that only makes it harder to be sure.
func moves(v *value) bool {
	for _, name := range v.names {
		if slices.Contains(movers, name) || moves(v.members[name]) {
			return true
		}
	}
	return slices.ContainsFunc(v.items, moves)
}

// get returns a member, nil if there is none.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	return v.members[name]
}

// string returns the text that v is, "" if it is none.
func (v *value) string() string {
	if v == nil || v.kind != '"' {
		return ""
	}
	return v.text
}

// list returns the items of an array.
func (v *value) list() []*value {
	if v == nil {
		return nil
	}
	return v.items
}

// number returns the number that v is.
func (v *value) number() (*big.Rat, bool) {
	if v == nil || v.kind != '0' {
		return nil, false
	}
	return new(big.Rat).SetString(v.text)
}

// equal reports whether two values are the same JSON; 1 and 1.0 are.
func equal(a, b *value) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.kind != b.kind || len(a.items) != len(b.items) || len(a.names) != len(b.names) {
		return false
	}
	if x, ok := a.number(); ok {
		y, ok := b.number()
		return ok && x.Cmp(y) == 0
	}
	for i := range a.items {
		if !equal(a.items[i], b.items[i]) {
			return false
		}
	}
	for _, name := range a.names {
		if !equal(a.members[name], b.get(name)) {
			return false
		}
	}
	return a.text == b.text
}

// has reports whether a value is in the list.
func has(list []*value, v *value) bool {
	return slices.ContainsFunc(list, func(other *value) bool { return equal(v, other) })
}

// resolve returns what a $ref leads to, nil if that is not known.
func (s *side) resolve(ref *value) *value {
	pointer, local := strings.CutPrefix(ref.string(), "#")
	if !local || !s.plain || pointer != "" && pointer[0] != '/' || strings.Contains(pointer, "%") {
		return nil
	}
	at := s.root
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			break
		}
		if at = at.get(strings.NewReplacer("~1", "/", "~0", "~").Replace(token)); at == nil {
			return nil
		}
	}
	return at
}
