package mcptool

import (
	"context"
	"fmt"
	"strings"
)

// OnceError reports that [Once] cannot store a value: its type has no JSON form that can be read back, the value
// breaks the constraints of its type, or a key is empty or is used for two types. That is a mistake of the tool's
// author. The text is for the log, never for a client.
type OnceError struct {
	// Tool is the name of the tool.
	Tool string
	// Key is the key of the value.
	Key string
	// Err is what is wrong: for a type a [reflectschema.TypeErrors], for a value a [*reflectschema.InvalidError].
	Err error

	ran bool
}

// newOnceError says of a key in a call what is wrong, and whether its func has run.
func newOnceError(ctx context.Context, key string, ran bool, err error) error {
	return &OnceError{Tool: Caller(ctx).Tool, Key: key, Err: err, ran: ran}
}

// Ran reports whether the func given to Once has run for the key; then its effects remain.
func (e *OnceError) Ran() bool { return e.ran }

// Error returns the text for the log, on one line.
func (e *OnceError) Error() string {
	done := "its func has not run"
	if e.ran {
		done = "its func has run, and what it did stays done"
	}
	return fmt.Sprintf("%s: Once(%q): %s (%s)", e.Tool, e.Key, strings.ReplaceAll(e.Err.Error(), "\n", "; "), done)
}

// Unwrap returns Err.
func (e *OnceError) Unwrap() error { return e.Err }
