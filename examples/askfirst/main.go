// Command askfirst is a tool server with one destructive tool, which asks the user first.
package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

// DropIn holds the arguments of drop_table. The user answers the question before the tool runs.
type DropIn struct {
	_     struct{} `mcp:"name=drop_table,destructive,openWorld=false,askFirst=Drop the table {table}?" doc:"Delete a table and all that is in it"`
	Table string   `json:"table" jsonschema:"minLength=1,maxLength=63"`
}

// Database is a set of tables. Its methods are safe for concurrent use.
type Database struct {
	mu     sync.Mutex
	tables map[string]bool
}

// Drop deletes a table. It runs only after the user has confirmed.
func (d *Database) Drop(_ context.Context, in DropIn) (struct{}, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.tables[in.Table] {
		return struct{}{}, fmt.Errorf("there is no table %q", in.Table)
	}
	delete(d.tables, in.Table)
	return struct{}{}, nil
}

func main() {
	db := &Database{tables: map[string]bool{"orders": true, "drafts": true}}
	mcptool.Register(db.Drop)
	stdio.Main(nil)
}
