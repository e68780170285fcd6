package main

import (
	"context"
	"strconv"
)

// RevenueIn holds the arguments of revenue_by_month.
type RevenueIn struct {
	_    struct{} `mcp:"name=revenue_by_month,title=Revenue by month,readOnly,idempotent,openWorld=false,scopes=orders:read" doc:"Sum up the paid and shipped orders of each month of a year"`
	Year int      `json:"year" jsonschema:"minimum=2000,maximum=2100,example=2025"`
}

// RevenueOut holds the result of revenue_by_month. Hosts that support views show it as a chart.
type RevenueOut struct {
	Year   int     `json:"year"`
	Months []Month `json:"months" doc:"The months that have orders"`
}

// Month is the revenue of a month.
type Month struct {
	Month  string `json:"month" doc:"As 2025-07"`
	Orders int64  `json:"orders"`
	Cents  int64  `json:"cents" doc:"In euro cents"`
}

func (m *Month) columns() []any { return []any{&m.Month, &m.Orders, &m.Cents} }

// Revenue sums up the orders of a year.
func (d *Desk) Revenue(ctx context.Context, in RevenueIn) (RevenueOut, error) {
	const query = `SELECT substr(placed, 1, 7), COUNT(*), CAST(SUM(cents) AS BIGINT) FROM orders
		WHERE placed >= $1 AND placed < $2 AND status IN ('paid', 'shipped') GROUP BY 1 ORDER BY 1`
	months, err := all(ctx, d.db, (*Month).columns, query, strconv.Itoa(in.Year), strconv.Itoa(in.Year+1))
	return RevenueOut{Year: in.Year, Months: months}, err
}
