package reflectschema

import "encoding/json"

// An Optional is a field that is absent, null or a value, such as an argument of a tool that updates a record. The zero
// value is absent.
//
//	var absent Optional[string]
//	null := Optional[string]{Null: true}
//	value := Optional[string]{Value: new("ana")}
//
// It is used as the field of a struct, in each [Direction]. The schema of the field allows T and null and never requires
// the field, whatever its json tag; an absent field is omitted. The tags of the field apply to T, except default and
// required, which are errors. An Optional that is an element of a slice, an array or a map, or that a pointer points at,
// is an error, because it cannot be absent; so is one of a pointer or of another Optional.
//
// encoding/json reads the same JSON, and writes it if the field has omitzero. It writes null for an absent field without
// omitzero, and what it writes for T.
type Optional[T any] struct {
	// Value points to the value; nil if the field is absent or null.
	Value *T
	// Null means that the field is null. It is ignored if Value is not nil.
	Null bool
}

// IsSet reports whether the field is present, as null or as a value.
func (o Optional[T]) IsSet() bool { return o.Value != nil || o.Null }

// MarshalJSON returns the JSON of the value, or null. [Marshal] and [AppendValue] do not call it.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	return json.Marshal(o.Value)
}

// UnmarshalJSON sets the Optional to null or to a value. [Unmarshal] and [Type.Decode] do not call it.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	*o = Optional[T]{}
	var value *T
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	*o = Optional[T]{Value: value, Null: value == nil}
	return nil
}
