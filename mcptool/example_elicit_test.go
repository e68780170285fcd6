package mcptool_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// A room is what the guest chooses.
type room struct {
	Beds int    `json:"beds" jsonschema:"minimum=1,maximum=3"`
	View string `json:"view" jsonschema:"enum=sea,enum=yard,default=yard"`
}

// ExampleElicit asks twice. The client of the guest makes the func run again for each answer; the func given to Once runs
// once.
func ExampleElicit() {
	reserve := func(ctx context.Context, _ struct{}) (string, error) {
		want, err := mcptool.Elicit[room](ctx, "Which room?")
		if err != nil {
			return "", err
		}
		number, err := mcptool.Once(ctx, "hold", func(context.Context) (int, error) {
			fmt.Println("holding a room with a view of the", want.View)
			return 12, nil
		})
		if err != nil {
			return "", err
		}
		err = mcptool.Confirm(ctx, fmt.Sprintf("Book room %d?", number))
		if err != nil && !errors.Is(err, mcptool.ErrAnswerPending) { // the user will not confirm
			fmt.Println("letting go of room", number)
		}
		return "booked", err
	}
	tool, err := mcptool.New(reserve, mcptool.Name("reserve"))
	if err != nil {
		fmt.Println(err)
		return
	}
	guest := &mcptooltest.Client{Replay: true, Answers: []any{room{Beds: 2, View: "sea"}, false}}
	_, err = guest.Call(context.Background(), tool, nil)
	fmt.Println(err)
	// Output:
	// holding a room with a view of the sea
	// letting go of room 12
	// the user declined: Book room 12?
}
