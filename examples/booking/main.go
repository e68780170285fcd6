// Command booking is a tool server that books seats on a train. It asks the user for a
// seat, and for confirmation of the price. It books only once, with clients of either era.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

// BookIn holds the arguments of book_seat.
type BookIn struct {
	_    struct{} `mcp:"name=book_seat,title=Book a seat,destructive=false,openWorld=false" doc:"Book a seat on a train. The user is asked for the details and for the price."`
	From string   `json:"from" jsonschema:"minLength=1,example=Lisbon" doc:"Where from"`
	To   string   `json:"to" jsonschema:"minLength=1,example=Porto" doc:"Where to"`
}

// BookOut holds the result of book_seat.
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

// Book books a seat. With an older client it runs once and waits for each answer; with a
// newer one it runs again from the top after each answer, so side effects before a question
// are wrapped in Once.
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
	if err != nil && !errors.Is(err, mcptool.ErrAnswerPending) {
		o.Release(hold) // the user did not confirm
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
