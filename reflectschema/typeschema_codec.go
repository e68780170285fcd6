package reflectschema

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// registered decodes a value of a type with a registered schema. It checks the value first, so that the methods of the
// type are called with valid values only.
func (d *decoder) registered(n *node, dst reflect.Value, at jsondoc.Path) {
	raw := bytes.Clone(d.scan.Value())
	if invalid := (*InvalidError)(nil); errors.As(n.registered.schema.Check(raw), &invalid) {
		d.failBelow(at, invalid)
		return
	}
	inner := newDecoder(raw)
	inner.violations, inner.memory = d.violations, d.memory
	inner.scalar(n, dst, at)
}

// failBelow records the violations of the value at a location.
func (d *decoder) failBelow(at jsondoc.Path, invalid *InvalidError) {
	for _, v := range invalid.Violations {
		d.record(v.below(at))
	}
}

// below converts a violation in the value at a location to a violation in the whole value.
func (v Violation) below(at jsondoc.Path) Violation {
	if len(at) == 0 {
		return v
	}
	outer := show.Path(at)
	switch {
	case v.Path == "" || strings.HasPrefix(v.Path, "["):
		v.Path = outer + v.Path
	default:
		v.Path = outer + "." + v.Path
	}
	v.Pointer = at.Pointer() + v.Pointer
	return v
}

// marshalOwn returns the JSON that the registered function or MarshalJSON writes.
func marshalOwn(n *node, v reflect.Value) (data []byte, err error) {
	if n.registered == nil || n.registered.codec == nil {
		return marshalJSON(v)
	}
	err = contain(func() (err error) {
		data, err = n.registered.codec.marshal(v)
		return err
	})
	return data, err
}

// errMemory is the error for a value that would take more memory than is left.
var errMemory = errors.New("there is no memory left")

// unmarshalOwn decodes JSON with the registered function or UnmarshalJSON, which may keep raw.
func unmarshalOwn(n *node, dst reflect.Value, raw []byte, m *rules.Memory) error {
	if n.registered == nil || n.registered.codec == nil {
		if isBigInt(n.goType) {
			if !m.Has(0) {
				return errMemory
			}
			if whole, ok := integer(string(raw)); ok {
				raw = whole.Append(nil, 10) // big.Int does not accept 1.0 and 1e2, which are integers
			}
			if !m.Take(len(raw)) { // 1e999 takes a thousand digits
				return errMemory
			}
		}
		return unmarshalJSON(dst, raw)
	}
	return contain(func() error { return n.registered.codec.unmarshal(raw, dst) })
}

// writesNull reports whether a type writes its zero value as null, and so reads null as a value. By the convention of
// encoding/json, UnmarshalJSON of other types ignores null, so decoding would return a zero value that the client did
// not send.
func writesNull(t reflect.Type) bool {
	raw, err := marshalJSON(reflect.New(t).Elem())
	return err == nil && string(bytes.TrimSpace(raw)) == "null"
}

// readsNull reports whether a type with JSON methods may be given null.
func readsNull(n *node) bool {
	return n.registered != nil || hookOf(n.goType) != nil || writesNull(n.goType)
}

// takesNull reports whether the type decodes null itself.
func (n *node) takesNull() bool {
	switch {
	case n.registered != nil:
		return n.registered.allowsNull()
	case n.kind == kindJSON:
		return readsNull(n)
	default:
		return n.kind == kindRaw
	}
}

// checkNames returns a mistake if the registered schema of a key cannot describe names.
func (s *typeSchema) checkNames(key *node) *mistake {
	want := "string"
	if key.kind == kindInt || key.kind == kindUint {
		want = "integer"
	}
	if s.jsonType() != want || s.allowsNull() {
		return &mistake{reason: "the names in a JSON object are texts, and the schema registered for " + key.goType.String() + " is of other values", fix: "use a string or integer key"}
	}
	return s.checkKeyText(key)
}

// checkKeyText returns a mistake if keys are not written in the form that the schema describes for values. In
// encoding/json, text methods do not write keys of kind string, and MarshalJSON writes no keys.
func (s *typeSchema) checkKeyText(key *node) *mistake {
	t := key.goType
	hasMethod := slices.ContainsFunc([]reflect.Type{jsonMarshaler, jsonUnmarshaler, textMarshaler, textUnmarshaler}, func(m reflect.Type) bool { return has(t, m) })
	if s.codec != nil || !hasMethod {
		return nil
	}
	fix := "use a key type without these methods, or register how values and keys are written, with reflectschema.TypeCodec"
	if s.values == nil && key.kind != kindText {
		return &mistake{reason: fmt.Sprintf("the keys are written as the Go %s, and the schema registered for %s describes what the methods of the type write", t.Kind(), t), fix: fix}
	}
	forms := s.schema.doc().Get("enum").Elements()
	for i, v := range s.values {
		form := string(forms[i].Raw)
		if forms[i].Kind == jsontext.KindString {
			form = forms[i].Text()
		}
		if name, err := keyText(key, v); err == nil && name != form { // the type of an input may have no method to write
			return &mistake{reason: fmt.Sprintf("the key %q would be written for the value %q that is registered for %s", show.Clip(name, show.MaxText), show.Clip(form, show.MaxText), t), fix: fix}
		}
	}
	return nil
}

// checkName checks a name against the registered schema of a key. It returns the requirement that the name violates, or
// "".
func (s *typeSchema) checkName(n *node, name string) string {
	value := quote(name)
	if n.kind == kindInt || n.kind == kindUint {
		value = []byte(name)
	}
	if invalid := (*InvalidError)(nil); errors.As(s.schema.Check(value), &invalid) {
		v := invalid.Violations[0]
		v.Got = ""
		return sentence(v)
	}
	return ""
}

// marshalName returns the member name for a key with a registered codec.
func marshalName(n *node, key reflect.Value) (string, error) {
	data, err := marshalOwn(n, key)
	if err != nil {
		return "", err
	}
	name, err := jsontext.AppendUnquote(nil, bytes.TrimSpace(data))
	return string(name), err
}
