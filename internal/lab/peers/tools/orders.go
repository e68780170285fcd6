package tools

import (
	"context"
	"fmt"
)

// An OrdersIn holds the arguments of search_orders: about 0.4 KB of JSON.
type OrdersIn struct {
	Query    string   `json:"query" jsonschema:"maxLength=200"`
	Customer Customer `json:"customer"`
	Statuses []string `json:"statuses" jsonschema:"enum=open,enum=paid,enum=shipped,enum=returned,maxItems=4"`
	From     string   `json:"from" jsonschema:"maxLength=10"`
	Until    string   `json:"until" jsonschema:"maxLength=10"`
	Sort     []Sort   `json:"sort" jsonschema:"maxItems=3"`
	MinTotal float64  `json:"min_total" jsonschema:"minimum=0"`
	Limit    int      `json:"limit" jsonschema:"minimum=1,maximum=100"`
	Offset   int      `json:"offset" jsonschema:"minimum=0"`
	Tags     []string `json:"tags" jsonschema:"maxItems=20"`
}

// A Sort is one criterion of an OrdersIn.
type Sort struct {
	Field      string `json:"field" jsonschema:"enum=created,enum=total"`
	Descending bool   `json:"descending"`
}

// A Customer is a customer with orders.
type Customer struct {
	ID    int    `json:"id" jsonschema:"minimum=1"`
	Name  string `json:"name" jsonschema:"minLength=1,maxLength=80"`
	Email string `json:"email" jsonschema:"maxLength=120"`
}

// An OrdersOut holds the result of search_orders: about 6.9 KB of JSON.
type OrdersOut struct {
	Query  string  `json:"query"`
	Total  int     `json:"total" jsonschema:"minimum=0"`
	Orders []Order `json:"orders" jsonschema:"maxItems=100"`
}

// An Order is an order in an OrdersOut.
type Order struct {
	ID       int      `json:"id" jsonschema:"minimum=1"`
	Number   string   `json:"number" jsonschema:"minLength=1,maxLength=20"`
	Status   string   `json:"status" jsonschema:"enum=open,enum=paid,enum=shipped,enum=returned"`
	Created  string   `json:"created"`
	Customer Customer `json:"customer"`
	Address  Address  `json:"address"`
	Lines    []Line   `json:"lines" jsonschema:"minItems=1,maxItems=50"`
	Total    float64  `json:"total" jsonschema:"minimum=0"`
	Paid     bool     `json:"paid"`
	Note     string   `json:"note"`
	Tags     []string `json:"tags"`
}

// An Address is the destination of an Order.
type Address struct {
	Street  string `json:"street"`
	City    string `json:"city"`
	Zip     string `json:"zip" jsonschema:"maxLength=12"`
	Country string `json:"country" jsonschema:"minLength=2,maxLength=2"`
}

// A Line is one article of an Order.
type Line struct {
	SKU      string  `json:"sku" jsonschema:"minLength=1"`
	Title    string  `json:"title"`
	Quantity int     `json:"quantity" jsonschema:"minimum=1"`
	Price    float64 `json:"price" jsonschema:"minimum=0"`
}

var orders = newOrders(12)

func newOrders(n int) []Order {
	statuses := []string{"open", "paid", "shipped", "returned"}
	all := make([]Order, 0, n)
	for i := range n {
		all = append(all, Order{
			ID: 70_000 + i, Number: fmt.Sprintf("2026-%05d", i*37), Status: statuses[i%len(statuses)], Created: "2026-11-20T09:30:00Z",
			Customer: Customer{ID: 500 + i, Name: "Ana Sofia Marques", Email: "ana.marques@example.com"},
			Address:  Address{Street: "Rua das Flores 12", City: "Lisboa", Zip: "1200-195", Country: "PT"},
			Lines: []Line{
				{SKU: fmt.Sprintf("BK-%04d", i), Title: `The "small" book`, Quantity: 1 + i%3, Price: 12.5},
				{SKU: fmt.Sprintf("LP-%04d", i), Title: "Desk lamp", Quantity: 1, Price: 49.9},
			},
			Total: 62.4 + float64(i), Paid: i%2 == 0, Note: "ring twice", Tags: []string{"gift", "express"},
		})
	}
	return all
}

// SearchOrders is the tool with a nested result.
func SearchOrders(_ context.Context, in OrdersIn) (OrdersOut, error) {
	return OrdersOut{Query: in.Query, Total: 1234, Orders: orders[:min(in.Limit, len(orders))]}, nil
}
