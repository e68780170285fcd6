package codec

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// Errors for a method of a user's type that panicked, or that is missing.
var (
	errPanicked = errors.New("its method panicked")
	errNone     = errors.New("the method does not exist")
)

// contain runs fn, which calls into a user's type, and turns a panic into an error.
func contain(fn func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanicked
		}
	}()
	return fn()
}

// methodsOf returns v as an M if its type implements M, otherwise a pointer to v or to a copy. It returns false if neither
// does.
func methodsOf[M any](v reflect.Value) (M, bool) {
	if !v.Type().Implements(reflect.TypeFor[M]()) {
		v = AddressOf(v)
	}
	m, ok := v.Interface().(M)
	return m, ok
}

// AddressOf returns a pointer to v, or to a copy of v if it is not addressable.
func AddressOf(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v.Addr()
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p
}

// MarshalText returns the text that the MarshalText method of a value writes.
func MarshalText(v reflect.Value) (string, error) {
	m, ok := methodsOf[encoding.TextMarshaler](v)
	if !ok {
		return "", errNone
	}
	var text []byte
	err := contain(func() (err error) {
		text, err = m.MarshalText()
		return err
	})
	return string(text), err
}

// MarshalJSON returns the JSON that the MarshalJSON method of a value writes. It also writes a type that has only UnmarshalJSON, in adapters and tests, where an input is written.
func MarshalJSON(v reflect.Value) ([]byte, error) {
	m, ok := methodsOf[json.Marshaler](v)
	var data []byte
	err := contain(func() (err error) {
		if ok {
			data, err = m.MarshalJSON()
		} else {
			data, err = json.Marshal(v.Interface()) // calls the methods of the fields
		}
		return err
	})
	return data, err
}

// UnmarshalText reads a text with the UnmarshalText method of dst, which must be addressable.
func UnmarshalText(dst reflect.Value, s string) error {
	u, ok := dst.Addr().Interface().(encoding.TextUnmarshaler)
	if !ok {
		return errNone
	}
	return contain(func() error { return u.UnmarshalText([]byte(s)) })
}

// UnmarshalJSON reads JSON with the UnmarshalJSON method of dst, which must be addressable.
func UnmarshalJSON(dst reflect.Value, raw []byte) error {
	u, ok := dst.Addr().Interface().(json.Unmarshaler)
	if !ok {
		return errNone
	}
	return contain(func() error { return u.UnmarshalJSON(raw) })
}

// marshalOwn returns the JSON that the registered function or MarshalJSON writes.
func marshalOwn(n *Node, v reflect.Value) (data []byte, err error) {
	if n.Functions == nil {
		return MarshalJSON(v)
	}
	err = contain(func() (err error) {
		data, err = n.Functions.Marshal(AddressOf(v).Interface())
		return err
	})
	return data, err
}

// errMemory is the error for a value that would take more memory than is left.
var errMemory = errors.New("out of memory")

// unmarshalOwn decodes JSON with the registered function or UnmarshalJSON, which may keep raw.
func unmarshalOwn(n *Node, dst reflect.Value, raw []byte, m *rules.Memory) error {
	if n.Functions != nil {
		return contain(func() error { return n.Functions.Unmarshal(raw, dst.Addr().Interface()) })
	}
	if n.IsBigInt() {
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
	err := UnmarshalJSON(dst, raw)
	if err == nil || !bytes.ContainsAny(raw, ".eE") || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return err
	}
	// 1.0 and 1e2 are integers in JSON Schema, which encoding/json does not read.
	whole, ok := integer(string(raw))
	if !ok || !m.Take(len(raw)) {
		return err
	}
	dst.SetZero()
	return UnmarshalJSON(dst, whole.Append(nil, 10))
}

// hasNull reports whether null is a value of a type with JSON methods: the type has a JSONSchema method, which may allow
// null, or writes its zero value as null.
func hasNull(n *Node) bool {
	if n.Described {
		return true
	}
	raw, err := MarshalJSON(reflect.New(n.GoType).Elem())
	return err == nil && string(bytes.TrimSpace(raw)) == "null"
}

// unmarshalNull decodes null for an optional member of a type with JSON methods. It reports whether null is a value of
// the type; otherwise the member is absent, and dst is zero. By the convention of encoding/json, most UnmarshalJSON
// methods ignore null.
func unmarshalNull(n *Node, dst reflect.Value, m *rules.Memory) bool {
	err := unmarshalOwn(n, dst, []byte("null"), m)
	if err == nil && (!dst.IsZero() || hasNull(n)) {
		return true
	}
	dst.SetZero()
	return false
}

// takesNull reports whether the type decodes null itself.
func (n *Node) takesNull() bool {
	switch {
	case n.Registered != nil:
		return n.Registered.Check([]byte("null"), nil) == nil
	case n.Kind == KindJSON:
		return hasNull(n)
	default:
		return n.Kind == KindRaw
	}
}

// requirement returns the requirement of the registered schema of a key that a member name does not meet, or "".
func (n *Node) requirement(name string, work *authority.Budget) string {
	if n.Kind == KindInt || n.Kind == KindUint {
		return n.Registered.Requirement([]byte(name), work)
	}
	return n.Registered.Requirement(jsondoc.AppendString(nil, name), work)
}

// KeyText returns the text of a map key, unchecked.
func KeyText(n *Node, key reflect.Value) (string, error) {
	switch n.Kind {
	case KindString:
		return key.String(), nil
	case KindInt:
		return strconv.FormatInt(key.Int(), 10), nil
	case KindUint:
		return strconv.FormatUint(key.Uint(), 10), nil
	case KindJSON:
		return marshalName(n, key)
	default:
		if key.Kind() == reflect.Pointer && key.IsNil() {
			return "", nil // as in encoding/json
		}
		return MarshalText(key)
	}
}

// marshalName returns the member name for a key with a registered codec.
func marshalName(n *Node, key reflect.Value) (string, error) {
	data, err := marshalOwn(n, key)
	if err != nil {
		return "", err
	}
	data = bytes.TrimSpace(data)
	if err := rawjson.Valid(data, 0); err != nil {
		return "", err
	}
	if rawjson.KindOf(data) != rawjson.String {
		return "", errors.New("the name of a member must be a string")
	}
	return string(rawjson.Unquote(data)), nil
}
