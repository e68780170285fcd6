package reflectschema_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestBytesLength checks that schema, plan, decoder and encoder agree about the length of bytes: 4 base64 characters
// for each 3 bytes or part of them.
func TestBytesLength(t *testing.T) {
	t.Parallel()
	type input struct {
		Blob []byte `json:"blob" jsonschema:"minLength=4,maxLength=8"`
	}
	compiled, err := reflectschema.Compile(reflect.TypeFor[input](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	for size := range 10 {
		in := input{Blob: make([]byte, size)}
		want := 1 <= size && size <= 6
		data := fmt.Appendf(nil, `{"blob":%q}`, strings.Repeat("AAAA", (size+2)/3))
		got := input{}
		decoded := compiled.Decode(data, reflect.ValueOf(&got).Elem())
		_, encoded := compiled.AppendEncode(nil, reflect.ValueOf(in))
		judged := compiled.Schema().Judge(data)
		if (decoded == nil) != want || (encoded == nil) != want || (judged == nil) != want {
			t.Errorf("%d bytes: Decode %v, AppendEncode %v, the authority %v; want %t", size, decoded, encoded, judged, want)
		}
	}
	for tag, want := range map[string]string{
		"minLength=12":            `Example: {"blob":"aGVsaGVsbG8="}`,
		"minLength=4,maxLength=4": `Example: {"blob":"aGVs"}`,
		"maxLength=0":             `Example: {"blob":""}`,
	} {
		goType := reflect.StructOf([]reflect.StructField{{Name: "B", Type: reflect.TypeFor[[]byte](), Tag: reflect.StructTag(fmt.Sprintf(`json:"blob" jsonschema:%q`, tag))}})
		compiled, err := reflectschema.Compile(goType, reflectschema.DirectionInput)
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Decode([]byte("{}"), reflect.New(goType).Elem()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", tag, err, want)
		}
	}
}
