package mcptool_test

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

type OrderIn struct {
	_  struct{} `mcp:"name=get_order,readOnly" doc:"One order"`
	ID int      `json:"id" jsonschema:"minimum=1"`
}

type OrderOut struct {
	Status string `json:"status" doc:"How far the order is"`
}

func GetOrder(_ context.Context, in OrderIn) (OrderOut, error) {
	if in.ID != 42 {
		return OrderOut{}, mcptool.Errorf("there is no order %d; list_orders returns all of them", in.ID)
	}
	return OrderOut{Status: "sent"}, nil
}

// The model reads the text of an error, so the text suggests what to do next. An argument that the schema forbids does
// not reach the func.
func ExampleErrorf() {
	tool, err := mcptool.New(GetOrder)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, arguments := range []string{`{"id":7}`, `{"id":0}`} {
		_, err := tool.Call(context.Background(), []byte(arguments))
		fmt.Println(err)
	}
	// Output:
	// there is no order 7; list_orders returns all of them
	// get_order: invalid arguments
	// id: must be at least 1, got 0
	// Example: {"id":1}
}
