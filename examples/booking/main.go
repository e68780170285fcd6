// Command booking is a tool server that books seats on a train. It asks the user which
// seat, and again before it spends money, and it books once, whatever era the client is of.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

// BookIn is what book_seat is asked.
type BookIn struct {
	_    struct{} `mcp:"name=book_seat,title=Book a seat,destructive=false,openWorld=false" doc:"Book a seat on a train. The user is asked for the details and for the price."`
	From string   `json:"from" jsonschema:"minLength=1,example=Lisbon" doc:"Where from"`
	To   string   `json:"to" jsonschema:"minLength=1,example=Porto" doc:"Where to"`
}

// BookOut is what book_seat answers.
type BookOut struct {
	Booking string `json:"booking" doc:"Show it on the train"`
	Seat    string `json:"seat"`
	Price   int    `json:"price" doc:"In euros"`
}

// Seat is the form that the user fills in.
type Seat struct {
	Class string `json:"class" jsonschema:"enum=1,enum=2,enumTitle=First class,enumTitle=Second class,default=2"`
	Quiet bool   `json:"quiet,omitempty" jsonschema:"title=In a quiet car"`
}

// Book books a seat. Over an older connection it runs once and waits where it asks; over
// a newer one it runs again from the top for each answer, so what it does before a question
// stands in Once.
func (o *Office) Book(ctx context.Context, in BookIn) (BookOut, error) {
	seat, err := mcptool.Elicit[Seat](ctx, fmt.Sprintf("Which seat from %s to %s?", in.From, in.To))
	if err != nil {
		return BookOut{}, err
	}
	hold, err := mcptool.Once(ctx, "hold", func(context.Context) (Hold, error) { return o.Hold(seat) })
	if err != nil {
		return BookOut{}, err
	}
	err = mcptool.Confirm(ctx, fmt.Sprintf("Book seat %s for %d euros?", hold.Seat, hold.Price))
	if err != nil && !errors.Is(err, mcptool.ErrUnanswered) {
		o.Release(hold) // the user will not confirm
	}
	if err != nil {
		return BookOut{}, err
	}
	booking, err := o.Buy(hold)
	return BookOut{Booking: booking, Seat: hold.Seat, Price: hold.Price}, err
}

func main() {
	office := NewOffice(40)
	mcptool.Register(office.Book)
	stdio.Main(nil)
}
