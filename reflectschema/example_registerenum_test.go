package reflectschema_test

import (
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// A TicketState is one of its constants.
type TicketState string

const (
	TicketOpen   TicketState = "open"
	TicketClosed TicketState = "closed"
)

func init() {
	reflectschema.RegisterEnum(TicketOpen, TicketClosed)
}

type FindTicketsIn struct {
	States []TicketState       `json:"states"`
	Limits map[TicketState]int `json:"limits,omitempty" doc:"How many of each"`
}

// The values of a named type are listed once, and hold wherever it is used.
func ExampleRegisterEnum() {
	compiled, err := reflectschema.Compile(reflect.TypeFor[FindTicketsIn](), reflectschema.DirectionInput)
	if err != nil {
		fmt.Println(err)
		return
	}
	var in FindTicketsIn
	fmt.Println(compiled.Decode([]byte(`{"states":["opened"],"limits":{"done":5}}`), reflect.ValueOf(&in).Elem()))
	// Output:
	// limits.done: is not an allowed name: it must be one of "open", "closed", got "done"
	// states[0]: must be one of "open", "closed", got "opened"; did you mean "open"?
	// Example: {"states":["open"],"limits":{"open":1}}
}
