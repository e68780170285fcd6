package reflectschema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"time"
)

var (
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// has reports whether a type or a pointer to it has the methods of an interface.
func has(t, iface reflect.Type) bool {
	return t.Implements(iface) || reflect.PointerTo(t).Implements(iface)
}

// known decides the types of the standard library whose JSON is not what their
// methods or fields would tell.
func (r *resolver) known(n *node, at place) bool {
	switch n.goType {
	case reflect.TypeFor[time.Time]():
		n.kind = kindTime
	case reflect.TypeFor[json.Number]():
		n.kind = kindNumber
	case reflect.TypeFor[json.RawMessage]():
		n.kind = kindRaw
	case reflect.TypeFor[url.URL]():
		r.refuse(at, "encoding/json writes url.URL as an object of its eleven fields, not as a URL", `use string with jsonschema:"format=uri"`)
	default:
		return false
	}
	return true
}

// methods decides the types that write or read their own JSON or text. The
// half that the direction needs must be there: without it encoding/json would
// go by the Go fields on one side only.
func (r *resolver) methods(n *node, at place) bool {
	t := n.goType
	if t.Kind() == reflect.Interface {
		return false
	}
	for _, p := range []struct {
		kind           nodeKind
		encode, decode reflect.Type
	}{
		{kindJSON, jsonMarshaler, jsonUnmarshaler},
		{kindText, textMarshaler, textUnmarshaler},
	} {
		encode, decode := p.encode.Method(0).Name, p.decode.Method(0).Name
		used, iface := decode, p.decode
		if r.direction == Output {
			used, iface = encode, p.encode
		}
		switch {
		case has(t, iface):
			n.kind = p.kind
			r.promoted(t, at, used)
			return true
		case has(t, p.encode) || has(t, p.decode):
			r.half(t, at, encode, decode)
			return true
		}
	}
	return false
}

// promoted refuses a struct that is written or read by a method of an embedded
// field, which knows nothing of the other fields.
func (r *resolver) promoted(t reflect.Type, at place, method string) {
	if declares(t, method) {
		return
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && !f.Anonymous && f.Tag.Get("json") != "-" {
			r.refuse(at, fmt.Sprintf("%s is promoted from an embedded field, so %s never reaches the JSON", method, f.Name), "give the embedded field a json name")
			return
		}
	}
}

// half refuses a type that has only the method which this direction does not use.
func (r *resolver) half(t reflect.Type, at place, encode, decode string) {
	there, missing, use := encode, decode, "an input"
	if r.direction == Output {
		there, missing, use = decode, encode, "an output"
	}
	r.refuse(at, fmt.Sprintf("%s has %s but no %s, which %s needs", t, there, missing, use), "add "+missing)
}
