package main

import (
	"context"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// TestTools runs the generated tests of docs/testing.md, as a caller of a tenant.
func TestTools(t *testing.T) {
	t.Parallel()
	registry, err := newDesk(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	ada := &mcptooltest.Client{Tenant: "acme", Principal: "ada", CallContext: func(ctx context.Context) (context.Context, error) {
		return newAccounts().open(ctx) // each call gets all tickets
	}}
	ada.Check(t, registry, mcptooltest.Destructive("rename_ticket", "close_ticket", "refund"),
		mcptooltest.Answers("close_ticket", true), mcptooltest.Answers("refund", true))
}
