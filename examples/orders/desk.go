package main

import (
	"embed"
	"errors"
	"os"

	"github.com/mcptool-go/mcptool/extension/apps"
	"github.com/mcptool-go/mcptool/mcptool"
)

//go:embed revenue.html
var views embed.FS

// Desk has the tools.
type Desk struct {
	db      *database
	exports *os.Root // the directory of exported files
}

// registry returns the tools and the exported files. Whether a caller sees a tool depends on its scopes; over standard
// input and output every tool can be used.
func (d *Desk) registry() (*mcptool.Registry, error) {
	except := []string{"Revenue"} // has a view, see below
	if d.db.reader == nil {
		except = append(except, "Query")
	}
	tools, err := mcptool.NewService(d, mcptool.ExceptMethods(except...))
	revenue, revenueErr := mcptool.New(d.Revenue, apps.View(views, "revenue.html", apps.Border(true)))
	files := mcptool.Files(d.exports.FS(), exportPrefix, mcptool.Description("Exported orders, as CSV"), mcptool.Scopes("orders:export"))
	r := new(mcptool.Registry)
	return r, errors.Join(err, revenueErr, r.Add(tools, revenue, files))
}
