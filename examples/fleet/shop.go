package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// OrderIn holds the arguments of place_order.
type OrderIn struct {
	_         struct{} `mcp:"name=place_order,title=Order tea,destructive=false,task=required,durable" doc:"Order tea. The user is asked for the address. It takes some seconds."`
	Reference string   `json:"reference" jsonschema:"minLength=1,maxLength=40,example=birthday" doc:"What the customer calls the order"`
	Packets   int      `json:"packets" jsonschema:"minimum=1,maximum=20,default=1"`
}

// OrderOut holds the result of place_order.
type OrderOut struct {
	Number  string `json:"number" doc:"The number of the order"`
	Address string `json:"address" doc:"Where it is sent"`
	Parcel  string `json:"parcel" doc:"The number of the parcel"`
}

// Delivery is the form that the user fills in.
type Delivery struct {
	Address string `json:"address" jsonschema:"minLength=1,maxLength=200"`
}

// Shop sells tea. Its methods are safe for concurrent use.
type Shop struct {
	Log  *slog.Logger
	Step time.Duration // duration of a step of an order
}

// Tools returns the tools of the shop.
func (s *Shop) Tools() (*mcptool.Registry, error) {
	order, err := mcptool.New(s.Order, mcptool.PollInterval(500*time.Millisecond))
	if err != nil {
		return nil, err
	}
	tools := new(mcptool.Registry)
	return tools, tools.Add(order)
}

// Order places an order. If its instance dies or stops, another one runs it again from the top, with the values kept by
// Once and the answers of the user.
func (s *Shop) Order(ctx context.Context, in OrderIn) (OrderOut, error) {
	number, err := mcptool.Once(ctx, "number", func(context.Context) (string, error) { return rand.Text()[:10], nil })
	if err != nil {
		return OrderOut{}, err
	}
	log := s.Log.With("reference", in.Reference, "number", number)
	log.InfoContext(ctx, "the order runs")
	mcptool.Progress(ctx, 1, 3, "looking at what is in stock")
	euros, err := mcptool.Once(ctx, "euros", func(ctx context.Context) (int, error) { return 7 * in.Packets, s.work(ctx) })
	if err != nil {
		return OrderOut{}, err
	}
	to, err := mcptool.Elicit[Delivery](ctx, fmt.Sprintf("Order %s costs %d euros. Which address do we send it to?", number, euros))
	if err != nil {
		return OrderOut{}, err
	}
	mcptool.Progress(ctx, 2, 3, "printing the label")
	parcel, err := mcptool.Once(ctx, "parcel", func(ctx context.Context) (string, error) { return s.label(ctx, log, number) })
	if err != nil {
		return OrderOut{}, err
	}
	mcptool.Progress(ctx, 3, 3, "packing")
	return OrderOut{Number: number, Address: to.Address, Parcel: parcel}, s.work(ctx)
}

// label simulates a carrier that prints labels. The order number is an idempotency key for the carrier: an instance may
// die after printing, before Once has stored the parcel.
func (s *Shop) label(ctx context.Context, log *slog.Logger, number string) (parcel string, err error) {
	sum := sha256.Sum256([]byte(number))
	parcel = hex.EncodeToString(sum[:6])
	log.InfoContext(ctx, "the label is printed", "parcel", parcel)
	return parcel, s.work(ctx)
}

// work simulates a step that takes time.
func (s *Shop) work(ctx context.Context) error {
	select {
	case <-time.After(s.Step):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
