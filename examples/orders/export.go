package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// exportPrefix is the URI of the directory of exported files.
const exportPrefix = "orders://exports/"

// partial is the name of a file that is not complete. It is not part of the resource, as all names that begin with a dot.
const partial = ".partial.csv"

// ExportIn holds the arguments of export_orders.
type ExportIn struct {
	_    struct{} `mcp:"name=export_orders,title=Export orders,destructive=false,idempotent,openWorld=false,scopes=orders:export,task=optional,durable,concurrent=1,timeout=10m" doc:"Write the orders of a year to a CSV file, which is then a resource"`
	Year int      `json:"year" jsonschema:"minimum=2000,maximum=2100,example=2025"`
}

// ExportOut holds the result of export_orders.
type ExportOut struct {
	Orders int64  `json:"orders"`
	URI    string `json:"uri" doc:"The resource to read"`
}

// Export writes the orders of a year. If its process dies, the task runs again in the next one. The file appears when it
// is complete.
func (d *Desk) Export(ctx context.Context, in ExportIn) (out ExportOut, err error) {
	file, err := d.exports.OpenFile(partial, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return out, err
	}
	name := fmt.Sprintf("orders-%d.csv", in.Year)
	out.URI = exportPrefix + name
	out.Orders, err = d.write(ctx, file, in.Year)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return out, err
	}
	return out, d.exports.Rename(partial, name)
}

// write writes the orders of a year, and reports each month.
func (d *Desk) write(ctx context.Context, file io.Writer, year int) (n int64, err error) {
	w := csv.NewWriter(file) // its Error is the first of Write and Flush
	_ = w.Write([]string{"id", "placed", "customer", "city", "status", "cents"})
	for month := time.January; month <= time.December; month++ {
		first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
		days := Filter{From: first.Format(time.DateOnly), To: first.AddDate(0, 1, -1).Format(time.DateOnly)}
		orders, err := d.orders(ctx, days.args(), " ORDER BY o.placed, o.id")
		if err != nil {
			return n, err
		}
		for _, o := range orders {
			row := []string{strconv.FormatInt(o.ID, 10), o.Placed, o.Customer, o.City, string(o.Status), strconv.FormatInt(o.Cents, 10)}
			_ = w.Write(row)
		}
		n += int64(len(orders))
		mcptool.Progress(ctx, float64(month), 12, month.String())
	}
	w.Flush()
	return n, w.Error()
}
