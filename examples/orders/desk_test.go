package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// testOrders is the number of orders of a database in tests.
const testOrders = 2_000

// newDesk returns a desk with its own database: of SQLite, or of PostgreSQL in a schema of the test if DATABASE_URL is
// set. The tests are the same for both.
func newDesk(t *testing.T) *Desk {
	t.Helper()
	c := config{dir: t.TempDir()}
	if os.Getenv("DATABASE_URL") != "" {
		c.url, c.reader = newSchema(t)
	}
	db, err := open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := seed(t.Context(), db, testOrders, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	exports := filepath.Join(c.dir, "exports")
	if err := os.Mkdir(exports, 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(exports)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return &Desk{db: db, exports: root}
}

// newSchema creates a schema, and a role that may read it, in the database of DATABASE_URL.
func newSchema(t *testing.T) (owner, reader string) {
	t.Helper()
	admin, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	name := strings.ToLower("test_" + strings.Map(func(r rune) rune {
		if r == '/' || r == '-' {
			return '_'
		}
		return r
	}, t.Name()))
	do := func(statements ...string) {
		t.Helper()
		for i := 0; i < len(statements); {
			s := strings.ReplaceAll(statements[i], "@", name)
			_, err := admin.ExecContext(context.WithoutCancel(t.Context()), s)
			// If statements about roles and schemas of several tests wait for each other, PostgreSQL lets one of them fail.
			if failed, ok := errors.AsType[*pgconn.PgError](err); ok && failed.Code == "40P01" {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			i++
		}
	}
	drop := []string{"DROP SCHEMA IF EXISTS @ CASCADE", "DROP ROLE IF EXISTS @_reader"}
	do(drop...)
	do("CREATE SCHEMA @", "CREATE ROLE @_reader LOGIN PASSWORD 'reader'", "GRANT USAGE ON SCHEMA @ TO @_reader",
		"ALTER DEFAULT PRIVILEGES IN SCHEMA @ GRANT SELECT ON TABLES TO @_reader")
	t.Cleanup(func() {
		do(drop...)
		_ = admin.Close()
	})
	owner = withParam(t, os.Getenv("DATABASE_URL"), name, "", "")
	return owner, withParam(t, os.Getenv("DATABASE_URL"), name, name+"_reader", "reader")
}

func newTool[In, Out any](t *testing.T, fn func(context.Context, In) (Out, error)) *mcptool.Tool {
	t.Helper()
	tool, err := mcptool.New(fn)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// TestSearch reads all orders of a filter page by page, while others arrive, and compares with a count.
func TestSearch(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	search := newTool(t, d.Search)
	for name, filter := range map[string]Filter{
		"all":      {},
		"customer": {Customer: "ADA"},
		"status":   {Status: StatusPaid},
		"days":     {From: "2024-03-01", To: "2024-03-31"},
		"total":    {MinCents: 100_000},
		"none":     {Customer: "100%"},
	} {
		all, err := d.orders(t.Context(), filter.args(), "")
		if err != nil {
			t.Fatal(err)
		}
		want := len(all)
		if (want == 0) != (name == "none") || want == testOrders && name != "all" {
			t.Errorf("%s: %d orders match", name, want)
		}
		seen := map[int64]bool{}
		in := SearchIn{Filter: filter, Limit: 97}
		for page := 0; ; page++ {
			out := mcptooltest.Call[SearchIn, SearchOut](t, search, in)
			for _, o := range out.Orders {
				if seen[o.ID] {
					t.Fatalf("%s: order %d occurs twice", name, o.ID)
				}
				seen[o.ID] = true
			}
			if in.Cursor = out.Cursor; in.Cursor == "" {
				break
			}
			if _, err := d.db.ExecContext(t.Context(), "INSERT INTO orders VALUES ((SELECT MAX(id) + 1 FROM orders), 1, '2030-01-01T00:00:00Z', 'new', 1)"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := d.db.ExecContext(t.Context(), "DELETE FROM orders WHERE placed > '2030'"); err != nil {
			t.Fatal(err)
		}
		if len(seen) != want {
			t.Errorf("%s: pages have %d orders, want %d", name, len(seen), want)
		}
	}
	if _, err := search.Call(t.Context(), []byte(`{"cursor":"AAAA"}`)); err == nil || !strings.Contains(err.Error(), "unknown cursor") {
		t.Errorf("a wrong cursor: %v", err)
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	out := mcptooltest.Call[GetIn, GetOut](t, newTool(t, d.Get), GetIn{ID: 7})
	var total int64
	for _, item := range out.Items {
		total += item.Quantity * item.Cents
	}
	if total == 0 || total != out.Cents || out.Refund != nil {
		t.Errorf("got %+v", out)
	}
	if _, err := newTool(t, d.Get).Call(t.Context(), []byte(`{"id":999999}`)); err == nil || !strings.Contains(err.Error(), "unknown order 999999") {
		t.Errorf("an unknown order: %v", err)
	}
}

// TestRevenue compares the sum of the months with the sum of the orders that count.
func TestRevenue(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var got, want int64
	for _, year := range []int{2024, 2025, 2026} {
		for _, m := range mcptooltest.Call[RevenueIn, RevenueOut](t, newTool(t, d.Revenue), RevenueIn{Year: year}).Months {
			got += m.Cents
		}
	}
	for _, status := range []Status{StatusPaid, StatusShipped} {
		orders, err := d.orders(t.Context(), Filter{Status: status}.args(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range orders {
			want += o.Cents
		}
	}
	if got != want || got == 0 {
		t.Errorf("the months sum up to %d, the orders to %d", got, want)
	}
}

// TestRefund refunds one order from many callers at once. Each of them gets the same refund, and there is only one.
func TestRefund(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	order := find(t, d, StatusShipped)
	refund := newTool(t, d.Refund)
	var calls sync.WaitGroup
	got := make([]Refund, 20)
	for i := range got {
		calls.Go(func() {
			user := &mcptooltest.Client{Answers: []any{true}} // a late one is not asked
			res, err := user.Call(t.Context(), refund, fmt.Appendf(nil, `{"id":%d,"reason":"broken"}`, order.ID))
			if err != nil {
				t.Error(err)
				return
			}
			got[i] = decode[Refund](t, res)
		})
	}
	calls.Wait()
	for _, r := range got {
		if r != got[0] || r.Cents != order.Cents || r.By != "local" {
			t.Errorf("got %+v and %+v", got[0], r)
		}
	}
	after := mcptooltest.Call[GetIn, GetOut](t, newTool(t, d.Get), GetIn{ID: order.ID})
	if after.Status != StatusRefunded || after.Refund == nil || *after.Refund != got[0] {
		t.Errorf("afterwards: %+v", after)
	}
}

// TestRefundRefused checks that nothing is refunded unless the user agrees to the amount of an order that can be refunded.
func TestRefundRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	refund := newTool(t, d.Refund)
	order := find(t, d, StatusPaid)
	for name, test := range map[string]struct {
		id     int64
		answer any
		want   string
	}{
		"declined": {order.ID, false, "declined"},
		"unpaid":   {find(t, d, StatusNew).ID, nil, "only paid and shipped orders"},
		"unknown":  {1 << 40, nil, "unknown order"},
	} {
		user := &mcptooltest.Client{}
		if test.answer != nil {
			user.Answers = []any{test.answer}
		}
		_, err := user.Call(t.Context(), refund, fmt.Appendf(nil, `{"id":%d,"reason":"broken"}`, test.id))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if asked := user.Asked(); test.answer != nil && (len(asked) != 1 || !strings.Contains(asked[0].Message, euros(order.Cents)+" for order")) {
			t.Errorf("%s: asked %v", name, asked)
		}
	}
	order.Cents++ // as if the user had seen another amount
	if _, err := d.refund(t.Context(), order, "broken", "ada"); err == nil || !strings.Contains(err.Error(), "nothing was refunded") {
		t.Errorf("a changed order: %v", err)
	}
	var n int
	if err := d.db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM refunds").Scan(&n); err != nil || n != 0 {
		t.Errorf("there are %d refunds, %v", n, err)
	}
}

// TestExport compares an exported file with the orders of its year.
func TestExport(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	tool := newTool(t, d.Export)
	user := new(mcptooltest.Client)
	out := mcptooltest.CallAs[ExportIn, ExportOut](t, user, tool, ExportIn{Year: 2024})
	registry, err := d.registry()
	if err != nil {
		t.Fatal(err)
	}
	file := mcptooltest.Read[string](t, exported(t, registry), out.URI)
	lines := strings.Split(strings.TrimSpace(file), "\n")
	if out.Orders < 500 || int64(len(lines)) != out.Orders+1 || !strings.HasPrefix(lines[1], "1,2024-01-") {
		t.Errorf("%d orders, %d lines: %.200s", out.Orders, len(lines), file)
	}
	if out.Orders > 1000 && len(user.ProgressReports()) == 0 {
		t.Error("no progress was reported")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tool.Call(ctx, []byte(`{"year":2025}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled export: %v", err)
	}
	if files, err := filepath.Glob(filepath.Join(d.exports.Name(), "[^.]*")); err != nil || len(files) != 1 {
		t.Errorf("after a cancelled export there are %v, %v", files, err)
	}
}

// TestScopes checks that callers see what their scopes allow.
func TestScopes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	registry, err := d.registry()
	if err != nil {
		t.Fatal(err)
	}
	for scope, want := range map[string]int{"orders:read": 3, "orders:refund": 1, "orders:export": 1, "orders:sql": 1} {
		user := &mcptooltest.Client{Scopes: []string{scope}}
		if got := len(user.Tools(t.Context(), registry)); got != want {
			t.Errorf("%s: %d tools, want %d", scope, got, want)
		}
		sees := slices.ContainsFunc(user.Resources(t.Context(), registry), func(r *mcptool.Resource) bool { return strings.HasPrefix(r.URI(), exportPrefix) })
		if sees != (scope == "orders:export") {
			t.Errorf("%s sees the exported files: %t", scope, sees)
		}
	}
}

// TestTools runs the checks of the framework: schemas, examples, names and descriptions.
func TestTools(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	registry, err := d.registry()
	if err != nil {
		t.Fatal(err)
	}
	mcptooltest.AssertCompatible(t, registry, "testdata/tools.json")
}

// exported returns the resource of exported files.
func exported(t *testing.T, registry *mcptool.Registry) *mcptool.Resource {
	t.Helper()
	for r := range registry.Resources() {
		if strings.HasPrefix(r.URI(), exportPrefix) {
			return r
		}
	}
	t.Fatal("the registry has no exported files")
	return nil
}

// find returns an order in the status.
func find(t *testing.T, d *Desk, status Status) Order {
	t.Helper()
	orders, err := d.orders(t.Context(), Filter{Status: status}.args(), " ORDER BY o.id LIMIT 1")
	if err != nil || len(orders) != 1 {
		t.Fatal(orders, err)
	}
	return orders[0]
}

func decode[T any](t *testing.T, res *mcptool.Result) (v T) {
	t.Helper()
	text, err := json.Marshal(res.Structured)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Error(err)
	}
	return v
}

// withParam returns the address of a database with a schema, and with a user unless it is "".
func withParam(t *testing.T, address, schema, user, password string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	values := u.Query()
	values.Set("search_path", schema)
	u.RawQuery = values.Encode()
	if user != "" {
		u.User = url.UserPassword(user, password)
	}
	return u.String()
}
