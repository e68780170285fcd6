package reflectschema

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Agrees reports whether a schema written by hand can be shown in place of the
// one of the type, so that neither says what the other does not do. The error is a
// [TypeErrors] with every disagreement, its place and what to write instead.
//
// The schema of an input may ask for more than the type, never for less: all that
// fits it must be what the type reads. So it names no member that the type lacks,
// closes objects as the type does, requires what the type requires, lets no other
// JSON type through, keeps within the bounds and lists no value that the type
// cannot decode. A pattern or a property name rule is taken for as strict as the
// one of the type, since that cannot be told.
//
// The schema of an output may promise more than the type does, which each result is
// then held against; but not what no value of the type can keep: another JSON type,
// a member that is never there or may be left out, an object closed to what is
// written, a value that the type never takes.
//
// Alternatives agree if each does. Keywords like not and if only narrow a schema and
// are passed over, as is what a type with methods of its own may refuse.
func (t *Type) Agrees(s *Schema) error {
	c := &comparer{
		written: side{s.doc(), s.isDraft7()},
		derived: side{t.schema.doc(), false},
		output:  t.opts.Direction == Output,
		budget:  maxComparisons,
		ids:     map[*jsondoc.Value]int{},
		open:    map[string]bool{},
	}
	errs := c.compare(spot{owner: t.goType, node: t.root().bare()}, []*jsondoc.Value{s.doc()}, []*jsondoc.Value{t.schema.doc()})
	if c.budget <= 0 {
		errs = append(errs, spot{owner: t.goType}.disagree("the schema has too many alternatives to compare", "write fewer, or one oneOf"))
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// maxComparisons bounds the pairs of schemas that one comparison looks at, and
// maxAlternatives into how many one of them may fall.
const (
	maxComparisons  = 20_000
	maxAlternatives = 256
)

// comparer holds a written schema against a derived one.
type comparer struct {
	written, derived side
	output           bool
	budget           int
	ids              map[*jsondoc.Value]int // small names for the parts of both
	open             map[string]bool        // the pairs being compared, so that recursion ends
}

// A spot is one place in the values that both schemas describe.
type spot struct {
	path  string       // items[].qty
	owner reflect.Type // the struct that holds it, or the root
	field string       // of the owner, "" if it is none
	node  *node        // what is there, nil if that is not known
}

// member is the place of a member.
func (s spot) member(name string) spot {
	in := spot{path: name, owner: s.owner, field: s.field}
	if s.path != "" {
		in.path = s.path + "." + name
	}
	n := s.node
	if n == nil {
		return in
	}
	if n.kind == kindStruct {
		in.owner, in.field = n.goType, ""
		if i := n.fieldNamed(name); i >= 0 && n.shape != nil {
			in.field = n.shape.members[i].goPath
		}
	}
	return in.of(n.named(name))
}

// below is the place of the elements of an array or of the members of a map.
func (s spot) below(step string) spot {
	s.path += step
	if s.node != nil {
		return s.of(s.node.elem)
	}
	return s
}

func (s spot) of(n *node) spot {
	if n != nil {
		n = n.bare()
	}
	s.node = n
	return s
}

// disagree is one disagreement at the place.
func (s spot) disagree(reason, fix string) *TypeError {
	return &TypeError{Type: nameOf(s.owner), Path: s.path, Field: s.field, Reason: reason, Fix: fix}
}

// compare holds what the written schema says of a place against what the derived
// one says. Each is a list of schemas that hold together.
func (c *comparer) compare(at spot, written, derived []*jsondoc.Value) (errs TypeErrors) {
	if c.budget--; c.budget <= 0 {
		return nil
	}
	pair := c.pair(written, derived)
	if c.open[pair] {
		return nil // recursive: it agrees if the rest does
	}
	c.open[pair] = true
	defer delete(c.open, pair)
	ours, ok := c.derived.alternatives(derived)
	if !ok {
		return nil // a method said something that cannot be followed
	}
	theirs, ok := c.written.alternatives(written)
	if !ok {
		return TypeErrors{at.disagree("the schema refers to a part of itself in a way that cannot be compared, or has too many alternatives",
			`write each $ref as "#/$defs/name"`)}
	}
	if c.output {
		return c.promised(at, theirs, ours)
	}
	for _, their := range theirs {
		best := fewest(ours, func(our conjunction) TypeErrors { return c.input(at.choose(our), their, our) })
		errs = appendNew(errs, best)
	}
	return errs
}

// promised holds each form that an output may take against the written schema,
// which must have a place for it. null is one that the author may rule out.
func (c *comparer) promised(at spot, theirs, ours []conjunction) (errs TypeErrors) {
	if len(theirs) == 0 {
		return TypeErrors{at.disagree("the schema refuses every value, and the Go type writes one", "describe it")}
	}
	for _, our := range ours {
		if our.types() == rules.TypeNull && len(ours) > 1 {
			continue
		}
		best := fewest(theirs, func(their conjunction) TypeErrors { return c.outputs(at.choose(our), their, our) })
		errs = appendNew(errs, best)
	}
	return errs
}

// choose is the place for one alternative of a union.
func (s spot) choose(our conjunction) spot {
	if s.node == nil || s.node.kind != kindUnion {
		return s
	}
	for _, d := range our {
		if n := s.node.branch(d); n != nil {
			return s.of(n)
		}
	}
	return s.of(nil)
}

// fewest returns the shortest of the lists that compare returns for alternatives.
func fewest(alternatives []conjunction, compare func(conjunction) TypeErrors) (best TypeErrors) {
	for i, alternative := range alternatives {
		errs := compare(alternative)
		if i == 0 || len(errs) < len(best) {
			best = errs
		}
		if len(best) == 0 {
			return nil
		}
	}
	return best
}

// appendNew appends what is not in the list yet: alternatives may share a mistake.
func appendNew(errs, more TypeErrors) TypeErrors {
	for _, e := range more {
		if !slices.ContainsFunc(errs, func(known *TypeError) bool { return *known == *e }) {
			errs = append(errs, e)
		}
	}
	return errs
}

// pair names two lists of schemas.
func (c *comparer) pair(lists ...[]*jsondoc.Value) string {
	var b strings.Builder
	for _, list := range lists {
		for _, d := range list {
			if _, ok := c.ids[d]; !ok {
				c.ids[d] = len(c.ids)
			}
			b.WriteString(strconv.Itoa(c.ids[d]) + ",")
		}
		b.WriteByte('/')
	}
	return b.String()
}

// types holds the JSON types of both against each other. If they do not meet there
// is nothing more to compare.
func (c *comparer) types(at spot, their, our conjunction) (errs TypeErrors, done bool) {
	said, known := their.types(), our.types()
	verb := "reads"
	if c.output {
		verb = "writes"
		if known&^rules.TypeNull != 0 {
			known &^= rules.TypeNull
		}
	}
	fix := `write "type":` + known.Keyword()
	switch {
	case known == rules.AnyType:
		return nil, false
	case said&known == 0:
		return TypeErrors{at.disagree(fmt.Sprintf("the schema says %s, and the Go type %s %s", said, verb, known), fix)}, true
	case c.output || said&^known == 0:
		return nil, false
	case said == rules.AnyType:
		return TypeErrors{at.disagree(fmt.Sprintf("the schema lets everything through, and the Go type reads %s", known), fix)}, true
	case said&^known == rules.TypeNull:
		return TypeErrors{at.disagree("the schema lets null through, and the Go type refuses it", `drop it, or write jsonschema:"nullable" on a pointer, slice or map`)}, false
	default:
		return TypeErrors{at.disagree(fmt.Sprintf("the schema lets %s through, and the Go type reads %s", said&^known, known), fix)}, true
	}
}

// values checks that the type knows each value that the schema lists.
func (c *comparer) values(at spot, values []*jsondoc.Value, our conjunction) (errs TypeErrors) {
	verb := "read"
	if c.output {
		verb = "write"
	}
	takes := c.taker(at.node, our)
	for _, v := range values {
		if raw := v.AppendTo(nil); !takes(raw) {
			reason := fmt.Sprintf("the schema lists %s, which the Go type does not %s", show.Clip(string(raw), show.MaxText), verb)
			errs = append(errs, at.disagree(reason, "drop it, or make the type take it"))
		}
	}
	return errs
}

// taker returns what reports whether a value fits the derived schema of a place and
// the Go type there.
func (c *comparer) taker(n *node, our conjunction) func(raw []byte) bool {
	schemas := make([]*Schema, 0, len(our))
	for _, d := range our {
		if defs := c.derived.root.Get("$defs"); defs != nil && d.Get("$defs") == nil {
			d = d.With("$defs", defs)
		}
		schemas = append(schemas, newSchema(d.AppendTo(nil)))
	}
	return func(raw []byte) bool {
		for _, s := range schemas {
			if s.Check(raw) != nil {
				return false
			}
		}
		if n == nil || n.kind == kindUnion {
			return true // its own schema has said it all
		}
		dec := newDecoder(raw)
		dec.value(n, reflect.New(n.goType).Elem(), nil)
		return dec.violations.Total == 0
	}
}
