package mcptool

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mcptool-go/mcptool/internal/capability"
)

// Supports reports whether the client of the running call has declared a capability.
// It is named by the path to it, with dots: "sampling", "elicitation.url",
// "roots.listChanged". What follows "extensions." or "experimental." is one name, dots and
// all: "extensions.io.modelcontextprotocol/tasks". Every client that can elicit at all
// has "elicitation.form", unless it says that it can only do the other mode.
//
// Without a server, and outside a call, nothing is supported.
func Supports(ctx context.Context, capability string) bool {
	return len(missing(ctx, capability)) == 0
}

// Require returns nil if the client of the running call has declared all of the
// capabilities, named as for [Supports], and a [*CapabilityError] with those it lacks
// otherwise. A func that cannot do without them returns the error as it is:
//
//	if err := mcptool.Require(ctx, "sampling"); err != nil {
//		return Out{}, err
//	}
//
// The client is then told in the way of its revision: from 2026-07-28 on by error -32021,
// with what it would have to declare, before that by a result that is an error.
func Require(ctx context.Context, capabilities ...string) error {
	if lacking := missing(ctx, capabilities...); len(lacking) > 0 {
		return &CapabilityError{Missing: lacking}
	}
	return nil
}

// missing returns which of the capabilities the client has not declared.
func missing(ctx context.Context, capabilities ...string) (lacking []string) {
	var declared json.RawMessage
	if h := hostOf(ctx); h != nil {
		declared = h.CallInfo().Capabilities
	}
	for _, c := range capabilities {
		if !capability.Has(declared, c) {
			lacking = append(lacking, c)
		}
	}
	return lacking
}

// CapabilityError says that a call cannot be served because the client has not declared
// what it takes. Its text is safe to send.
type CapabilityError struct {
	// Missing are the capabilities, named as for [Supports].
	Missing []string
}

// Error names the capabilities, on one line.
func (e *CapabilityError) Error() string {
	return "this needs what the client has not declared: " + strings.Join(e.Missing, ", ")
}
