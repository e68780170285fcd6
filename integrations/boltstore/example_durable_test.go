package boltstore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/mcptool"
)

// ShipIn holds the arguments of ship_order.
type ShipIn struct {
	_     struct{} `mcp:"name=ship_order,destructive=false,task=required,durable" doc:"Ship an order, when the user agrees to the price."`
	Order string   `json:"order" jsonschema:"example=A-17"`
}

// ShipOut holds the result of ship_order.
type ShipOut struct {
	Parcel string `json:"parcel" doc:"The number of the parcel"`
}

// Carrier sells labels for parcels. It makes one label for one key, however often it is asked.
type Carrier interface {
	Price(ctx context.Context, order string) (cents int, err error)
	Label(ctx context.Context, order, key string) (parcel string, err error)
}

// Office ships orders.
type Office struct{ Carrier Carrier }

// Ship ships an order. When the process dies while it runs or waits for the user, it runs again from the top in the next
// process: Once returns what was kept, and Confirm what was answered.
func (o *Office) Ship(ctx context.Context, in ShipIn) (ShipOut, error) {
	price, err := mcptool.Once(ctx, "price", func(ctx context.Context) (int, error) { return o.Carrier.Price(ctx, in.Order) })
	if err != nil {
		return ShipOut{}, err
	}
	if err := mcptool.Confirm(ctx, fmt.Sprintf("Ship order %s for %d.%02d?", in.Order, price/100, price%100)); err != nil {
		return ShipOut{}, err
	}
	key, err := mcptool.Once(ctx, "key", func(context.Context) (string, error) { return rand.Text(), nil })
	if err != nil {
		return ShipOut{}, err
	}
	// Without the key, a process that dies here would buy two labels.
	parcel, err := mcptool.Once(ctx, "parcel", func(ctx context.Context) (string, error) { return o.Carrier.Label(ctx, in.Order, key) })
	return ShipOut{Parcel: parcel}, err
}

// A tool whose tasks survive the process that runs them.
func Example_durable() {
	tool, err := mcptool.New((&Office{}).Ship)
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "tasks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := boltstore.Open(filepath.Join(dir, "tasks.db"), boltstore.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tool.Info().Name, store.LeaseTime(), errors.Join(store.Close()))
	// Output: ship_order 15s <nil>
}
