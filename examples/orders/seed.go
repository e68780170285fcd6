package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"
)

// seedOf is the seed of the orders of a new database: the same seed makes the same orders.
const seedOf = 2026

// seedBatch is how many orders are inserted at a time, with up to three items each.
const seedBatch = 10_000

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
		res, err := tx.ExecContext(ctx, "INSERT INTO seeded VALUES ($1) ON CONFLICT DO NOTHING", seedOf)
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
	random := rand.New(rand.NewPCG(seedOf, 0))
	var customers, orders, items []string
	people := 1 + n/20
	for id := range people {
		customers = append(customers, fmt.Sprintf("(%d, '%s %s', '%s')", id+1, pick(random, firstNames), pick(random, lastNames), pick(random, cities)))
	}
	if err := insert(ctx, tx, "customers", customers); err != nil {
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
			items = append(items, fmt.Sprintf("(%d, %d, '%s', %d, %d)", id, line+1, product.name, quantity, product.cents))
		}
		status := pick(random, []Status{StatusNew, StatusPaid, StatusPaid, StatusShipped, StatusShipped, StatusShipped, StatusCancelled})
		orders = append(orders, fmt.Sprintf("(%d, %d, '%s', '%s', %d)", id, 1+random.IntN(people), placed.Format(time.RFC3339), status, total))
		if id%seedBatch == 0 || id == n {
			if err := errors.Join(insert(ctx, tx, "orders", orders), insert(ctx, tx, "items", items)); err != nil {
				return err
			}
			orders, items = nil, nil
			log.Info("orders created", slog.Int("orders", id), slog.Int("of", n))
		}
	}
	_, err := tx.ExecContext(ctx, "ANALYZE") // otherwise PostgreSQL plans the first searches badly
	return err
}

func pick[T any](random *rand.Rand, of []T) T { return of[random.IntN(len(of))] }

// insert inserts rows into a table. They are written as SQL, which is safe because all texts are in this file: a statement
// for each row would take much longer.
func insert(ctx context.Context, tx *sql.Tx, table string, rows []string) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO "+table+" VALUES "+strings.Join(rows, ", "))
	return err
}
