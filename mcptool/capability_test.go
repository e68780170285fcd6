package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestRequire(t *testing.T) {
	t.Parallel()
	declares := func(text string) *testHost {
		return &testHost{info: mcptool.CallInfo{Capabilities: json.RawMessage(text)}}
	}
	for _, test := range []struct {
		name     string
		host     *testHost
		required []string
		missing  []string
	}{
		{"no requirements", nil, nil, nil},
		{"no server", nil, []string{"sampling"}, []string{"sampling"}},
		{"server without capabilities", &testHost{}, []string{"sampling"}, []string{"sampling"}},
		{"declared", declares(`{"sampling":{},"elicitation":{"url":{}}}`), []string{"elicitation.url", "sampling"}, nil},
		{"all missing capabilities, in the order of the call", declares(`{"sampling":{}}`), []string{"roots", "sampling", "elicitation"}, []string{"roots", "elicitation"}},
	} {
		ctx := t.Context()
		if test.host != nil {
			ctx = internals.WithHost(ctx, test.host)
		}
		inside(t, ctx, func(ctx context.Context) {
			err := mcptool.Require(ctx, test.required...)
			var missing []string
			if e, ok := errors.AsType[*mcptool.CapabilityError](err); ok {
				missing = e.Missing
			}
			if diff := cmp.Diff(test.missing, missing); diff != "" || (err == nil) != (test.missing == nil) {
				t.Errorf("%s: %v (-want +got):\n%s", test.name, err, diff)
			}
			for _, c := range test.required {
				if got, want := mcptool.Caller(ctx).Supports(c), mcptool.Require(ctx, c) == nil; got != want {
					t.Errorf("%s: Supports(%q) = %v, but Require differs", test.name, c, got)
				}
			}
		})
	}
}

// TestRequireAlone: without a session, the error does not blame the client.
func TestRequireAlone(t *testing.T) {
	t.Parallel()
	ctx := internals.WithHost(t.Context(), &testHost{info: mcptool.CallInfo{ProtocolVersion: "2025-06-18"}})
	inside(t, ctx, func(ctx context.Context) {
		err := mcptool.Require(ctx, "sampling")
		if _, lacks := errors.AsType[*mcptool.CapabilityError](err); lacks || !errors.Is(err, mcptool.ErrNoAnswer) || mcptool.Caller(ctx).Supports("sampling") {
			t.Errorf("Require without a session: %v", err)
		}
		if err := mcptool.Require(ctx); err != nil {
			t.Errorf("without capabilities: %v", err)
		}
	})
}

func TestCapabilityError(t *testing.T) {
	t.Parallel()
	err := &mcptool.CapabilityError{Missing: []string{"sampling", "elicitation.url"}}
	if got, want := err.Error(), "the client does not support a required capability: requests to its model (sampling), URLs for the user to open (elicitation.url); call from a client that does"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
