package reflectschema

import "reflect"

// AppendValue appends any Go value to dst as compact JSON, by the type that it has: as
// [Type.AppendEncode] does by [Output] options, checked against the constraints in its tags. It is
// for values whose type is known only when they are there. A nil value or pointer is null. A pointer is what it
// points at, so that a pointer to an interface writes a union with its discriminator; a member of a union by
// itself has none.
//
// The error is a [TypeErrors] if the type has no JSON, else as for AppendEncode; the bytes returned
// then are dst as it was. AppendValue is safe for concurrent use.
func AppendValue(dst []byte, value any) ([]byte, error) {
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
	return t.AppendEncode(dst, v)
}
