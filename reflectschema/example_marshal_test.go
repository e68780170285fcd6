package reflectschema_test

import (
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// A Payment is how a customer pays.
type Payment interface{ isPayment() }

type (
	Card struct {
		Number string `json:"number"`
	}
	Transfer struct {
		IBAN string `json:"iban"`
	}
)

func (Card) isPayment()     {}
func (Transfer) isPayment() {}

func init() {
	reflectschema.RegisterUnion("kind", map[string]Payment{"card": Card{}, "transfer": Transfer{}})
}

// An Order is kept in a database, as JSON.
type Order struct {
	ID      int     `json:"id"`
	Payment Payment `json:"payment"`
}

// A value with a union in it is stored and loaded. By encoding/json the kind of the payment would be lost.
func ExampleMarshal() {
	order := Order{ID: 7, Payment: Card{Number: "4242"}}

	lost, _ := json.Marshal(order)
	fmt.Printf("encoding/json: %s\n", lost)

	row, err := reflectschema.Marshal(order)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("Marshal:       %s\n", row)

	loaded, err := reflectschema.Unmarshal[Order](row)
	fmt.Printf("Unmarshal:     %+v, a %T, %v\n", loaded, loaded.Payment, err)
	// Output:
	// encoding/json: {"id":7,"payment":{"number":"4242"}}
	// Marshal:       {"id":7,"payment":{"kind":"card","number":"4242"}}
	// Unmarshal:     {ID:7 Payment:{Number:4242}}, a reflectschema_test.Card, <nil>
}
