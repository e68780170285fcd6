package reflectschema_test

import (
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Decimal stands here for a type of another module with its own JSON methods. One line
// registers the schema of the JSON that they write:
//
//	func init() {
//		reflectschema.RegisterSchema[Decimal](`{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]+)?$"}`)
//	}
func ExampleRegisterSchema() {
	type offer struct {
		Price Decimal `json:"price" jsonschema:"maxLength=10" doc:"In euros"`
	}
	compiled, err := reflectschema.Compile(reflect.TypeFor[offer](), reflectschema.DirectionInput)
	if err != nil {
		fmt.Println(err)
		return
	}
	var in offer
	err = compiled.Decode([]byte(`{"price":9.99}`), reflect.ValueOf(&in).Elem())
	fmt.Println(err)
	// Output:
	// price: must be a string, got the number 9.99
	// Example: {"price":"1"}
}
