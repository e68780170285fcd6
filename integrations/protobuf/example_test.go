package protobuf_test

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/mcptool-go/mcptool/integrations/protobuf"
	"github.com/mcptool-go/mcptool/integrations/protobuf/testdata/orderpb"
	"github.com/mcptool-go/mcptool/mcptool"
)

// The messages that tools use directly.
func init() {
	protobuf.Register[orderpb.Order]()
	protobuf.Register[orderpb.UpdateOrderRequest]()
}

type GetOrderIn struct {
	ID string `json:"id" doc:"Such as A-17"`
}

type GetOrderOut struct {
	Order *orderpb.Order `json:"order"`
}

// GetOrder returns a message in a struct.
func GetOrder(_ context.Context, in GetOrderIn) (GetOrderOut, error) {
	return GetOrderOut{&orderpb.Order{
		Id: in.ID, State: orderpb.State_STATE_OPEN,
		CreateTime: timestamppb.New(time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC)),
		Lines:      []*orderpb.Line{{Sku: "lamp", Quantity: 2, UnitPriceCents: 1999}},
		Payment:    &orderpb.Order_Card{Card: &orderpb.Card{LastFour: "4242"}},
	}}, nil
}

// UpdateOrder has the signature of a method of a gRPC server.
func UpdateOrder(_ context.Context, in *orderpb.UpdateOrderRequest) (*orderpb.Order, error) {
	return in.GetOrder(), nil
}

func Example() {
	get, err := mcptool.New(GetOrder)
	if err != nil {
		fmt.Println(err)
		return
	}
	update, err := mcptool.New(UpdateOrder)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, call := range []struct {
		tool *mcptool.Tool
		args string
	}{
		{get, `{"id":"A-17"}`},
		{update, `{"order":{"id":"A-17","state":"STATE_SHIPPED"},"updateMask":"state"}`},
		{update, `{"order":{"id":"A-17","state":"SHIPPED"},"update_mask":"state"}`},
		{update, `{"order":{"card":{"lastFour":"4242"},"invoiceNumber":"7"}}`},
	} {
		result, err := call.tool.Call(context.Background(), []byte(call.args))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s\n", result.Structured)
	}
	// Output:
	// {"order":{"id":"A-17","state":"STATE_OPEN","createTime":"2026-11-02T09:30:00Z","lines":[{"sku":"lamp","quantity":2,"unitPriceCents":"1999"}],"card":{"lastFour":"4242"}}}
	// {"id":"A-17","state":"STATE_SHIPPED"}
	// update_order: invalid arguments
	// order.state: must be one of "STATE_UNSPECIFIED", "STATE_OPEN", "STATE_SHIPPED", got "SHIPPED"
	// update_mask: is not a known property; did you mean "updateMask"?
	// Example: {"order":{"state":"STATE_UNSPECIFIED"},"updateMask":"text"}
	// update_order: invalid arguments
	// must be a value that can be read (error parsing "invoiceNumber", oneof shop.v1.Order.payment is already set), got an object
	// Example: {"order":{},"updateMask":"text"}
}
