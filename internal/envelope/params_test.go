package envelope_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

// TestClone checks that a clone is equal, survives overwriting the text of the message, and keeps absent members nil.
func TestClone(t *testing.T) {
	t.Parallel()
	var params envelope.Params
	parts := byteFields(reflect.ValueOf(&params).Elem())
	if len(parts) < 10 {
		t.Fatalf("only %d fields", len(parts))
	}
	for _, part := range parts {
		part.SetBytes([]byte("text"))
	}
	clone := params.Clone()
	for _, part := range parts {
		copy(part.Bytes(), "####")
	}
	for i, part := range byteFields(reflect.ValueOf(&clone).Elem()) {
		if !bytes.Equal(part.Bytes(), []byte("text")) {
			t.Errorf("field %d is %q", i, part.Bytes())
		}
	}
	if none := (&envelope.Params{}).Clone(); !reflect.DeepEqual(none, envelope.Params{}) {
		t.Errorf("the clone of nothing is %+v", none)
	}
}

// byteFields returns the []byte fields of a struct, including nested ones.
func byteFields(v reflect.Value) (fields []reflect.Value) {
	for _, field := range v.Fields() {
		switch {
		case field.Kind() == reflect.Struct:
			fields = append(fields, byteFields(field)...)
		case field.Kind() == reflect.Slice:
			fields = append(fields, field)
		}
	}
	return fields
}
