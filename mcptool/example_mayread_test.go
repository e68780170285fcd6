package mcptool_test

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// desk has the tickets of several tenants.
type desk struct{ tenants map[int]string } // by the ids of their tickets

type TicketIn struct {
	_  struct{} `mcp:"name=ticket,uri=ticket://{id}"`
	ID int      `json:"id"`
}

// mayRead lets the callers of a tenant read its tickets.
func (d desk) mayRead(ctx context.Context, in TicketIn) error {
	if d.tenants[in.ID] != mcptool.Caller(ctx).Tenant {
		return mcptool.ErrResourceNotFound
	}
	return nil
}

func (d desk) read(_ context.Context, in TicketIn) (string, error) {
	return fmt.Sprintf("ticket %d of %s", in.ID, d.tenants[in.ID]), nil
}

func ExampleMayRead() {
	d := desk{map[int]string{1: "acme", 2: "globex"}}
	ticket, err := mcptool.NewResource(d.read, mcptool.MayRead(d.mayRead))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &mcptooltest.Client{Tenant: "acme", Principal: "ada"}
	for _, uri := range []string{"ticket://1", "ticket://2"} {
		contents, err := ticket.Read(client.Context(context.Background()), uri)
		fmt.Println(contents, err)
	}
	// Output:
	// [ticket://1: text/plain, "ticket 1 of acme"] <nil>
	// [] resource not found
}
