package main

import (
	"context"
	"database/sql"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// seedOf is the seed of the orders of a new database: the same seed makes the same orders.
const seedOf = 2026

var (
	firstNames = strings.Fields("Ada Alan Barbara Claude Donald Edsger Frances Grace Hedy Ivan Jean John Katherine Leslie Margaret Niklaus Radia Shafi Tony Yann")
	lastNames  = strings.Fields("Adler Bauer Costa Dubois Evans Ferrari Garcia Hansen Ivanov Jensen Kim Lopez Martin Novak Okafor Petit Rossi Silva Tanaka Weber")
	cities     = strings.Fields("Athens Berlin Cairo Dakar Lima Lisbon Madrid Nairobi Osaka Oslo Paris Quito Rome Seoul Tallinn Vienna")
	products   = []struct {
		name  string
		cents int64
	}{{"Notebook", 490}, {"Pen", 250}, {"Desk lamp", 4_900}, {"Chair", 18_900}, {"Desk", 39_900}, {"Headphones", 12_900}, {"Keyboard", 9_900}, {"Backpack", 7_450}}
)

// seed fills an empty database with n orders, and logs how far it is. It does nothing if that was done before, also by
// another instance at the same time.
func seed(ctx context.Context, db *database, n int, log *slog.Logger) error {
	return db.transact(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `INSERT INTO seeded VALUES ($1) ON CONFLICT DO NOTHING`, seedOf)
		if err != nil {
			return err
		}
		if isNew, err := res.RowsAffected(); err != nil || isNew == 0 {
			return err
		}
		return fill(ctx, tx, n, log)
	})
}

func fill(ctx context.Context, tx *sql.Tx, n int, log *slog.Logger) error {
	begun := time.Now()
	random := rand.New(rand.NewPCG(seedOf, 0))
	customers, orders, items := batch{table: "customers"}, batch{table: "orders"}, batch{table: "items"}
	people := 1 + n/20
	for id := range people {
		customers.add(id+1, pick(random, firstNames)+" "+pick(random, lastNames), pick(random, cities))
		if err := customers.flush(ctx, tx, batchRows); err != nil {
			return err
		}
	}
	if err := customers.flush(ctx, tx, 1); err != nil {
		return err
	}
	placed := time.Date(2024, 1, 1, 8, 0, 0, 0, time.UTC)
	step := 2 * 365 * 24 * time.Hour / time.Duration(max(n, 1))
	for id := 1; id <= n; id++ {
		placed = placed.Add(time.Duration(random.Int64N(int64(2 * step))))
		var total int64
		for line := range 1 + random.IntN(3) {
			product, quantity := pick(random, products), int64(1+random.IntN(4))
			total += quantity * product.cents
			items.add(id, line+1, product.name, quantity, product.cents)
		}
		status := pick(random, []Status{StatusNew, StatusPaid, StatusPaid, StatusShipped, StatusShipped, StatusShipped, StatusCancelled})
		orders.add(id, 1+random.IntN(people), placed.Format(time.RFC3339), string(status), total)
		if id%batchRows != 0 && id != n {
			continue
		}
		if err := orders.flush(ctx, tx, 1); err != nil {
			return err
		}
		if err := items.flush(ctx, tx, 1); err != nil { // they refer to orders
			return err
		}
		if id%20_000 == 0 {
			log.Info("creating orders", slog.Int("done", id), slog.Int("of", n))
		}
	}
	log.Info("orders created", slog.Int("orders", n), slog.String("after", time.Since(begun).Round(time.Millisecond).String()))
	return nil
}

func pick[T any](random *rand.Rand, of []T) T { return of[random.IntN(len(of))] }

// batch inserts many rows into a table at a time.
type batch struct {
	table string
	width int // of a row
	args  []any
}

// batchRows is how many orders, with up to three items each, are inserted at a time. The driver of SQLite needs quadratic
// time for the parameters of a statement.
const batchRows = 50

func (b *batch) add(row ...any) {
	b.width = len(row)
	b.args = append(b.args, row...)
}

// flush inserts the rows if there are at least so many.
func (b *batch) flush(ctx context.Context, tx *sql.Tx, least int) error {
	if len(b.args) < least*b.width {
		return nil
	}
	var text strings.Builder
	text.WriteString("INSERT INTO " + b.table + " VALUES ")
	for i := range b.args {
		switch {
		case i == 0:
			text.WriteString("(")
		case i%b.width == 0:
			text.WriteString("), (")
		default:
			text.WriteString(", ")
		}
		text.WriteString("$" + strconv.Itoa(i+1))
	}
	_, err := tx.ExecContext(ctx, text.String()+")", b.args...)
	b.args = b.args[:0]
	return err
}
