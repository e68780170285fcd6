package walk

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// A Registration is the registration of a Go type. It is immutable once it is stored.
type Registration struct {
	codec.Schema
	GoType   reflect.Type
	Codec    *codec.Functions // nil: the type is read and written as without a registration
	Funcs    [2]uintptr       // addresses of the functions, to compare registrations
	Values   []reflect.Value  // of RegisterEnum: the values in the enum of the schema, in its order
	Function string           // the name of the function that registered it
	Location string           // file:line of its call

	isDescribed bool // the author did not register it, see describe
}

// FunctionJSON is the Function of registrations by RegisterJSON.
const FunctionJSON = "RegisterJSON"

// CompiledTypes contains the defined types in compiled types. They can no longer be registered.
var CompiledTypes sync.Map

// TooLate is the mistake of a registration for a type in [CompiledTypes].
var TooLate = tag.Mistake{Reason: "the type has been compiled already, without it", Fix: "register it before the first use, in an init function or in main; the variables of a package are initialized before its init functions"}

// registrationAt returns the registration of a node, nil if there is none.
func registrationAt(n *codec.Node) *Registration {
	s, _ := n.Registered.(*Registration)
	return s
}

// NoteCompiled records the types of a graph that has been compiled.
func (r *Resolver) NoteCompiled() {
	note := func(t reflect.Type, registered codec.Schema) {
		own, _ := registered.(*Registration)
		if (own == nil || own.isDescribed) && t.PkgPath() != "" && !IsSource(t) {
			CompiledTypes.LoadOrStore(t, true)
		}
	}
	for _, n := range r.order {
		note(n.GoType, n.Registered)
		if n.Key != nil {
			note(n.Key.GoType, n.Key.Registered)
		}
		if n.Kind == codec.KindBytes && n.GoType.Kind() == reflect.Slice {
			note(n.GoType.Elem(), nil) // the element type has no node
		}
	}
}

// Store stores the registration. It returns a mistake if it is too late, or if the type has another one.
func (s *Registration) Store() []tag.Mistake {
	return store(s.GoType, s, func(known any) bool {
		other, ok := known.(*Registration)
		return ok && (s == other || s.String() == other.String() && s.Funcs == other.Funcs)
	})
}

func (s *Registration) origin() (function, location string) { return s.Function, s.Location }

// refuseReading rejects an interface that is registered by RegisterJSON where values of it are read.
func (s *Registration) refuseReading(r *Resolver, at Location) {
	if s.Function == FunctionJSON && s.GoType.Kind() == reflect.Interface && r.direction.Decodes() {
		r.Refuse(at, fmt.Sprintf("%s is an interface, registered by RegisterJSON at %s: encoding/json writes it, but cannot choose the Go type to read it", s.GoType, s.Location),
			"use another type here, or register the interface with reflectschema.RegisterUnion or reflectschema.RegisterCodec instead")
	}
}

// Unregistered returns the node that the type would have without its registration, and reports the mistakes in it.
func (s *Registration) Unregistered() (*codec.Node, []Located) {
	r := NewResolver(codec.Output)
	r.skipped = s.GoType
	n := r.Run(s.GoType)
	return n, r.Sorted()
}

// CheckZeros adds a mistake for each field of an output that is also written if it is zero, although the zero value does
// not fit the schema registered for its type. Otherwise, the first such result would be refused. Only values that
// methods or registered functions write are checked, because their zero value is not obvious: a metav1.Time is null. A
// zero value that its method cannot write is ignored, and an interface must not be nil, like a union.
func (r *Resolver) CheckZeros() {
	for _, n := range r.order {
		if s := r.Shapes[n]; s != nil && r.direction == codec.Output {
			for i := range s.Members {
				r.checkZero(&s.Members[i], s.At.Member(n.GoType, s.Members[i].GoPath, s.Members[i].Name))
			}
		}
	}
}

func (r *Resolver) checkZero(m *Member, at Location) {
	own := registrationAt(m.Node)
	isWritten := !m.OmitZero && (!m.OmitEmpty || neverEmpty(m.goType) != "")
	ofMethod := m.Node.Kind == codec.KindJSON || m.Node.Kind == codec.KindText
	if own == nil || own.Values != nil || !isWritten || !ofMethod || IsSource(m.goType) || m.goType.Kind() == reflect.Interface {
		return
	}
	bare := *m.Node
	bare.Registered = nil
	zero, failed := codec.Encode(&bare, r.direction, reflect.Zero(m.goType))
	if failed == nil && own.Check(zero, nil) != nil {
		r.Refuse(at, fmt.Sprintf("the zero value of %s is written as %s, which the schema registered for the type does not allow", m.goType, show.Clip(string(zero), show.MaxText)),
			"allow it in the schema, or leave out the zero value with omitzero or a pointer")
	}
}

// draft returns the registered schema in the form that tags are applied to: keywords that tags can set are fields of
// the draft, all others are extras.
func (s *Registration) draft(n *codec.Node) *jsonschema.Schema {
	made := tag.Draft(s.Doc())
	if s.Codec == nil && made.Enum == nil && made.Const == nil {
		fillRange(made, n)
	}
	return made
}

// fillRange adds the range of an integer type, see [bounded], where the schema has no bound.
func fillRange(s *jsonschema.Schema, n *codec.Node) {
	own := bounded(&jsonschema.Schema{}, n)
	if s.Minimum == "" && s.ExclusiveMinimum == "" {
		s.Minimum = own.Minimum
	}
	if s.Maximum == "" && s.ExclusiveMaximum == "" {
		s.Maximum = own.Maximum
	}
}

// allowsNull reports whether null fits the schema.
func (s *Registration) allowsNull() bool { return s.Check([]byte("null"), nil) == nil }

// checkNames returns a mistake if the registered schema of a key cannot describe names.
func (s *Registration) checkNames(key *codec.Node) *tag.Mistake {
	if key.GoType.Kind() == reflect.Interface {
		return &tag.Mistake{Reason: fmt.Sprintf("keys of %s, an interface, cannot be read back", key.GoType), Fix: "use a string or integer key"}
	}
	want := "string"
	if key.Kind == codec.KindInt || key.Kind == codec.KindUint {
		want = "integer"
	}
	if tag.JSONTypeOf(s.Doc()) != want || s.allowsNull() {
		return &tag.Mistake{Reason: "the names in a JSON object are strings, but the schema registered for " + key.GoType.String() + " describes other values", Fix: "use a string or integer key"}
	}
	return s.checkKeyText(key)
}

// checkKeyText returns a mistake if keys are not written in the form that the schema describes for values. In
// encoding/json, text methods do not write keys of kind string, and MarshalJSON writes no keys.
func (s *Registration) checkKeyText(key *codec.Node) *tag.Mistake {
	t := key.GoType
	hasMethod := slices.ContainsFunc([]reflect.Type{jsonMarshaler, jsonUnmarshaler, textMarshaler, textUnmarshaler}, func(m reflect.Type) bool { return has(t, m) })
	if s.Codec != nil || !hasMethod {
		return nil
	}
	fix := "use a key type without these methods, or register how values and keys are written, with reflectschema.RegisterCodec"
	if s.Values == nil && key.Kind != codec.KindText {
		return &tag.Mistake{Reason: fmt.Sprintf("the keys are written as the Go %s, and the schema registered for %s describes what the methods of the type write", t.Kind(), t), Fix: fix}
	}
	forms := s.Doc().Get("enum").Elements()
	for i, v := range s.Values {
		form := string(forms[i].Raw)
		if forms[i].Kind == rawjson.String {
			form = forms[i].Text()
		}
		if name, err := codec.KeyText(key, v); err == nil && name != form { // the type of an input may have no method to write
			return &tag.Mistake{Reason: fmt.Sprintf("the key %q would be written for the value %q that is registered for %s", show.Clip(name, show.MaxText), show.Clip(form, show.MaxText), t), Fix: fix}
		}
	}
	return nil
}
