package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Status is the state of an order.
type Status string

// The states of an order.
const (
	StatusNew       Status = "new"
	StatusPaid      Status = "paid"
	StatusShipped   Status = "shipped"
	StatusCancelled Status = "cancelled"
	StatusRefunded  Status = "refunded"
)

func init() {
	reflectschema.RegisterEnum(StatusNew, StatusPaid, StatusShipped, StatusCancelled, StatusRefunded)
}

// Order is one order, without its items.
type Order struct {
	ID       int64  `json:"id"`
	Placed   string `json:"placed" jsonschema:"format=date-time"`
	Customer string `json:"customer"`
	City     string `json:"city"`
	Status   Status `json:"status"`
	Cents    int64  `json:"cents" doc:"The total in euro cents"`
}

// Filter selects orders.
type Filter struct {
	Customer string `json:"customer,omitempty" jsonschema:"maxLength=100" doc:"A part of the name of the customer, in any case"`
	Status   Status `json:"status,omitempty"`
	From     string `json:"from,omitempty" jsonschema:"format=date" doc:"The first day"`
	To       string `json:"to,omitempty" jsonschema:"format=date" doc:"The last day"`
	MinCents int64  `json:"minCents,omitempty" jsonschema:"minimum=0" doc:"The smallest total, in euro cents"`
}

// SearchIn holds the arguments of search_orders.
type SearchIn struct {
	_ struct{} `mcp:"name=search_orders,title=Search orders,readOnly,idempotent,openWorld=false,scopes=orders:read" doc:"Find orders, the latest first. The result has a cursor if there are more."`
	Filter
	Limit  int    `json:"limit" jsonschema:"minimum=1,maximum=100,default=20" doc:"How many orders a page has at most"`
	Cursor string `json:"cursor,omitempty" jsonschema:"maxLength=100" doc:"The cursor of the previous page, with the same filter"`
}

// SearchOut holds the result of search_orders.
type SearchOut struct {
	Orders []Order `json:"orders"`
	Cursor string  `json:"cursor,omitempty" doc:"For the next page; absent on the last one"`
}

// Search returns a page of orders. The cursor is the place in the order of the index, so that every page costs the same
// and orders that arrive meanwhile move nothing.
func (d *Desk) Search(ctx context.Context, in SearchIn) (out SearchOut, err error) {
	args := in.args()
	if in.Cursor != "" {
		placed, number, _ := strings.Cut(in.Cursor, "_")
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return out, mcptool.Errorf("unknown cursor; leave it out for the first page")
		}
		args[3], args[4] = placed, id // in place of the end of the last day
	}
	out.Orders, err = d.orders(ctx, args, " ORDER BY o.placed DESC, o.id DESC LIMIT "+strconv.Itoa(in.Limit+1))
	if len(out.Orders) > in.Limit {
		out.Orders = out.Orders[:in.Limit]
		last := out.Orders[in.Limit-1]
		out.Cursor = last.Placed + "_" + strconv.FormatInt(last.ID, 10)
	}
	return out, err
}

// selectOrders selects the columns of Order.columns, and matching is the condition for the parameters of Filter.args.
const (
	selectOrders = "SELECT o.id, o.placed, c.name, c.city, o.status, o.cents FROM orders o JOIN customers c ON c.id = o.customer WHERE "
	matching     = `($1 = '' OR LOWER(c.name) LIKE '%' || $1 || '%' ESCAPE '\') AND ($2 = '' OR o.status = $2)
		AND o.placed >= $3 AND (o.placed, o.id) < ($4, $5) AND o.cents >= $6`
)

func (o *Order) columns() []any {
	return []any{&o.ID, &o.Placed, &o.Customer, &o.City, &o.Status, &o.Cents}
}

// args returns the parameters of the condition. A field that is not set matches all orders.
func (f Filter) args() []any {
	customer := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.ToLower(f.Customer))
	end := cmp.Or(f.To, "9999-12-31") + "T23:59:59Z"
	return []any{customer, string(f.Status), f.From, end, math.MaxInt64, f.MinCents}
}

// orders returns the orders for the parameters of a filter. The statement ends with rest.
func (d *Desk) orders(ctx context.Context, args []any, rest string) ([]Order, error) {
	return all(ctx, d.db, (*Order).columns, selectOrders+matching+rest, args...)
}

// GetIn holds the arguments of get_order.
type GetIn struct {
	_  struct{} `mcp:"name=get_order,title=Get an order,readOnly,idempotent,openWorld=false,scopes=orders:read" doc:"Get one order with its items, and its refund if there is one"`
	ID int64    `json:"id" jsonschema:"minimum=1"`
}

// GetOut holds the result of get_order.
type GetOut struct {
	Order
	Items  []Item  `json:"items"`
	Refund *Refund `json:"refund,omitempty"`
}

// Item is one line of an order.
type Item struct {
	Product  string `json:"product"`
	Quantity int64  `json:"quantity"`
	Cents    int64  `json:"cents" doc:"The price of one, in euro cents"`
}

func (i *Item) columns() []any { return []any{&i.Product, &i.Quantity, &i.Cents} }

// Get returns one order.
func (d *Desk) Get(ctx context.Context, in GetIn) (out GetOut, err error) {
	if out.Order, err = d.order(ctx, in.ID); err != nil {
		return out, err
	}
	const items = "SELECT product, quantity, cents FROM items WHERE order_id = $1 ORDER BY line"
	if out.Items, err = all(ctx, d.db, (*Item).columns, items, in.ID); err != nil {
		return out, err
	}
	refund, err := d.refundOf(ctx, in.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return out, nil
	}
	out.Refund = &refund
	return out, err
}

// order returns an order without its items.
func (d *Desk) order(ctx context.Context, id int64) (order Order, err error) {
	err = d.db.QueryRowContext(ctx, selectOrders+"o.id = $1", id).Scan(order.columns()...)
	if errors.Is(err, sql.ErrNoRows) {
		err = mcptool.Errorf("unknown order %d; search_orders finds orders", id)
	}
	return order, err
}
