package reflectschema

import "reflect"

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
