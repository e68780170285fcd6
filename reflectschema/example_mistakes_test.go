package reflectschema_test

import (
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// All mistakes in a type are reported at once, each with a fix.
func ExampleTypeErrors() {
	type item struct {
		Quantity int       `json:"qty" jsonschema:"minimun=1"`
		Done     chan bool `json:"done"`
		State    string    `json:"state" jsonschema:"enum=open,enum=closed,default=opened"`
	}
	type order struct {
		Items []item `json:"items" jsonschema:"minItems=3,maxItems=1"`
	}
	_, err := reflectschema.Compile(reflect.TypeFor[order](), reflectschema.DirectionInput)
	fmt.Println(err)
	// Output:
	// reflectschema_test.order.Items (items): `minItems=3,maxItems=1`: no array meets minItems 3 and maxItems 1; correct one of them
	// reflectschema_test.item.Quantity (items[].qty): `minimun=1`: unknown keyword "minimun"; write minimum
	// reflectschema_test.item.Done (items[].done): chan bool has no form in JSON; leave the field out with json:"-"
	// reflectschema_test.item.State (items[].state): `default=opened`: the value does not fit the field: must be one of "open", "closed", got "opened"; did you mean "open"; correct the value or the tag
}
