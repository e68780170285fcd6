package reflectschema_test

import (
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Decode reads what fits the schema of a type, and fills in defaults.
func ExampleType_Decode() {
	type Query struct {
		Text  string `json:"text" jsonschema:"minLength=1"`
		Limit int    `json:"limit" jsonschema:"minimum=1,maximum=50,default=10"`
	}
	typ, err := reflectschema.Compile(reflect.TypeFor[Query](), reflectschema.DirectionInput)
	if err != nil {
		fmt.Println(err)
		return
	}
	var q Query
	fmt.Println(typ.Decode([]byte(`{"text":"llama"}`), reflect.ValueOf(&q).Elem()))
	fmt.Printf("%+v\n", q)
	fmt.Println(typ.Decode([]byte(`{"text":"llama","limit":"5"}`), reflect.ValueOf(&q).Elem()))
	// Output:
	// <nil>
	// {Text:llama Limit:10}
	// limit: must be an integer, got the string "5"
	// Example: {"text":"text","limit":10}
}
