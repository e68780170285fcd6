package reflectschema

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Only a recursive type needs a definition and references to it; every other
// one is written out where it stands, since many clients cannot follow $ref.

const refPrefix = "#/$defs/"

// nameDefs finds the recursive types below root, in the order of discovery,
// and gives each a readable name of its own.
func nameDefs(nodes []*node) map[*node]string {
	var recursive []*node
	for _, n := range nodes {
		if n.goType.Name() != "" && isComposite(n) && reaches(n, n) {
			recursive = append(recursive, n)
		}
	}
	candidates := []func(*node) string{
		func(n *node) string { return defName(n.goType) },
		func(n *node) string {
			return n.goType.PkgPath()[strings.LastIndexByte(n.goType.PkgPath(), '/')+1:] + "." + defName(n.goType)
		},
	}
	names := map[*node]string{}
	taken := map[string]bool{}
	for i, n := range recursive {
		unique := func(candidate func(*node) string) bool {
			return !slices.ContainsFunc(recursive, func(o *node) bool { return o != n && candidate(o) == candidate(n) })
		}
		name := candidates[1](n) + "_" + strconv.Itoa(i+1)
		for _, candidate := range candidates {
			if unique(candidate) && !taken[candidate(n)] {
				name = candidate(n)
				break
			}
		}
		names[n], taken[name] = name, true
	}
	return names
}

// isComposite reports whether a node has anything below it in the schema.
func isComposite(n *node) bool {
	h := hookOf(n.goType)
	switch n.kind {
	case kindStruct, kindUnion, kindSlice, kindArray, kindMap:
		return h == nil || !h.replaces
	default:
		return false
	}
}

// below visits the nodes directly below one.
func (n *node) below(visit func(*node)) {
	switch {
	case n.kind == kindPointer:
		visit(n.elem)
	case !isComposite(n):
	case n.kind == kindUnion:
		for i := range n.arms {
			n.arms[i].node.below(visit) // its members never stand alone: they are part of it
		}
	case n.kind == kindStruct:
		for i := range n.fields {
			visit(n.fields[i].node)
		}
	default:
		visit(n.elem)
	}
}

// reaches reports whether target is somewhere below from.
func reaches(from, target *node) bool {
	seen := map[*node]bool{}
	var stack []*node
	push := func(n *node) { stack = append(stack, n) }
	from.below(push)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == target {
			return true
		}
		if !seen[n] {
			seen[n] = true
			n.below(push)
		}
	}
	return false
}

// unfolded counts the schemas of a document in which everything but the
// recursive types is written out where it stands, up to limit.
func unfolded(root *node, names map[*node]string, limit int) int {
	counts := map[*node]int{}
	var count func(n *node) int
	count = func(n *node) int {
		if c, ok := counts[n]; ok {
			return c
		}
		total := 1
		n.below(func(inner *node) {
			if names[inner.bare()] == "" {
				total = min(limit, total+count(inner))
			} else {
				total++ // a reference
			}
		})
		counts[n] = total
		return total
	}
	total := count(root.bare())
	for n := range names {
		total = min(limit, total+count(n))
	}
	return total
}

// defName makes a type name fit for a reference, and for eyes: the type
// arguments of a generic lose their packages, and what is neither an ASCII letter
// nor a digit becomes an underscore.
func defName(t reflect.Type) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(t.Name(), func(r rune) bool { return strings.ContainsRune("[], *{};", r) }) {
		word = word[strings.LastIndexAny(word, "./")+1:]
		word, _, _ = strings.Cut(word, "·") // behind it, the number of a type declared in a function
		if b.Len() > 0 {
			b.WriteByte('_')
		}
		b.WriteString(notInName().ReplaceAllString(word, "_"))
	}
	return b.String()
}

var notInName = lazyRegexp(`[^A-Za-z0-9_]`)
