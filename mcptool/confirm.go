package mcptool

import (
	"context"
	"fmt"
)

// yes is the form of [Confirm]. The protocol allows an empty form, but some clients accept one without showing it to
// the user.
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
// If the user answers no, the error is [ErrDeclined]; otherwise the errors and rules are the same as for [Elicit]. The
// option [AskFirst] asks before the tool runs.
func Confirm(ctx context.Context, message string, opts ...AskOption) error {
	answer, err := Elicit[yes](ctx, message, opts...)
	if err == nil && !answer.Yes {
		err = fmt.Errorf("%w: %s", ErrDeclined, message)
	}
	return err
}
