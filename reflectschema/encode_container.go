package reflectschema

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// members appends the fields of a struct and ends the object; first says that it
// is empty so far.
func (e *encoder) members(n *node, v reflect.Value, at jsondoc.Path, first bool) error {
	for i := range n.fields {
		f := &n.fields[i]
		fv, ok := fieldAt(v, f.index)
		if !ok || omits(e.direction, f, fv) {
			continue
		}
		if !first {
			e.out = append(e.out, ',')
		}
		first = false
		e.out = append(jsondoc.AppendString(e.out, f.name), ':')
		if err := e.value(f.node, fv, at.Member(f.name)); err != nil {
			return err
		}
	}
	e.out = append(e.out, '}')
	return nil
}

// fieldAt returns the field at an index path; false below a nil embedded pointer.
func fieldAt(v reflect.Value, index []int) (reflect.Value, bool) {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}, false
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v, true
}

// omits reports whether a field is left out. In an input, what would be given its default then is
// not, unless null is no legal value of it either.
func omits(d Direction, f *field, v reflect.Value) bool {
	switch {
	case d == Input && (f.def != nil && f.nullable || f.omitZero && f.fillsInside()):
		return false
	case f.omitEmpty && isEmpty(v):
		return true
	case f.omitZero && f.isZero != nil:
		return f.isZero(v)
	case f.omitZero:
		return v.IsZero()
	case d != Input:
		return false
	default: // a nil pointer means "not given", and a nil union where it may mean that
		return (f.node.kind == kindPointer || f.node.kind == kindUnion && f.optional) && v.IsNil()
	}
}

// isEmpty is what omitempty means to encoding/json.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}

func (e *encoder) list(n *node, v reflect.Value, at jsondoc.Path) error {
	e.out = append(e.out, '[')
	for i := range v.Len() {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		if err := e.value(n.elem, v.Index(i), at.Element(i)); err != nil {
			return err
		}
	}
	e.out = append(e.out, ']')
	return nil
}

func (e *encoder) mapping(n *node, v reflect.Value, at jsondoc.Path) error {
	type entry struct {
		name  string
		value reflect.Value
	}
	entries := make([]entry, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		name, err := writeKey(n.key, iter.Key(), at)
		if err != nil {
			return err
		}
		entries = append(entries, entry{name, iter.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	e.out = append(e.out, '{')
	for i, entry := range entries {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = append(jsondoc.AppendString(e.out, entry.name), ':')
		if err := e.value(n.elem, entry.value, at.Member(entry.name)); err != nil {
			return err
		}
	}
	e.out = append(e.out, '}')
	return nil
}

// writeKey returns the member name of a map key.
func writeKey(n *node, key reflect.Value, at jsondoc.Path) (string, error) {
	name, err := keyText(n, key, at)
	if err != nil || n.registered == nil {
		return name, err
	}
	if want := n.registered.checkName(n, name); want != "" {
		return "", invalidAt(at.Member(name), Violation{Keyword: "propertyNames", Want: want, Got: show.Quote(name, show.MaxText)})
	}
	return name, nil
}

// keyText is writeKey for a key of which no schema is registered.
func keyText(n *node, key reflect.Value, at jsondoc.Path) (string, error) {
	switch n.kind {
	case kindString:
		return key.String(), nil
	case kindInt:
		return strconv.FormatInt(key.Int(), 10), nil
	case kindUint:
		return strconv.FormatUint(key.Uint(), 10), nil
	default:
		marshal := func() (string, error) { return marshalText(key) }
		if n.kind == kindJSON {
			marshal = func() (string, error) { return marshalName(n, key) }
		}
		text, err := marshal()
		if err != nil {
			return "", cannot(at, "keyed by what can be written", problem(n, err))
		}
		return text, nil
	}
}

// dynamic appends what an interface holds, whatever that is.
func (e *encoder) dynamic(v reflect.Value, at jsondoc.Path) error {
	if v.IsNil() {
		e.out = append(e.out, "null"...)
		return nil
	}
	n := dynamicNode(v.Elem().Type())
	if n == nil {
		return cannot(at, "a value that JSON can express", "one of a type it cannot")
	}
	return e.value(n, v.Elem(), at)
}

// dynamicNodes holds the nodes of types met inside interfaces: reflect.Type to
// *node. There are as many as the program has types.
var dynamicNodes sync.Map

// dynamicNode returns the node of a type that no schema speaks of, nil if it has
// no JSON.
func dynamicNode(t reflect.Type) *node {
	if n, ok := dynamicNodes.Load(t); ok {
		n, _ := n.(*node)
		return n
	}
	r := newResolver(Options{Direction: Output})
	n := r.run(t)
	if r.errors() != nil {
		return nil // not for ever: the members of a union may be registered yet
	}
	r.noteCompiled()
	kept, _ := dynamicNodes.LoadOrStore(t, n)
	n, _ = kept.(*node)
	return n
}
