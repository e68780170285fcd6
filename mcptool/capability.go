package mcptool

import (
	"context"
	"slices"
	"strings"
)

// Require returns nil if the client of the running call has declared all of the capabilities, named as for [CallInfo.Supports],
// and otherwise a [*CapabilityError] that lists the missing ones. A func that needs them returns the error unchanged:
//
//	if err := mcptool.Require(ctx, "sampling"); err != nil {
//		return Out{}, err
//	}
//
// Clients from revision 2026-07-28 on then get the JSON-RPC error -32021 with the capabilities that they would have to
// declare. Older clients get a result with isError. To hide a tool from the clients that cannot use it instead, see
// [VisibleIf].
//
// If the call of an older client belongs to no session, as over HTTP with a handler that has none, its capabilities are
// unknown and it cannot be asked: then CallInfo.Supports returns false, and the error wraps [ErrNoAnswer].
func Require(ctx context.Context, capabilities ...string) error {
	info := infoOf(ctx)
	lacking := slices.DeleteFunc(slices.Clone(capabilities), info.Supports)
	switch {
	case len(lacking) == 0:
		return nil
	case info.ProtocolVersion != "" && info.Capabilities == nil:
		return errNoSession
	}
	return &CapabilityError{Missing: lacking}
}

// errNoSession is the error when the server has never learned the capabilities of the client.
var errNoSession = Errorf("%w: the request belongs to no session, so the server cannot send requests to the client; "+
	"use a client of revision 2026-07-28 or later, or one that keeps a session", ErrNoAnswer)

// CapabilityError reports that a call failed because the client has not declared the capabilities that the call needs.
// Its text is safe to send.
type CapabilityError struct {
	// Missing lists the missing capabilities, named as for [CallInfo.Supports].
	Missing []string
}

// Error lists the missing capabilities on one line, explained, with the fix.
func (e *CapabilityError) Error() string {
	const problem = "the client does not support a required capability"
	if len(e.Missing) == 0 {
		return problem
	}
	lacks := make([]string, len(e.Missing))
	for i, name := range e.Missing {
		if lacks[i] = name; capabilityNouns[name] != "" {
			lacks[i] = capabilityNouns[name] + " (" + name + ")"
		}
	}
	return problem + ": " + strings.Join(lacks, ", ") + "; call from a client that does"
}

// capabilityNouns are the capabilities in the words of people.
var capabilityNouns = map[string]string{
	"elicitation.form": "forms for the user",
	"elicitation.url":  "URLs for the user to open",
	"sampling":         "requests to its model",
	"roots":            "requests for its roots",
}
