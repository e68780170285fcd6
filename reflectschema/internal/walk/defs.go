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
// document would then be too large, structs and unions that make it much smaller also become definitions.

const refPrefix = "#/$defs/"

const (
	// MaxInlined is the maximum size of a document without shared definitions, in bytes: about 10,000 tokens, which is a
	// large part of a model's context. Above it, references are better even for clients that do not follow them.
	MaxInlined = 40_000
	// maxBuilt is the maximum number of schemas in a document that is built without shared definitions to determine its
	// size: types can repeat each other exponentially. A document with more schemas has more bytes than MaxInlined.
	maxBuilt = 2000
	// maxSchemas is the maximum number of schemas in a document.
	maxSchemas = 10_000
	// minSaved is the minimum number of bytes by which a shared definition makes the document smaller. Other types are
	// inlined, so that clients that do not follow references lose little.
	minSaved = 500
	// refSize is the size of a reference, in bytes, with a name of usual length.
	refSize = 35
)

// layOut decides which types become definitions before the size of the document is known, and reports whether the
// document is within maxSchemas.
func (d *Builder) layOut(root *codec.Node) bool {
	d.names = nameDefs(recursiveOf(d.Resolver))
	if unfolded(root, d.names, maxBuilt+1) <= maxBuilt {
		return true
	}
	d.names = nameDefs(d.sharedOf(root.Bare()))
	return unfolded(root, d.names, maxSchemas+1) <= maxSchemas
}

// recursiveOf returns the recursive types, in the order of nodes.
func recursiveOf(r *Resolver) (recursive []*codec.Node) {
	if !r.recursive {
		return nil
	}
	for _, n := range r.order {
		if n.GoType.Name() != "" && isComposite(n) && reaches(n, n) {
			recursive = append(recursive, n)
		}
	}
	return recursive
}

// sharedOf returns the recursive types, and the named structs and unions that save at least minSaved bytes as shared
// definitions, in the order of nodes.
func (d *Builder) sharedOf(root *codec.Node) (shared []*codec.Node) {
	own, uses := d.ownSizes(), usesIn(root)
	recursive := recursiveOf(d.Resolver)
	isShared := map[*codec.Node]bool{}
	for _, n := range recursive {
		isShared[n] = true
	}
	// The size of a type depends on which types below it are shared, so it decides about these first.
	sizes := map[*codec.Node]int{}
	var size func(n *codec.Node) int
	size = func(n *codec.Node) int {
		if known, ok := sizes[n]; ok {
			return known
		}
		total := own[n]
		below(n, func(inner *codec.Node) {
			inner = inner.Bare()
			inlined := 0 // a type that is not composite is in own
			if isComposite(inner) && !isShared[inner] {
				inlined = size(inner)
			}
			if isShared[inner] {
				inlined = refSize
			}
			total = min(MaxInlined, total+inlined) // it may grow exponentially
		})
		sizes[n] = total
		isShared[n] = isShared[n] || n != root && isShareable(n) && (uses[n]-1)*(total-refSize) >= minSaved
		return total
	}
	for _, n := range append(recursive, root) {
		size(n)
	}
	for _, n := range d.order {
		if isShared[n] {
			shared = append(shared, n)
		}
	}
	return shared
}

// isShareable reports whether a type can become a shared definition.
func isShareable(n *codec.Node) bool {
	return n.GoType.Name() != "" && (n.Kind == codec.KindStruct || n.Kind == codec.KindUnion) && isComposite(n)
}

// ownSizes returns the size in bytes of the schema of each composite type, with its descriptions and without the composite
// types in it.
func (d *Builder) ownSizes() map[*codec.Node]int {
	const name = "x"
	names, sizes := map[*codec.Node]string{}, map[*codec.Node]int{}
	for _, n := range d.order {
		if isComposite(n) {
			names[n] = name
		}
	}
	measured := NewBuilder(d.Resolver, d.finish)
	measured.names = names
	defer func() { d.mistakes = d.mistakes[:measured.found] }() // the document has them, too
	for n := range names {
		text, _ := measured.body(n, Location{Owner: n.GoType}).MarshalJSON() // an error is reported by the document
		sizes[n] = len(text)
		below(n, func(inner *codec.Node) {
			if isComposite(inner.Bare()) {
				sizes[n] -= len(`{"$ref":""}`) + len(refPrefix+name)
			}
		})
	}
	return sizes
}

// usesIn returns how often each type is used in a document in which all shareable types are definitions. Where a type
// that is not shareable is used more than twice, the types in it are used even more often.
func usesIn(root *codec.Node) map[*codec.Node]int {
	uses := map[*codec.Node]int{root: 1}
	var visit func(n *codec.Node)
	visit = func(n *codec.Node) {
		below(n, func(inner *codec.Node) {
			inner = inner.Bare()
			uses[inner]++
			if uses[inner] == 1 || uses[inner] == 2 && !isShareable(inner) {
				visit(inner)
			}
		})
	}
	visit(root)
	return uses
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
	case n.Wraps():
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

// unfolded counts the schemas of a document in which all types except the definitions are inlined, up to limit.
func unfolded(root *codec.Node, names map[*codec.Node]string, limit int) int {
	counts := map[*codec.Node]int{} // of each composite type
	var count func(n *codec.Node) int
	count = func(n *codec.Node) int {
		if !n.Wraps() && !isComposite(n) {
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
	total := count(root.Bare())
	for n := range names {
		total = min(limit, total+count(n))
	}
	return total
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
