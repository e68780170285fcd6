package reflectschema

import (
	"bytes"
	"errors"
	"reflect"
)

// Marshal returns v as compact JSON to be stored, which [Unmarshal] of the same T reads back to an
// equal value. Unlike encoding/json it writes the discriminator of a union wherever T or a field
// has the interface type:
//
//	data, err := reflectschema.Marshal[Payment](card) // {"kind":"card",…}
//
// T is the type as it is known to the compiler: of card, which is a Card, Marshal(card) would write no
// discriminator. A nil pointer, interface or json.RawMessage is null; nil slices and maps are [] and {}, and
// are read back empty. Fields with omitempty or omitzero are left out when they are empty, and
// fields with the tag optional when they are zero; those that have a default are never left out, so their
// zero value must satisfy the constraints of their tags. What encoding/json does not carry is lost here as well: unexported fields, the monotonic clock of a [time.Time], the Go type of what
// an any holds.
//
// The error is a [TypeErrors] if T cannot be stored, for example because a type in it has
// MarshalJSON and no UnmarshalJSON, or is a [math/big.Float], whose text loses its precision; and an
// [*InvalidError] if v breaks the constraints in the tags of T, or has no JSON. Marshal is safe for
// concurrent use; the first call for a T compiles it.
func Marshal[T any](v T) ([]byte, error) {
	t, err := CompileFor[T](Options{Direction: Stored})
	if err != nil {
		return nil, err
	}
	value := reflect.ValueOf(&v).Elem()
	if hasNil(value.Kind()) && value.IsNil() {
		return []byte("null"), nil
	}
	return t.AppendEncode(nil, value)
}

// Unmarshal returns the T that data holds, one JSON value as [Marshal] writes it. It is strict: a
// member without a field is an error, unless a blank field lets it through; so is a member that is
// missing, unless its field has omitempty, omitzero, the tag optional, or a default. So give a
// default, or one of the others, to a field that is added after values have been stored. Left-out fields are
// zero. null is a nil pointer, interface, or the RawMessage null, and elsewhere an error.
//
// The error is a [TypeErrors] if T cannot be stored; and an [*InvalidError], which lists every mistake, if
// data does not fit. The T is then zero. Unmarshal is safe for concurrent use, and keeps nothing of data.
func Unmarshal[T any](data []byte) (T, error) {
	var v T
	t, err := CompileFor[T](Options{Direction: Stored})
	if err != nil {
		return v, err
	}
	value := reflect.ValueOf(&v).Elem()
	if hasNil(value.Kind()) && string(bytes.TrimSpace(data)) == "null" {
		return v, nil
	}
	err = t.Decode(data, value)
	if invalid, ok := errors.AsType[*InvalidError](err); ok {
		invalid.shown = nil // nobody is to write it again from an example
	}
	return v, err
}

// hasNil reports whether a root value of the kind may be nil, and then is null: the schema of a root does
// not speak of it.
func hasNil(k reflect.Kind) bool { return k == reflect.Pointer || k == reflect.Interface }

// UnmarshalLenient returns the T in data as far as it is there: for the messages of a protocol, whose peers
// may leave members out and add some of their own. It decodes as [Type.Decode] does by [Input] options, but takes
// members without a field, null for anything, and what breaks the constraints in tags. A member that is absent
// or null has its default, or is zero, whatever its type. Null elsewhere, such as in an array, is zero, unless
// the type reads null itself: as [json.RawMessage] does, or by a registered schema that allows null. The types
// that it makes are those of T, unions by their discriminator.
//
// The error is a [TypeErrors] if T is no input; and an [*InvalidError] if data is not one JSON value with unique
// names, or has a value of another type than its field. The T is then zero. UnmarshalLenient is safe for
// concurrent use, and keeps nothing of data.
func UnmarshalLenient[T any](data []byte) (T, error) {
	var v, none T
	t, err := CompileFor[T](Options{Direction: Input})
	if err != nil {
		return none, err
	}
	if err := checkStrict(data); err != nil {
		return none, err
	}
	if err := t.read(data, reflect.ValueOf(&v).Elem(), true); err != nil {
		return none, err
	}
	return v, nil
}

// AppendValue appends any Go value to dst as compact JSON, by the type that it has: as
// [Type.AppendEncode] does by [Output] options, checked against the constraints in its tags. It is
// for values whose type is known only when they are there. A nil value or pointer is null. A pointer is what it
// points at, so that a pointer to an interface writes a union with its discriminator; a member of a union by
// itself has none.
//
// The error is a [TypeErrors] if the type has no JSON, else as for AppendEncode; the bytes returned
// then are dst as it was. AppendValue is safe for concurrent use.
func AppendValue(dst []byte, value any) ([]byte, error) {
	return appendValueFor(&room{}, dst, value)
}

// appendValueFor is AppendValue for a call; see [private.Checks].
func appendValueFor(r *room, dst []byte, value any) ([]byte, error) {
	if value == nil {
		return append(dst, "null"...), nil
	}
	v := reflect.ValueOf(value)
	t, err := Compile(v.Type(), Options{Direction: Output})
	if err != nil {
		return dst, err
	}
	// A type that points at nothing but itself does not compile, so this ends.
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
	return t.appendFor(r, dst, v)
}
