package main

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// TestReplay runs the func again from the top after the question, as another instance does: it gets the same values and
// asks the same.
func TestReplay(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New((&Shop{Log: slog.New(slog.DiscardHandler)}).Order)
	if err != nil {
		t.Fatal(err)
	}
	user := &mcptooltest.Client{Answers: []any{Delivery{Address: "Rua Augusta 1, Lisbon"}}, Replay: true}
	out := mcptooltest.CallAs[OrderIn, OrderOut](t, user, tool, OrderIn{Reference: "birthday", Packets: 2})
	if out.Number == "" || out.Parcel == "" || out.Address != "Rua Augusta 1, Lisbon" {
		t.Errorf("got %+v", out)
	}
}

// TestCancelled checks that a step of a canceled order ends.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(context.DeadlineExceeded)
	if err := (&Shop{Step: 1 << 62}).work(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the cause", err)
	}
}
