package mcptool

import (
	"context"
	"fmt"
)

// yes is the form behind [Confirm]: an empty one would do for the protocol, but some
// clients accept an empty form in the name of a user who has not seen it.
type yes struct {
	Yes bool `json:"confirm" jsonschema:"title=Yes"`
}

// Confirm asks the user a yes-or-no question. It returns nil only if the user answers yes, and an error in all other
// cases:
//
//	if err := mcptool.Confirm(ctx, "Delete all 12 files?"); err != nil {
//		return Out{}, err
//	}
//
// If the user answers no, the error is [ErrDeclined]; the other errors and rules are those of [Elicit]. The option
// [AskFirst] asks before the tool runs.
func Confirm(ctx context.Context, message string, opts ...AskOption) error {
	answer, err := Elicit[yes](ctx, message, opts...)
	if err == nil && !answer.Yes {
		err = fmt.Errorf("%w: %s", ErrDeclined, message)
	}
	return err
}
