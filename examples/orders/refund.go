package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// RefundIn holds the arguments of refund_order.
type RefundIn struct {
	_      struct{} `mcp:"name=refund_order,title=Refund an order,destructive,idempotent,openWorld=false,scopes=orders:refund,auditArguments" doc:"Refund a paid or shipped order, after the user has confirmed the amount. An order is refunded once: later calls return the same refund."`
	ID     int64    `json:"id" jsonschema:"minimum=1"`
	Reason string   `json:"reason" jsonschema:"minLength=3,maxLength=200"`
}

// Refund is the refund of an order.
type Refund struct {
	Cents    int64  `json:"cents" doc:"In euro cents"`
	Reason   string `json:"reason"`
	Refunded string `json:"refunded" jsonschema:"format=date-time"`
	By       string `json:"by" doc:"Who has called refund_order"`
}

// Refund refunds an order when the user agrees to the amount.
func (d *Desk) Refund(ctx context.Context, in RefundIn) (Refund, error) {
	order, err := d.order(ctx, in.ID)
	switch {
	case err != nil:
		return Refund{}, err
	case order.Status == StatusRefunded:
		return d.refundOf(ctx, in.ID)
	case order.Status != StatusPaid && order.Status != StatusShipped:
		return Refund{}, mcptool.Errorf("order %d is %s; only paid and shipped orders can be refunded", in.ID, order.Status)
	}
	question := fmt.Sprintf("Refund %s for order %d to %s?", euros(order.Cents), in.ID, order.Customer)
	if err := mcptool.Confirm(ctx, question); err != nil {
		return Refund{}, err
	}
	return d.refund(ctx, order, in.Reason, cmp.Or(mcptool.Caller(ctx).Principal, "local"))
}

// refund refunds the order as the user has seen it, in one transaction. The primary key of refunds decides which of two
// calls does it.
func (d *Desk) refund(ctx context.Context, order Order, reason, by string) (Refund, error) {
	err := d.db.transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO refunds (order_id, cents, reason, refunded, refunded_by)
			SELECT id, cents, CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT) FROM orders
			WHERE id = $4 AND cents = $5 AND status IN ('paid', 'shipped') ON CONFLICT DO NOTHING`,
			reason, time.Now().UTC().Format(time.RFC3339), by, order.ID, order.Cents)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE orders SET status = 'refunded' WHERE id IN (SELECT order_id FROM refunds WHERE order_id = $1)", order.ID)
		return err
	})
	if err != nil {
		return Refund{}, err
	}
	refund, err := d.refundOf(ctx, order.ID)
	if errors.Is(err, sql.ErrNoRows) {
		err = mcptool.Errorf("order %d has changed since the user was asked; nothing was refunded", order.ID)
	}
	return refund, err
}

// refundOf returns the refund of an order, or sql.ErrNoRows.
func (d *Desk) refundOf(ctx context.Context, order int64) (r Refund, err error) {
	err = d.db.QueryRowContext(ctx, "SELECT cents, reason, refunded, refunded_by FROM refunds WHERE order_id = $1", order).
		Scan(&r.Cents, &r.Reason, &r.Refunded, &r.By)
	return r, err
}

func euros(cents int64) string { return fmt.Sprintf("€%d.%02d", cents/100, cents%100) }
