package reflectschema_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// everyField has a field of each kind that a form can have.
type everyField struct {
	Class  string   `json:"class" jsonschema:"enum=1,enum=2,enumTitle=First,enumTitle=Second,default=2"`
	Extras []string `json:"extras,omitempty" jsonschema:"enum=bike,enum=dog,maxItems=2"`
	Age    int8     `json:"age" jsonschema:"exclusiveMinimum=-1"`
	Rate   float64  `json:"rate,omitempty" jsonschema:"maximum=9.5"`
	Day    string   `json:"day,omitempty" jsonschema:"format=date"`
	Note   *string  `json:"note" jsonschema:"minLength=2,maxLength=5"`
	Yes    bool     `json:"yes" jsonschema:"default=true"`
}

// FuzzFormDecode: an answer that fits the published form is decoded, and decoded values fit the form.
func FuzzFormDecode(f *testing.F) {
	compiled, err := reflectschema.Compile(reflect.TypeFor[everyField](), reflectschema.DirectionInput)
	if err != nil {
		f.Fatal(err)
	}
	form, err := compiled.Form()
	if err != nil {
		f.Fatal(err)
	}
	text, err := form.Schema(true)
	if err != nil {
		f.Fatal(err)
	}
	shown, err := reflectschema.ParseSchema(text)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		`{"age":1}`, `{"age":0,"class":"1","extras":["dog","bike"],"rate":9.5,"day":"2026-07-28","note":"hello","yes":false}`,
		`{"age":127.0,"more":{"x":1}}`, `{"age":128}`, `{"age":-1}`, `{"age":null}`, `{"age":1,"note":null}`, `{"age":1,"class":"3"}`,
		`{"age":1,"extras":["dog","dog"]}`, `{"age":1,"extras":["cat"]}`, `{"age":1,"day":"yesterday"}`, `{"age":1e0,"rate":1e1}`, `[]`, ``, `{`, `7`,
	} {
		f.Add([]byte(seed))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		defer watch()()
		var got everyField
		err := form.Decode(data, reflect.ValueOf(&got).Elem())
		if len(data) > 0 && shown.Check(data) == nil && err != nil {
			t.Errorf("%s fits the form, but is refused: %v", data, err)
		}
		if err != nil {
			if _, ok := errors.AsType[*reflectschema.InvalidError](err); !ok || !reflect.ValueOf(got).IsZero() {
				t.Errorf("%s: got %+v and error %v", data, got, err)
			}
			return
		}
		if len(got.Extras) == 0 {
			got.Extras = nil // as omitempty omits it
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var second everyField
		if err := form.Decode(again, reflect.ValueOf(&second).Elem()); err != nil || !reflect.DeepEqual(got, second) {
			t.Errorf("%s decoded to %+v, and its JSON to %+v, %v", data, got, second, err)
		}
	})
}
