package mcptooltest_test

import (
	"context"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

type CancelOrderIn struct {
	_     struct{} `mcp:"name=cancel_order,destructive"`
	Order int      `json:"order" doc:"The number of the order."`
}

type ListOrdersIn struct {
	_        struct{} `mcp:"name=list_orders,readOnly"`
	Customer string   `json:"customer" doc:"The email address of the customer."`
}

// A test checks that a client that searches tools finds the right one for what users ask.
func ExampleAssertFound() {
	_ = func(t *testing.T) { //nolint:thelper // it is the test TestOrdersFound
		testOrdersFound(t)
	}
}

func testOrdersFound(t *testing.T) {
	t.Helper()
	mcptooltest.AssertFound(t, orderTools(t), map[string][]string{
		"refund a customer":               {"cancel_order"},
		"did the parcel of Ada ship":      {"list_orders"},
		"stop an order before it is sent": {"cancel_order"},
	})
}

// TestOrdersFound runs the example.
func TestOrdersFound(t *testing.T) {
	t.Parallel()
	testOrdersFound(t)
}

// orderTools returns the tools of the example.
func orderTools(t *testing.T) *mcptool.Registry {
	t.Helper()
	cancelOrder, err := mcptool.New(func(context.Context, CancelOrderIn) (string, error) { return "cancelled", nil },
		mcptool.Description("Cancels an order and refunds the customer."))
	if err != nil {
		t.Fatal(err)
	}
	listOrders, err := mcptool.New(func(context.Context, ListOrdersIn) ([]int, error) { return nil, nil },
		mcptool.Description("Lists the orders of a customer, and whether the parcel of each has shipped."))
	if err != nil {
		t.Fatal(err)
	}
	registry := &mcptool.Registry{}
	if err := registry.Add(cancelOrder, listOrders); err != nil {
		t.Fatal(err)
	}
	return registry
}
