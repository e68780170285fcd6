package reflectschema

import (
	"bytes"
	"errors"
	"reflect"
)

// Marshal returns v as compact JSON to be stored. [Unmarshal] of the same T reads it back to an equal value. Unlike
// encoding/json, Marshal writes the discriminator of a union wherever T or a field has the interface type:
//
//	data, err := reflectschema.Marshal[Payment](card) // {"kind":"card",…}
//
// T must be the interface: if card is a Card, Marshal(card) writes no discriminator. A nil pointer, interface or
// json.RawMessage is written as null; nil slices and maps are written as [] and {}, and read back empty. A field
// without a default is omitted if it has omitempty and is empty, or if it has omitempty, omitzero or the tag optional
// and is zero. A field with a default is never omitted, so its zero value must satisfy its other tags. As with
// encoding/json, unexported fields, the monotonic clock of a [time.Time] and the Go type of the value in an any are
// lost.
//
// The error is a [TypeErrors] if T cannot be stored, for example because a type in it has MarshalJSON and no
// UnmarshalJSON, or is a [math/big.Float], whose text loses its precision; and an [*InvalidError] if v violates the tags of T
// or cannot be written. Marshal is safe for concurrent use; the first call for a T compiles it.
func Marshal[T any](v T) ([]byte, error) {
	t, err := Compile(reflect.TypeFor[T](), DirectionStored)
	if err != nil {
		return nil, err
	}
	value := reflect.ValueOf(&v).Elem()
	if hasNil(value.Kind()) && value.IsNil() {
		return []byte("null"), nil
	}
	return t.appendWithin(nil, value, room{})
}

// Unmarshal decodes data, one JSON value as [Marshal] writes it. A member without a field is an error, unless a blank field
// has additionalProperties=true. So is an absent member, unless its field has omitempty, omitzero, the tag optional or a
// default; give one of these to a field that is added after values have been stored. An absent field has its default, or
// is zero. null is read as a nil pointer, a nil interface or the RawMessage null at the root; elsewhere it is an error,
// unless the field may be null.
//
// The error is a [TypeErrors] if T cannot be stored; and an [*InvalidError] with up to ten violations if data does not
// fit. With an error, the result is the zero value. Unmarshal is safe for concurrent use, and does not retain data.
func Unmarshal[T any](data []byte) (T, error) {
	var v T
	t, err := Compile(reflect.TypeFor[T](), DirectionStored)
	if err != nil {
		return v, err
	}
	value := reflect.ValueOf(&v).Elem()
	if hasNil(value.Kind()) && string(bytes.TrimSpace(data)) == "null" {
		return v, nil
	}
	err = t.Decode(data, value)
	if invalid, ok := errors.AsType[*InvalidError](err); ok {
		invalid.shown = nil // stored data is not corrected from an example
	}
	return v, err
}

// hasNil reports whether a root value of the kind may be nil. A nil root is written as null, although the schema of a
// root does not allow null.
func hasNil(k reflect.Kind) bool { return k == reflect.Pointer || k == reflect.Interface }

// AppendValue appends value to dst as compact JSON that fits the schema of its dynamic type for [DirectionOutput]. It
// follows the rules of encoding/json, with the differences in the package documentation. A nil value or pointer is written as null. For any other pointer, the value that it points at is written, so a pointer to an
// interface writes a union with its discriminator; a struct of a union by itself has none.
//
// The error is a [TypeErrors] if the type cannot be compiled as an output, and an [*InvalidError] if the value cannot be
// written (NaN, a value that contains itself, a method that fails or panics) or does not fit the schema; its text has no
// example, because its reader did not write the value. With an error, the result is dst unchanged. AppendValue may
// overwrite the capacity of dst beyond the result. It is safe for concurrent use; the first call for a type compiles it.
func AppendValue(dst []byte, value any) ([]byte, error) {
	return appendValueWithin(dst, value, room{})
}

// appendValueWithin is AppendValue for JSON of limited length.
func appendValueWithin(dst []byte, value any, r room) ([]byte, error) {
	if value == nil {
		return append(dst, "null"...), nil
	}
	v := reflect.ValueOf(value)
	t, err := Compile(v.Type(), DirectionOutput)
	if err != nil {
		return dst, err
	}
	// This terminates: a type that points only at itself does not compile.
	at := v
	for hasNil(at.Kind()) {
		if at.IsNil() {
			return append(dst, "null"...), nil
		}
		if at.Kind() == reflect.Interface {
			break
		}
		at = at.Elem()
	}
	return t.appendWithin(dst, v, r)
}
