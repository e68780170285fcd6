package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

func TestQuery(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	query := newTool(t, d.Query)
	out := mcptooltest.Call[QueryIn, QueryOut](t, query, QueryIn{SQL: "SELECT status, COUNT(*) AS n FROM orders GROUP BY status ORDER BY status -- by status"})
	if fmt.Sprint(out.Columns) != "[status n]" || len(out.Rows) != 4 || out.Rows[0][0] != "cancelled" || out.More {
		t.Errorf("got %+v", out)
	}
	if out = mcptooltest.Call[QueryIn, QueryOut](t, query, QueryIn{SQL: "SELECT * FROM orders"}); len(out.Rows) != queryRows || !out.More {
		t.Errorf("%d rows of all orders, more: %t", len(out.Rows), out.More)
	}
	if out = mcptooltest.Call[QueryIn, QueryOut](t, query, QueryIn{SQL: "SELECT " + repeated() + " FROM orders"}); len(out.Rows) == 0 || len(out.Rows) == queryRows || !out.More {
		t.Errorf("%d large rows, more: %t", len(out.Rows), out.More)
	}
	_, err := query.Call(t.Context(), []byte(`{"sql":"SELECT * FROM order"}`))
	if err == nil || !strings.Contains(err.Error(), `the database has refused the statement`) {
		t.Errorf("a mistake: %v", err)
	}
}

// TestQueryValues checks values of all types as JSON.
func TestQueryValues(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	statement, want := "SELECT x'6162', 1.5, NULL, 'x', 12345678901234567", `[["ab",1.5,null,"x",12345678901234567]]`
	if !d.db.isSQLite {
		statement = `SELECT CAST('\x6162' AS BYTEA), CAST(1.5 AS NUMERIC), NULL, 'x', 12345678901234567, CAST('{"a":1}' AS JSON), ARRAY[1, 2],
			CAST('2026-07-31T12:00:00Z' AS TIMESTAMPTZ) AT TIME ZONE 'UTC'`
		want = `[["ab","1.5",null,"x",12345678901234567,"{\"a\":1}","{1,2}","2026-07-31T12:00:00Z"]]`
	}
	res, err := newTool(t, d.Query).Call(t.Context(), []byte(`{"sql":`+strconv.Quote(statement)+`}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(res.Structured)
	if err != nil || !strings.Contains(string(text), `"rows":`+want) {
		t.Errorf("%s, %v", text, err)
	}
}

// repeated is an expression for a text of 10,000 bytes.
func repeated() string {
	if os.Getenv("DATABASE_URL") != "" {
		return "repeat('x', 10000)"
	}
	return "hex(zeroblob(5000))"
}

// TestQueryStatements checks that a text is one SELECT statement, and that it can have all its forms.
func TestQueryStatements(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, statement := range []string{
		"SELECT 1 AS a",
		"WITH x (a) AS (SELECT 1) SELECT a FROM x",
		"VALUES (1), (2)",
		"SELECT 1 AS a UNION ALL SELECT 2 ORDER BY a",
		"-- it's a comment; with a semicolon\nSELECT 1",
		"SELECT ') ; DELETE FROM items; --' AS a",
		"/* one; */ SELECT 1 -- two;",
	} {
		if _, err := d.Query(t.Context(), QueryIn{SQL: statement}); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	const want = "only one SELECT, without a semicolon, can run"
	for _, statement := range []string{
		"SELECT 1;",
		"SELECT 1; SELECT 2",
		"SELECT 1 AS a) AS x; SELECT * FROM (SELECT 1 AS a",
		"select 1 as a) ; pragma cache_size=1000000 ; select * from (select 1 as a",
		"SELECT 1 AS a) AS x CROSS JOIN (SELECT 2 AS b",
		"SELECT 1 /*",
		"UPDATE orders SET id=1",
		"PRAGMA cache_size=1",
		"EXPLAIN SELECT 1",
		"",
	} {
		if _, err := d.Query(t.Context(), QueryIn{SQL: statement}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", statement, err, want)
		}
	}
}

// TestQueryWrites tries to write in many ways. None may succeed, which the contents of all tables show: neither in a
// statement of query_orders, nor if the check of TestQueryStatements did not exist.
func TestQueryWrites(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	before := contents(t, d)
	outside := filepath.Join(t.TempDir(), "outside")
	attempts := sqliteWrites
	if os.Getenv("DATABASE_URL") != "" {
		attempts = postgresWrites
	}
	attempts = append(writes, attempts...)
	if len(attempts) < 50 {
		t.Errorf("%d attempts, want 50", len(attempts))
	}
	for _, attempt := range attempts {
		attempt = strings.ReplaceAll(attempt, "@", outside)
		for _, statement := range []string{attempt, "SELECT 1) AS a; " + attempt + "; SELECT * FROM (SELECT 1", "SELECT 1); " + attempt + "; --"} {
			err := d.db.read(t.Context(), func(tx *sql.Tx) error {
				_, err := rows(t.Context(), tx, statement)
				return err
			})
			if now := contents(t, d); !maps.Equal(now, before) {
				t.Fatalf("%s has changed the database: %v", statement, now)
			}
			if matches, _ := filepath.Glob(outside + "*"); len(matches) > 0 {
				t.Fatalf("%s has written %v", statement, matches)
			}
			if err == nil && statement == attempt && !strings.Contains(attempt, "lo_from_bytea") { // that is undone: see contents
				t.Errorf("%s was not refused", statement)
			}
			if _, err := d.Query(t.Context(), QueryIn{SQL: statement}); err == nil && !strings.HasPrefix(statement, "SELECT lo_from_bytea") {
				t.Errorf("query_orders has run %s", statement)
			}
		}
	}
	if _, err := d.Query(t.Context(), QueryIn{SQL: "SELECT 1"}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// contents describes all tables.
func contents(t *testing.T, d *Desk) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, table := range []string{"customers", "orders", "items", "refunds", "seeded"} {
		column := map[string]string{"customers": "name || city", "orders": "status || cents", "items": "product || cents", "refunds": "reason", "seeded": "seed"}[table]
		var n int
		var sum string
		if err := d.db.QueryRowContext(t.Context(), "SELECT COUNT(*), CAST(COALESCE(SUM(LENGTH(CAST("+column+" AS TEXT))), 0) AS TEXT) FROM "+table).Scan(&n, &sum); err != nil {
			t.Fatal(err)
		}
		all[table] = fmt.Sprint(n, " ", sum)
	}
	if !d.db.isSQLite {
		var n int
		if err := d.db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM pg_largeobject_metadata").Scan(&n); err != nil {
			t.Fatal(err)
		}
		all["large objects"] = strconv.Itoa(n)
	}
	return all
}

// writes are for both databases.
var writes = []string{
	"INSERT INTO refunds VALUES (1, 1, 'x', 'x', 'x')",
	"INSERT INTO refunds SELECT id, 1, 'x', 'x', 'x' FROM orders",
	"INSERT INTO refunds VALUES (1, 1, 'x', 'x', 'x') RETURNING *",
	"INSERT INTO refunds VALUES (1, 1, 'x', 'x', 'x') ON CONFLICT DO NOTHING",
	"UPDATE orders SET cents = 1",
	"UPDATE orders SET status = 'refunded' WHERE id = 1",
	"UPDATE orders SET cents = 1 WHERE id = 1 RETURNING *",
	"UPDATE customers SET name = 'x' FROM orders WHERE orders.customer = customers.id",
	"DELETE FROM orders",
	"DELETE FROM items WHERE order_id = 1",
	"DELETE FROM items WHERE order_id = 1 RETURNING *",
	"WITH gone AS (DELETE FROM items RETURNING *) SELECT * FROM gone",
	"WITH x AS (SELECT 1) DELETE FROM items",
	"WITH x AS (SELECT 1) UPDATE orders SET cents = 1",
	"WITH x AS (SELECT 1) INSERT INTO refunds VALUES (1, 1, 'x', 'x', 'x')",
	"DROP TABLE refunds",
	"DROP TABLE IF EXISTS items",
	"DROP INDEX orders_placed",
	"CREATE TABLE mine (id INT)",
	"CREATE TABLE mine AS SELECT * FROM orders",
	"CREATE TEMP TABLE mine (id INT)",
	"CREATE VIEW mine AS SELECT * FROM orders",
	"CREATE INDEX mine ON orders (cents)",
	"ALTER TABLE orders ADD COLUMN mine INT",
	"ALTER TABLE orders RENAME TO mine",
	"ALTER TABLE orders DROP COLUMN status",
	"COMMIT",
	"ROLLBACK",
	"BEGIN",
	"VACUUM",
	"ANALYZE",
	"REINDEX orders",
	"SELECT * INTO mine FROM orders",
}

var sqliteWrites = []string{
	"REPLACE INTO refunds VALUES (1, 1, 'x', 'x', 'x')",
	"INSERT OR REPLACE INTO refunds VALUES (1, 1, 'x', 'x', 'x')",
	"PRAGMA query_only = 0",
	"PRAGMA query_only = 0; DELETE FROM orders",
	"PRAGMA writable_schema = 1; DELETE FROM sqlite_master",
	"PRAGMA journal_mode = DELETE",
	"PRAGMA user_version = 7",
	"PRAGMA wal_checkpoint(TRUNCATE); DELETE FROM items",
	"ATTACH '@' AS other",
	"ATTACH '@' AS other; CREATE TABLE other.mine AS SELECT * FROM orders",
	"VACUUM INTO '@'",
	"DETACH main",
	"DELETE FROM sqlite_master",
	"CREATE TRIGGER mine AFTER INSERT ON orders BEGIN DELETE FROM items; END",
	"CREATE VIRTUAL TABLE mine USING fts5(x)",
	"SELECT load_extension('@')",
	"SELECT writefile('@', 'x')",
	"SELECT edit('x', 'touch @')",
	"SAVEPOINT mine",
	"COMMIT; DELETE FROM orders",
}

var postgresWrites = []string{
	"TRUNCATE orders CASCADE",
	"MERGE INTO refunds USING orders ON FALSE WHEN NOT MATCHED THEN INSERT VALUES (id, 1, 'x', 'x', 'x')",
	"COPY orders TO '@'",
	"COPY orders TO PROGRAM 'touch @'",
	"COPY orders FROM PROGRAM 'true'",
	"SELECT lo_from_bytea(0, 'x')",
	"SELECT lo_export(1, '@')",
	"SELECT lo_import('/etc/passwd')",
	"SELECT pg_read_file('/etc/passwd')",
	"SELECT nextval('mine')",
	"CREATE FUNCTION mine() RETURNS INT LANGUAGE SQL AS 'DELETE FROM items; SELECT 1'",
	"DO $$ BEGIN DELETE FROM items; END $$",
	"SET TRANSACTION READ WRITE",
	"RESET ROLE",
	"SET SESSION AUTHORIZATION DEFAULT",
	"GRANT ALL ON orders TO CURRENT_USER",
	"CREATE ROLE mine",
	"LOCK TABLE orders",
	"SELECT * FROM orders FOR UPDATE",
	"NOTIFY mine",
	"LISTEN mine",
	"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> current_user",
	"PREPARE mine AS DELETE FROM items",
	"CALL mine()",
}

// TestQueryEndless checks that the timeout ends a statement that would never end.
func TestQueryEndless(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := d.Query(ctx, QueryIn{SQL: "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestReader checks that the program does not start with a reader that can write.
func TestReader(t *testing.T) {
	t.Parallel()
	if os.Getenv("DATABASE_URL") == "" {
		t.Skip("DATABASE_URL is not set; a file of SQLite is opened for reading only")
	}
	owner, _ := newSchema(t)
	_, err := open(t.Context(), config{url: owner, reader: owner})
	if err == nil || !strings.Contains(err.Error(), "can do more than read") {
		t.Errorf("got %v", err)
	}
}
