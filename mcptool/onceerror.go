package mcptool

import (
	"context"
	"fmt"
	"strings"
)

// OnceError reports that [Once] cannot store a value: its type has no JSON form that can be decoded again, the value
// does not fit the constraints of its type, or the key is empty, used for two types, or used inside its own func. This
// is a mistake in the tool. The text is for the log and must not be sent to a client.
type OnceError struct {
	// Tool is the name of the tool or prompt, or the URI or template of the resource.
	Tool string
	// Key is the key of the value.
	Key string
	// Err is the reason. It wraps a [reflectschema.TypeErrors] if the type cannot be stored, and a
	// [*reflectschema.InvalidError] if the value does not fit.
	Err error

	ran bool
}

// newOnceError returns an error about a key in a call. Ran is whether its func has run.
func newOnceError(ctx context.Context, key string, ran bool, err error) error {
	return &OnceError{Tool: running(ctx), Key: key, Err: err, ran: ran}
}

// Ran reports whether the func given to Once has run for the key; then its effects remain.
func (e *OnceError) Ran() bool { return e.ran }

// Error returns the text for the log, on one line.
func (e *OnceError) Error() string {
	done := "its func has not run"
	if e.ran {
		done = "its func has run, and its effects remain"
	}
	return fmt.Sprintf("%s: Once(%q): %s (%s)", e.Tool, e.Key, strings.ReplaceAll(e.Err.Error(), "\n", "; "), done)
}

// Unwrap returns Err.
func (e *OnceError) Unwrap() error { return e.Err }
