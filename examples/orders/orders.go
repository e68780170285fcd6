package main

import (
	"context"
	"database/sql"
	"errors"
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

var _ = reflectschema.Enum(StatusNew, StatusPaid, StatusShipped, StatusCancelled, StatusRefunded)

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
func (d *Desk) Search(ctx context.Context, in SearchIn) (SearchOut, error) {
	q := in.query()
	if in.Cursor != "" {
		placed, number, _ := strings.Cut(in.Cursor, "_")
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return SearchOut{}, mcptool.Errorf("unknown cursor; leave it out for the first page")
		}
		q.where("(o.placed, o.id) < (?, ?)", placed, id)
	}
	out := SearchOut{Orders: []Order{}}
	err := q.each(ctx, d.db, " ORDER BY o.placed DESC, o.id DESC LIMIT "+strconv.Itoa(in.Limit+1), func(o Order) error {
		out.Orders = append(out.Orders, o)
		return nil
	})
	if len(out.Orders) > in.Limit {
		out.Orders = out.Orders[:in.Limit]
		last := out.Orders[in.Limit-1]
		out.Cursor = last.Placed + "_" + strconv.FormatInt(last.ID, 10)
	}
	return out, err
}

// query is a query of orders under construction.
type query struct {
	conditions []string
	args       []any
}

// where adds a condition, with a question mark for each argument.
func (q *query) where(condition string, args ...any) {
	for _, arg := range args {
		q.args = append(q.args, arg)
		condition = strings.Replace(condition, "?", "$"+strconv.Itoa(len(q.args)), 1)
	}
	q.conditions = append(q.conditions, condition)
}

// query returns the query for the orders that the filter selects.
func (f Filter) query() *query {
	q := &query{conditions: []string{"c.id = o.customer"}}
	if f.Customer != "" {
		escaped := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.ToLower(f.Customer))
		q.where(`LOWER(c.name) LIKE ? ESCAPE '\'`, "%"+escaped+"%")
	}
	if f.Status != "" {
		q.where("o.status = ?", string(f.Status))
	}
	if f.From != "" {
		q.where("o.placed >= ?", f.From)
	}
	if f.To != "" {
		q.where("o.placed <= ?", f.To+"T23:59:59Z")
	}
	if f.MinCents > 0 {
		q.where("o.cents >= ?", f.MinCents)
	}
	return q
}

// each calls fn with the orders, until it returns an error. The query ends with rest.
func (q *query) each(ctx context.Context, db *database, rest string, fn func(Order) error) error {
	text := "SELECT o.id, o.placed, c.name, c.city, o.status, o.cents FROM orders o, customers c WHERE " + strings.Join(q.conditions, " AND ") + rest
	return each(ctx, db, func(o *Order) []any { return []any{&o.ID, &o.Placed, &o.Customer, &o.City, &o.Status, &o.Cents} }, fn, text, q.args...)
}

// each calls fn with the rows of a query. The func columns returns the destinations of the columns.
func each[Row any](ctx context.Context, db *database, columns func(*Row) []any, fn func(Row) error, text string, args ...any) (err error) {
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var row Row
		if err := rows.Scan(columns(&row)...); err != nil {
			return err
		}
		if err := fn(row); err != nil {
			return err
		}
	}
	return rows.Err()
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

// Get returns one order.
func (d *Desk) Get(ctx context.Context, in GetIn) (GetOut, error) {
	order, err := d.order(ctx, in.ID)
	if err != nil {
		return GetOut{}, err
	}
	out := GetOut{Order: order, Items: []Item{}}
	err = each(ctx, d.db, func(i *Item) []any { return []any{&i.Product, &i.Quantity, &i.Cents} }, func(i Item) error {
		out.Items = append(out.Items, i)
		return nil
	}, "SELECT product, quantity, cents FROM items WHERE order_id = $1 ORDER BY line", in.ID)
	if err != nil {
		return GetOut{}, err
	}
	refund, err := readRefund(ctx, d.db, in.ID)
	if !errors.Is(err, sql.ErrNoRows) {
		out.Refund = &refund
		return out, err
	}
	return out, nil
}

// order returns an order without its items.
func (d *Desk) order(ctx context.Context, id int64) (order Order, err error) {
	q := Filter{}.query()
	q.where("o.id = ?", id)
	found := false
	err = q.each(ctx, d.db, "", func(o Order) error {
		order, found = o, true
		return nil
	})
	if err == nil && !found {
		err = mcptool.Errorf("unknown order %d; search_orders finds orders", id)
	}
	return order, err
}
