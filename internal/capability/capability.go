// Package capability reads and writes the objects in which clients and servers declare capabilities. A capability is
// named by its path, with dots: "elicitation", "elicitation.url", "prompts.listChanged". The part after "experimental."
// or "extensions." is a single name, which may contain dots: "extensions.io.modelcontextprotocol/tasks".
package capability

import (
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// elements splits the path of a capability.
func elements(path string) []string {
	first, rest, deep := strings.Cut(path, ".")
	if deep && (first == "experimental" || first == "extensions") {
		return []string{first, rest}
	}
	return strings.Split(path, ".")
}

// Has reports whether declared, valid JSON or nil, has the capability. A value of null or false counts as absent.
//
// A client that declares elicitation without a mode supports "elicitation.form", the only mode in earlier revisions.
func Has(declared []byte, path string) bool {
	switch value := Value(declared, path); rawjson.KindOf(value) {
	case rawjson.Object:
		return true
	case rawjson.Bool:
		return string(value) == "true"
	case rawjson.Invalid:
		return path == "elicitation.form" && Has(declared, "elicitation") && !Has(declared, "elicitation.url")
	default:
		return false
	}
}

// Value returns the value of the capability in declared, valid JSON or nil; nil if there is none.
func Value(declared []byte, path string) []byte {
	for _, name := range elements(path) {
		declared = rawjson.Lookup(declared, name)
	}
	return declared
}

// Append appends the object that declares the capabilities and no others.
func Append(dst []byte, paths ...string) []byte { return AppendValues(dst, nil, paths...) }

// AppendValues is like Append, but declares a capability whose path is in values with that value, a JSON object, unless
// there are capabilities inside it.
func AppendValues(dst []byte, values map[string][]byte, paths ...string) []byte {
	var root node
	for _, path := range paths {
		at := &root
		for _, name := range elements(path) {
			at = at.child(name)
		}
		at.value = values[path]
	}
	return root.append(dst)
}

// node is a capability with the capabilities inside it, in the order in which they were named.
type node struct {
	name  string
	value []byte // JSON; nil for none
	inner []*node
}

// child returns the capability called name inside n, and adds it if necessary.
func (n *node) child(name string) *node {
	i := slices.IndexFunc(n.inner, func(c *node) bool { return c.name == name })
	if i < 0 {
		i = len(n.inner)
		n.inner = append(n.inner, &node{name: name})
	}
	return n.inner[i]
}

// append appends the declaration of n: an object, or true if the protocol has a flag.
func (n *node) append(dst []byte) []byte {
	if len(n.inner) == 0 && (n.name == "listChanged" || n.name == "subscribe") {
		return append(dst, "true"...)
	}
	if len(n.inner) == 0 && n.value != nil {
		return append(dst, n.value...)
	}
	dst = append(dst, '{')
	for _, c := range n.inner {
		dst = c.append(append(rawjson.AppendString(rawjson.AppendComma(dst), c.name), ':'))
	}
	return append(dst, '}')
}
