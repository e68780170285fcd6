package walk

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// Many clients cannot follow $ref, so only recursive types become definitions, and all others are inlined. If the
// document would then be too large, structs and unions that are used more than once also become definitions.

const refPrefix = "#/$defs/"

// Limits on a document, in schemas.
const (
	// maxInlined is the maximum size of a document without shared definitions: about 100 kB or 25,000 tokens, and twice
	// as much with descriptions, which is a large part of a model's context. Above it, references are better even for
	// clients that do not follow them.
	maxInlined = 2000
	// maxSchemas is the maximum size of a document: about a megabyte.
	maxSchemas = 10_000
	// minShared is the minimum size of a type that becomes a shared definition.
	minShared = 4
)

// layOut decides which types become definitions, and reports whether the document is within maxSchemas.
func (d *Builder) layOut(root *codec.Node) bool {
	var recursive []*codec.Node
	if d.recursive {
		recursive = recursiveOf(d.order)
	}
	d.names = nameDefs(recursive)
	if _, size := unfolded(root, d.names, maxInlined+1); size <= maxInlined {
		return true
	}
	d.names = nameDefs(sharedOf(root.Bare(), d.order, recursive))
	_, size := unfolded(root, d.names, maxSchemas+1)
	return size <= maxSchemas
}

// recursiveOf returns the recursive types, in the order of nodes.
func recursiveOf(nodes []*codec.Node) (recursive []*codec.Node) {
	for _, n := range nodes {
		if n.GoType.Name() != "" && isComposite(n) && reaches(n, n) {
			recursive = append(recursive, n)
		}
	}
	return recursive
}

// sharedOf returns the recursive types, and the named structs and unions of at least minShared schemas that are used
// more than once, in the order of nodes.
func sharedOf(root *codec.Node, nodes, recursive []*codec.Node) (shared []*codec.Node) {
	names := make(map[*codec.Node]string, len(recursive))
	for _, n := range recursive {
		names[n] = n.GoType.Name()
	}
	sizes, _ := unfolded(root, names, maxSchemas)
	places := map[*codec.Node]int{root: 1}
	isShareable := func(n *codec.Node) bool {
		return n.GoType.Name() != "" && (n.Kind == codec.KindStruct || n.Kind == codec.KindUnion) && isComposite(n) && sizes[n] >= minShared
	}
	var visit func(n *codec.Node)
	visit = func(n *codec.Node) {
		below(n, func(inner *codec.Node) {
			inner = inner.Bare()
			places[inner]++
			// A type that is not shareable is inlined, with everything in it, at each use. Counting to two is enough.
			if places[inner] == 1 || places[inner] == 2 && !isShareable(inner) {
				visit(inner)
			}
		})
	}
	visit(root)
	for _, n := range nodes {
		if names[n] != "" || n != root && places[n] > 1 && isShareable(n) {
			shared = append(shared, n)
		}
	}
	return shared
}

// nameDefs gives each definition a unique, readable name.
func nameDefs(defs []*codec.Node) map[*codec.Node]string {
	if len(defs) == 0 {
		return nil
	}
	candidates := []func(*codec.Node) string{
		func(n *codec.Node) string { return defName(n.GoType) },
		func(n *codec.Node) string {
			return n.GoType.PkgPath()[strings.LastIndexByte(n.GoType.PkgPath(), '/')+1:] + "." + defName(n.GoType)
		},
	}
	names := map[*codec.Node]string{}
	taken := map[string]bool{}
	for i, n := range defs {
		unique := func(candidate func(*codec.Node) string) bool {
			return !slices.ContainsFunc(defs, func(o *codec.Node) bool { return o != n && candidate(o) == candidate(n) })
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
func isComposite(n *codec.Node) bool {
	h := HookOf(n.GoType)
	switch n.Kind {
	case codec.KindStruct, codec.KindUnion, codec.KindSlice, codec.KindArray, codec.KindMap:
		return h == nil || !h.replaces
	default:
		return false
	}
}

// below calls visit for the nodes directly below n.
func below(n *codec.Node, visit func(*codec.Node)) {
	switch {
	case n.Kind == codec.KindPointer:
		visit(n.Elem)
	case !isComposite(n):
	case n.Kind == codec.KindUnion:
		for i := range n.Arms {
			below(n.Arms[i].Node, visit) // members are parts of the union
		}
	case n.Kind == codec.KindStruct:
		for i := range n.Fields {
			visit(n.Fields[i].Node)
		}
	default:
		visit(n.Elem)
	}
}

// reaches reports whether target is below from, directly or indirectly.
func reaches(from, target *codec.Node) bool {
	seen := map[*codec.Node]bool{}
	var stack []*codec.Node
	push := func(n *codec.Node) { stack = append(stack, n) }
	below(from, push)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == target {
			return true
		}
		if !seen[n] {
			seen[n] = true
			below(n, push)
		}
	}
	return false
}

// unfolded counts the schemas of a document in which all types except the definitions are inlined, and the schemas of each
// composite type. Counts stop at limit.
func unfolded(root *codec.Node, names map[*codec.Node]string, limit int) (counts map[*codec.Node]int, total int) {
	counts = map[*codec.Node]int{}
	var count func(n *codec.Node) int
	count = func(n *codec.Node) int {
		if n.Kind != codec.KindPointer && !isComposite(n) {
			return 1
		}
		if c, ok := counts[n]; ok {
			return c
		}
		total := 1
		below(n, func(inner *codec.Node) {
			if names[inner.Bare()] == "" {
				total = min(limit, total+count(inner))
			} else {
				total++ // a reference
			}
		})
		counts[n] = total
		return total
	}
	total = count(root.Bare())
	for n := range names {
		total = min(limit, total+count(n))
	}
	return counts, total
}

// defName returns a type name that is readable and valid in a reference: type arguments without their packages, and
// underscores for characters other than ASCII letters and digits.
func defName(t reflect.Type) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(t.Name(), func(r rune) bool { return strings.ContainsRune("[], *{};", r) }) {
		word = word[strings.LastIndexAny(word, "./")+1:]
		word, _, _ = strings.Cut(word, "·") // followed by the number of a type declared in a function
		if b.Len() > 0 {
			b.WriteByte('_')
		}
		b.WriteString(strings.Map(func(r rune) rune {
			if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return '_'
			}
			return r
		}, word))
	}
	return b.String()
}
