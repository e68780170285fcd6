package browser_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// A delivery is how a shipment reaches the customer.
type delivery interface{ isDelivery() }

type parcel struct {
	Address address `json:"address" doc:"Where the parcel goes"`
	Insured bool    `json:"insured,omitempty"`
}

type pickup struct {
	Shop string    `json:"shop" jsonschema:"enum=Porto,enum=Lisboa,enum=Faro" doc:"Where the customer picks it up"`
	From time.Time `json:"from" doc:"When it is ready"`
}

func (parcel) isDelivery() {}
func (pickup) isDelivery() {}

func init() {
	reflectschema.RegisterUnion("by", map[string]delivery{"parcel": parcel{}, "pickup": pickup{}})
}

type address struct {
	Street  string `json:"street" jsonschema:"minLength=1"`
	City    string `json:"city" jsonschema:"minLength=1"`
	Country string `json:"country" jsonschema:"enum=PT,enum=ES,enum=FR,default=PT"`
}

type line struct {
	Article  string `json:"article" jsonschema:"minLength=1,maxLength=40,example=A-1042"`
	Quantity int    `json:"quantity" jsonschema:"minimum=1,maximum=99,default=1"`
}

type shipIn struct {
	_        struct{} `mcp:"name=create_shipment,title=Create a shipment,destructive=false,openWorld=false" doc:"Reserve articles for a customer, and have them sent or picked up."`
	Customer string   `json:"customer" jsonschema:"minLength=1,maxLength=80,example=Inês Moura"`
	Lines    []line   `json:"lines" jsonschema:"minItems=1,maxItems=20" doc:"What is sent"`
	Delivery delivery `json:"delivery"`
	Note     string   `json:"note,omitempty" jsonschema:"maxLength=400" doc:"Printed on the delivery note"`
}

type shipOut struct {
	Shipment string `json:"shipment"`
	Weight   int    `json:"weight_g"`
}

func ship(_ context.Context, in shipIn) (shipOut, error) {
	weight := 120
	for _, l := range in.Lines {
		weight += 250 * l.Quantity
	}
	return shipOut{"S-2026-0417", weight}, nil
}

type searchIn struct {
	_      struct{} `mcp:"name=search_orders,title=Search orders,readOnly,openWorld=false" doc:"Orders of the last three months, newest first."`
	Query  string   `json:"query,omitempty" jsonschema:"maxLength=100" doc:"Words of the customer or an article"`
	Status []string `json:"status,omitempty" jsonschema:"enum=open,enum=paid,enum=shipped,enum=returned,uniqueItems=true"`
	Limit  int      `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100,default=20"`
}

type order struct {
	Order    string  `json:"order"`
	Customer string  `json:"customer"`
	Articles int     `json:"articles"`
	Total    float64 `json:"total"`
	Status   string  `json:"status"`
}

type searchOut struct {
	Found  int     `json:"found"`
	Orders []order `json:"orders"`
}

func search(ctx context.Context, in searchIn) (searchOut, error) {
	mcptool.Logger(ctx).InfoContext(ctx, "searched the index", "query", in.Query)
	names := []string{"Inês Moura", "Duarte Pinto", "Clara Nunes", "Rui Teles", "Alice Prata", "Tomás Vaz", "Joana Leal"}
	states := []string{"open", "paid", "shipped", "shipped", "returned", "paid", "shipped"}
	var out searchOut
	for i, name := range names {
		if len(in.Status) > 0 && !slices.Contains(in.Status, states[i]) {
			continue
		}
		out.Found++
		out.Orders = append(out.Orders, order{fmt.Sprintf("O-%d", 2417-i), name, 1 + i*3%5, 18.5 + float64(i)*13.25, states[i]})
	}
	return out, nil
}

type exportIn struct {
	_     struct{} `mcp:"name=export_orders,title=Export orders,destructive=false,openWorld=false,task=optional" doc:"Export the orders of a year to a file. It takes a while, and may ask what to do about incomplete orders."`
	Year  int      `json:"year" jsonschema:"minimum=2000,maximum=2100,example=2026"`
	Delay int      `json:"delay,omitempty" jsonschema:"minimum=0,maximum=1000" doc:"Milliseconds for each month"`
}

type exportAnswer struct {
	Incomplete string `json:"incomplete" jsonschema:"enum=leave out,enum=export" doc:"What to do about the 3 orders without an address"`
	Reason     string `json:"reason,omitempty" doc:"Kept in the log"`
}

type exportOut struct {
	File    string `json:"file"`
	Orders  int    `json:"orders"`
	LeftOut int    `json:"leftOut"`
}

func export(ctx context.Context, in exportIn) (exportOut, error) {
	if _, err := mcptool.Once(ctx, "read", func(ctx context.Context) (int, error) { return 312, readYear(ctx, in.Delay) }); err != nil {
		return exportOut{}, err
	}
	answer, err := mcptool.Elicit[exportAnswer](ctx, "3 of 312 orders have no address. What should happen to them?")
	if err != nil {
		return exportOut{}, err
	}
	out := exportOut{File: fmt.Sprintf("orders-%d.csv", in.Year), Orders: 312}
	if answer.Incomplete == "leave out" {
		out.Orders, out.LeftOut = 309, 3
	}
	return out, nil
}

func readYear(ctx context.Context, delay int) error {
	for month := time.January; month <= time.December; month++ {
		mcptool.Progress(ctx, float64(month), 12, "reading "+month.String())
		mcptool.Logger(ctx).LogAttrs(ctx, slog.LevelInfo, "read "+month.String())
		select {
		case <-time.After(time.Duration(delay) * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

type labelIn struct {
	_        struct{} `mcp:"name=shipping_label,title=Shipping label,readOnly,openWorld=false" doc:"The label of a shipment, as a picture."`
	Shipment string   `json:"shipment" jsonschema:"pattern=^S-[0-9]{4}-[0-9]{4}$,example=S-2026-0417"`
}

func label(context.Context, labelIn) (*mcptool.Result, error) {
	picture := image.NewGray(image.Rect(0, 0, 240, 80))
	for x := range 240 {
		for y := range 80 {
			picture.Set(x, y, color.Gray{Y: uint8(255 * ((x / 3 * x / 7) & 1))})
		}
	}
	var data bytes.Buffer
	if err := png.Encode(&data, picture); err != nil {
		return nil, err
	}
	return &mcptool.Result{Content: []mcptool.Content{mcptool.Image{Data: data.Bytes(), MIMEType: "image/png"}, mcptool.Text{Text: "The label fits on A6."}}}, nil
}

type failIn struct {
	_      struct{} `mcp:"name=cancel_order,title=Cancel an order,destructive,openWorld=false" doc:"Cancel an order that was not shipped."`
	Order  string   `json:"order"`
	Refund bool     `json:"refund" doc:"Give the money back at once"`
}

func fail(_ context.Context, in failIn) (struct{}, error) {
	return struct{}{}, mcptool.Errorf("order %s was shipped on 2026-11-02 and cannot be cancelled", in.Order)
}

type connectIn struct {
	_       struct{} `mcp:"name=connect_carrier,title=Connect a carrier,destructive=false" doc:"Sign in at a carrier, in the browser."`
	Carrier string   `json:"carrier" jsonschema:"enum=CTT,enum=DPD"`
}

func connect(ctx context.Context, in connectIn) (string, error) {
	if err := mcptool.ElicitURL(ctx, "https://carrier.example/connect?shop=7", "Sign in at "+in.Carrier); err != nil {
		return "", err
	}
	return "connected to " + in.Carrier, nil
}

type replyIn struct {
	_        struct{} `mcp:"name=reply_to_customer,title=Reply to a customer" doc:"A polite reply about an order"`
	Customer string   `json:"customer" doc:"Who is answered"`
	Tone     string   `json:"tone,omitempty" jsonschema:"enum=warm,enum=neutral,enum=firm"`
}

func replyTo(_ context.Context, in replyIn) (string, error) {
	return "Write a reply to " + in.Customer + " in a " + in.Tone + " tone.", nil
}

type orderIn struct {
	_     struct{} `mcp:"name=order,uri=shop:///orders/{order}" doc:"An order with its lines"`
	Order string   `json:"order"`
}

func readOrder(_ context.Context, in orderIn) (order, error) {
	return order{in.Order, "Inês Moura", 2, 45, "paid"}, nil
}

// startShop serves a shop over HTTP, and returns the URL.
func startShop(t *testing.T) string {
	t.Helper()
	registry := &mcptool.Registry{}
	add := func(tool mcptool.Item, err error) {
		if err == nil {
			err = registry.Add(tool)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add(mcptool.New(search))
	add(mcptool.New(ship))
	add(mcptool.New(export))
	add(mcptool.New(label))
	add(mcptool.New(fail))
	add(mcptool.New(connect))
	add(mcptool.NewPrompt(replyTo))
	add(mcptool.NewResource(readOrder))
	server := &runtime.Server{
		Name: "shop", Title: "Order desk", Version: "1.4.0", Tools: registry, Logger: slog.New(slog.DiscardHandler), ClientLog: runtime.ClientLogAll, Tasks: tasks.New(nil),
		Instructions: strings.TrimSpace("Search before you create: customers often ask about an order that exists.\nPrices are in euros, with taxes."),
	}
	handler, err := streamhttp.NewHandler(server)
	if err != nil {
		t.Fatal(err)
	}
	at := httptest.NewServer(handler)
	t.Cleanup(at.Close)
	return at.URL
}
