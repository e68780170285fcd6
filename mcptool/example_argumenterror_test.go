package mcptool_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Invalid arguments never reach the func. The model reads the text of the error.
func ExampleArgumentError() {
	tool, err := mcptool.New(Shout)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = tool.Call(context.Background(), []byte(`{"txt":"hello"}`))
	if refused, ok := errors.AsType[*mcptool.ArgumentError](err); ok {
		fmt.Println(refused)
	}
	// Output:
	// shout: invalid arguments
	// text: is required but missing
	// txt: is not a known property; did you mean "text"?
	// Example: {"text":"text"}
}
