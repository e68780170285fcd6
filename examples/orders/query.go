package main

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

// QueryIn holds the arguments of query_orders.
type QueryIn struct {
	_   struct{} `mcp:"name=query_orders,title=Query the database,readOnly,idempotent,openWorld=false,scopes=orders:sql,timeout=5s,rateLimit=60/m burst=20,concurrent=4,auditArguments" doc:"Run a SELECT statement of your own for questions that the other tools do not answer. Tables: customers (id, name, city), orders (id, customer, placed, status, cents), items (order_id, line, product, quantity, cents), refunds (order_id, cents, reason, refunded, refunded_by). Times are text, as 2025-07-31T12:00:00Z; amounts are euro cents."`
	SQL string   `json:"sql" jsonschema:"minLength=1,maxLength=10000,example=SELECT city\\, COUNT(*) FROM customers GROUP BY city" doc:"One SELECT statement, without a semicolon"`
}

// QueryOut holds the result of query_orders.
type QueryOut struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
	More    bool     `json:"more" doc:"There are more rows than these; aggregate or filter in the statement"`
}

// queryRows and queryBytes are the limits of a result.
const (
	queryRows  = 200
	queryBytes = 256 << 10
)

// Query runs one SELECT statement that the model has written. The guarantee that it only reads is in the connection: the
// file is open for reading only, or the role may only read.
func (d *Desk) Query(ctx context.Context, in QueryIn) (out QueryOut, err error) {
	err = d.db.read(ctx, func(tx *sql.Tx) error {
		// Only one SELECT can be a view, which is not created. Otherwise the text could close the parenthesis that rows
		// opens, and continue with other statements.
		_, err := tx.PrepareContext(ctx, "CREATE TEMP VIEW result AS\n"+in.SQL)
		if err == nil {
			out, err = rows(ctx, tx, in.SQL)
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		return mcptool.Errorf("the database has refused the statement; only one SELECT, without a semicolon, can run: %w", err)
	})
	return out, err
}

// rows returns the first rows of a statement.
func rows(ctx context.Context, tx *sql.Tx, statement string) (out QueryOut, err error) {
	// The newlines are for statements that end with a comment.
	rows, err := tx.QueryContext(ctx, fmt.Sprintf("SELECT * FROM (\n%s\n) AS result LIMIT %d", statement, queryRows+1))
	if err != nil {
		return out, err
	}
	defer rows.Close() //nolint:errcheck // Err reports what went wrong
	if out.Columns, err = rows.Columns(); err != nil {
		return out, err
	}
	size := 0
	for rows.Next() {
		row, into := make([]any, len(out.Columns)), make([]any, len(out.Columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return out, err
		}
		for i, value := range row {
			if text, ok := value.([]byte); ok { // JSON, for example
				row[i] = string(text)
			}
		}
		size += len(fmt.Sprint(row...))
		if out.More = len(out.Rows) == queryRows || size > queryBytes; out.More {
			break
		}
		out.Rows = append(out.Rows, row)
	}
	return out, rows.Err()
}
