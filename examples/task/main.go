// Command task is a tool server that exports the orders of a year, which takes a minute or more: as a task if the
// client supports tasks, otherwise with progress. It asks the user what to do about incomplete orders.
package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/stdio"
)

// ExportIn holds the arguments of export_orders.
type ExportIn struct {
	_    struct{} `mcp:"name=export_orders,title=Export orders,destructive=false,openWorld=false,task=optional" doc:"Export all orders of a year to a file. It takes about a minute."`
	Year int      `json:"year" jsonschema:"minimum=2000,maximum=2100,example=2026"`
}

// ExportOut holds the result of export_orders.
type ExportOut struct {
	File    string `json:"file" doc:"Where the orders are"`
	Orders  int    `json:"orders" doc:"How many are in the file"`
	LeftOut int    `json:"leftOut" doc:"How many were left out, because they have no address"`
}

// Found is the number of orders, and of those without an address.
type Found struct{ Orders, Incomplete int }

// Archive holds the orders.
type Archive struct {
	month time.Duration // time to read a month
}

// Export exports the orders of a year. Once keeps the data that was read: for a client without tasks, the func may run
// again from the top after the question.
func (a *Archive) Export(ctx context.Context, in ExportIn) (ExportOut, error) {
	found, err := mcptool.Once(ctx, "found", func(ctx context.Context) (Found, error) { return a.read(ctx, in.Year) })
	if err != nil {
		return ExportOut{}, err
	}
	if found.Incomplete > 0 {
		err = mcptool.Confirm(ctx, fmt.Sprintf("%d of %d orders have no address. Export the others?", found.Incomplete, found.Orders))
	}
	if err != nil {
		return ExportOut{}, err
	}
	file := fmt.Sprintf("orders-%d.csv", in.Year)
	return ExportOut{File: file, Orders: found.Orders - found.Incomplete, LeftOut: found.Incomplete}, nil
}

// read reads the orders of a year, month by month, until ctx ends.
func (a *Archive) read(ctx context.Context, year int) (Found, error) {
	var found Found
	for month := time.January; month <= time.December; month++ {
		mcptool.Progress(ctx, float64(month-1), 12, "reading "+month.String())
		select {
		case <-time.After(a.month):
		case <-ctx.Done():
			return found, ctx.Err()
		}
		found.Orders += 10 * int(month)
		if year%2 == 0 && month == time.June {
			found.Incomplete += 3
		}
	}
	return found, nil
}

func main() {
	month := flag.Duration("month", 5*time.Second, "how long it takes to read a month")
	flag.Parse()
	archive := &Archive{month: *month}
	mcptool.Register(archive.Export)
	stdio.Main(&runtime.Server{Tasks: tasks.New(nil)})
}
