package verdict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// output checks the encoding of a value, or its rejection, against the judge.
func (s side) output(v reflect.Value) (f finding) {
	defer func() {
		if p := recover(); p != nil {
			f = wrongf("panic: %v", p)
		}
	}()
	return encoded(s, v)
}

func encoded(s side, v reflect.Value) (f finding) {
	data, err := encode(s, v)
	if err != nil {
		return s.unwritten(v, err)
	}
	refused := s.judge.refuses(data)
	f.valid, f.taken = refused == nil, true
	if refused != nil {
		if f.class = excuse(s.judge, data); f.class == "" {
			f.wrong = fmt.Sprintf("encoded as %s, which the reference validator rejects: %v", data, refused)
		}
		return f
	}
	back := reflect.New(v.Type()).Elem()
	if err := s.Decode(data, back); err != nil {
		f.wrong = fmt.Sprintf("encoded as %s, which cannot be decoded: %v", data, err)
		return f
	}
	again, err := encode(s, back)
	if s.hasDefaults() && isEmbeddedAdded(v, back) {
		f.class = defaultInPointer
		return f
	}
	if err != nil || !bytes.Equal(data, again) && !s.isSameOnceRead(data, again, v.Type()) {
		f.wrong = fmt.Sprintf("encoded as %s, and after decoding as %s (%v)", data, again, err)
	}
	return f
}

// defaultInPointer is the name of the difference found by [encoded].
const defaultInPointer = "default inside a nil embedded pointer"

// isEmbeddedAdded reports whether an embedded pointer is nil in before and set in after: a default inside the struct
// allocates it, and the zero values of its other fields may then violate their constraints.
func isEmbeddedAdded(before, after reflect.Value) bool {
	switch before.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !before.IsNil() && !after.IsNil() && before.Elem().Type() == after.Elem().Type() && isEmbeddedAdded(before.Elem(), after.Elem())
	case reflect.Slice, reflect.Array:
		for i := range min(before.Len(), after.Len()) {
			if isEmbeddedAdded(before.Index(i), after.Index(i)) {
				return true
			}
		}
	case reflect.Map:
		for key, value := range before.Seq2() {
			if other := after.MapIndex(key); other.IsValid() && isEmbeddedAdded(value, other) {
				return true
			}
		}
	case reflect.Struct:
		for i := range before.NumField() {
			f, x, y := before.Type().Field(i), before.Field(i), after.Field(i)
			if f.Anonymous && f.Type.Kind() == reflect.Pointer && x.IsNil() && !y.IsNil() || isEmbeddedAdded(x, y) {
				return true
			}
		}
	default:
	}
	return false
}

// isSameOnceRead reports whether the encoding of a decoded value differs from the original only as with encoding/json.
// A pointer to a nil pointer is decoded as nil and then omitted; so is an empty non-nil list that omitzero keeps, once
// omitempty has omitted it. Map keys with invalid UTF-8 are sorted unchanged, and encoded with U+FFFD. In an input, a
// nil pointer is omitted and decoded as the default. If members may have been added as well as omitted, the encoding must
// stay the same from then on.
func (s side) isSameOnceRead(data, again []byte, goType reflect.Type) bool {
	if bytes.Contains(data, []byte("\ufffd")) && sameJSON(data, again) {
		return true
	}
	before, errBefore := parse(data)
	after, errAfter := parse(again)
	if errBefore != nil || errAfter != nil {
		return false
	}
	if s.direction == reflectschema.DirectionInput && s.hasDefaults() && before.withoutNull().isWithin(after) {
		return true
	}
	omits := hasTag(goType, "omitzero", map[reflect.Type]bool{})
	if omits && s.direction == reflectschema.DirectionInput && s.hasDefaults() && s.isStable(again, goType) {
		return true
	}
	return omits && after.isWithin(before) || bytes.Equal(before.withoutNull().JSON(), after.withoutNull().JSON())
}

// isStable reports whether data is decoded as a value with the encoding data.
func (s side) isStable(data []byte, goType reflect.Type) bool {
	value := reflect.New(goType).Elem()
	if err := s.Decode(data, value); err != nil {
		return false
	}
	again, err := encode(s, value)
	return err == nil && bytes.Equal(data, again)
}

func (s side) hasDefaults() bool { return bytes.Contains(s.Schema().JSON(), []byte(`"default":`)) }

// unwritten checks a value that cannot be encoded: encoding/json must also reject it, or its output must be invalid.
func (s side) unwritten(v reflect.Value, err error) finding {
	if invalid := (*reflectschema.InvalidError)(nil); !errors.As(err, &invalid) {
		return wrongf("not encoded, with a %T: %v", err, err)
	}
	naive, errNaive := json.Marshal(withoutNil(v).Interface())
	if errNaive != nil || s.hasDefaults() {
		return finding{} // encoding/json omits an empty member with a default, which changes the value
	}
	refused := s.judge.refuses(naive)
	f := finding{valid: refused == nil}
	if refused != nil {
		return f
	}
	return f.refusal(err, v.Type(), s.judge, naive)
}
