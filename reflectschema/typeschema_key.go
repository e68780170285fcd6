package reflectschema

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// checkNames finds out whether the registered schema of a key can describe names.
func (s *typeSchema) checkNames(key *node) *fault {
	want := "string"
	if key.kind == kindInt || key.kind == kindUint {
		want = "integer"
	}
	if s.jsonType() != want || s.allowsNull() {
		return &fault{reason: "the names in a JSON object are texts, and the schema registered for " + key.goType.String() + " is of other values", fix: "use a string or integer key"}
	}
	return s.checkKeyText(key)
}

// checkKeyText finds out whether keys are written as the schema describes values of their type. They need
// not be: as in encoding/json, methods that write a value do not write a key that is a string, and
// MarshalJSON writes no key at all.
func (s *typeSchema) checkKeyText(key *node) *fault {
	t := key.goType
	hasMethod := slices.ContainsFunc([]reflect.Type{jsonMarshaler, jsonUnmarshaler, textMarshaler, textUnmarshaler}, func(m reflect.Type) bool { return has(t, m) })
	if s.codec != nil || !hasMethod {
		return nil
	}
	fix := "use a key type without these methods, or register how values and keys are written, with reflectschema.TypeCodec"
	if s.values == nil && key.kind != kindText {
		return &fault{reason: fmt.Sprintf("the keys are written as the Go %s, and the schema registered for %s describes what the methods of the type write", t.Kind(), t), fix: fix}
	}
	forms := s.schema.doc().Get("enum").Elements()
	for i, v := range s.values {
		form := string(forms[i].Raw)
		if forms[i].Kind == jsontext.KindString {
			form = forms[i].Text()
		}
		if name, err := keyText(key, v, nil); err == nil && name != form { // an input may have no way to write
			return &fault{reason: fmt.Sprintf("the key %q would be written for the value %q that is registered for %s", show.Clip(name, show.MaxText), show.Clip(form, show.MaxText), t), fix: fix}
		}
	}
	return nil
}

// checkName returns what a name must be that does not fit the registered schema of a
// key, "" if it does.
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

// marshalName returns the name that a key with a registered codec is written as.
func marshalName(n *node, key reflect.Value) (string, error) {
	data, err := marshalOwn(n, key)
	if err != nil {
		return "", err
	}
	name, err := jsontext.AppendUnquote(nil, bytes.TrimSpace(data))
	return string(name), err
}
