package mcptool_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

type TypoIn struct {
	_     struct{} `mcp:"readonly"`
	Count int      `json:"count" jsonschema:"minimun=1"`
}

// New reports all mistakes in the definition of a tool at once, each with its fix.
func ExampleRegisterError() {
	_, err := mcptool.New(func(context.Context, TypoIn) (struct{}, error) {
		return struct{}{}, nil
	})
	if refused, ok := errors.AsType[*mcptool.RegisterError](err); ok {
		for _, mistake := range refused.Mistakes {
			fmt.Println("-", mistake.Reason+":", mistake.Fix)
		}
	}
	// Output:
	// - unknown key "readonly": write readOnly
	// - the func is a literal, so the tool has no default name: pass Name("…"), or write name=… in the mcp tag
	// - unknown keyword "minimun": write minimum
}
