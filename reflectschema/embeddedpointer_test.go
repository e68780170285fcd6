package reflectschema_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

type (
	// paged embeds a pointer to an unexported struct, which reflection cannot set.
	paged struct {
		*cursorOf
		Total int `json:"total"`
	}
	cursorOf struct {
		Next string `json:"next"`
	}
)

func TestEmbeddedPointerToUnexported(t *testing.T) {
	t.Parallel()
	out, err := reflectschema.CompileFor[paged](reflectschema.DirectionOutput)
	if err != nil {
		t.Fatal(err)
	}
	for want, value := range map[string]paged{`{"total":1}`: {Total: 1}, `{"next":"a","total":1}`: {&cursorOf{"a"}, 1}} {
		if got, err := out.AppendEncode(nil, reflect.ValueOf(value)); err != nil || string(got) != want {
			t.Errorf("AppendEncode: %s, %v; want %s", got, err, want)
		}
	}
	var dst paged
	if err := out.Decode([]byte(`{"total":1}`), reflect.ValueOf(&dst).Elem()); err != nil || dst.Total != 1 {
		t.Errorf("Decode: %v, %v", dst, err)
	}
	if err := out.Decode([]byte(`{"next":"a","total":1}`), reflect.ValueOf(&dst).Elem()); err == nil || !strings.Contains(err.Error(), "next: must be absent, because it belongs to an embedded pointer that cannot be set") {
		t.Errorf("Decode of an embedded pointer that cannot be set: %v", err)
	}
	if _, err := compileOwn(reflect.TypeFor[paged](), reflectschema.DirectionInput); err == nil || !strings.Contains(err.Error(), "its type is not exported; export the type") {
		t.Errorf("as an input: %v", err)
	}
}
