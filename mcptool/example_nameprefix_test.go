package mcptool_test

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

type (
	Orders    struct{}
	Customers struct{}
	ByID      struct {
		ID int `json:"id"`
	}
)

func (Orders) Get(_ context.Context, in ByID) (string, error) {
	return fmt.Sprint("order ", in.ID), nil
}

func (Customers) Get(_ context.Context, in ByID) (string, error) {
	return fmt.Sprint("customer ", in.ID), nil
}

// Two services have a method of the same name.
func ExampleNamePrefix() {
	mcptool.RegisterService(Orders{}, mcptool.NamePrefix("orders_"))
	mcptool.RegisterService(Customers{}, mcptool.NamePrefix("customers_"))
	defer removeTools(mcptool.Default)

	for tool := range mcptool.Default.Tools() {
		fmt.Println(tool.Info().Name)
	}
	// Output:
	// customers_get
	// orders_get
}
