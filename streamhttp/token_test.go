package streamhttp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestVerifierFails: each error of a verifier has a status that tells a client whether another
// token helps, or time.
func TestVerifierFails(t *testing.T) {
	t.Parallel()
	reason := errors.New("the issuer is down")
	tests := []struct {
		name   string
		err    error
		status int
		retry  string
	}{
		{"no reason to wait for a given time", reason, 503, "5"},
		{"a time", &streamhttp.UnavailableError{RetryAfter: 30 * time.Second, Err: reason}, 503, "30"},
		{"a part of a second is a second", &streamhttp.UnavailableError{RetryAfter: time.Millisecond, Err: reason}, 503, "1"},
		{"a wrapped error", fmt.Errorf("verify: %w", &streamhttp.UnavailableError{RetryAfter: 2 * time.Second, Err: reason}), 503, "2"},
		{"no time", &streamhttp.UnavailableError{Err: reason}, 503, "5"},
		{"a time in the past", &streamhttp.UnavailableError{RetryAfter: -time.Second, Err: reason}, 503, "5"},
		{"no cause", &streamhttp.UnavailableError{}, 503, "5"},
		{"an invalid token, although retried", &streamhttp.UnavailableError{RetryAfter: time.Second, Err: streamhttp.ErrInvalidToken}, 401, ""},
		{"an invalid token", fmt.Errorf("forged: %w", streamhttp.ErrInvalidToken), 401, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			guard, err := streamhttp.Protect(func(context.Context, string) (streamhttp.Token, error) { return streamhttp.Token{}, test.err },
				streamhttp.ProtectedResource{Resource: resource, AuthorizationServers: []string{"https://auth.example.com"}})
			if err != nil {
				t.Fatal(err)
			}
			var log lockedBuffer
			server := serve(t, notes(t, slog.New(slog.NewTextHandler(&log, nil))), guard)
			response := server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), with("x", heading("tools/list", "")))
			if got := response.header.Get("Retry-After"); response.status != test.status || got != test.retry {
				t.Errorf("status %d, Retry-After %q; want %d, %q", response.status, got, test.status, test.retry)
			}
			body := bodyOf(t, response)
			if strings.Contains(body, "issuer") {
				t.Errorf("the client gets the reason: %s", body)
			}
			if isInternal := strings.Contains(body, `"code":-32603`); isInternal != (test.status == 503) {
				t.Errorf("the JSON-RPC code: %s", body)
			}
			if challenged := response.header.Get("Www-Authenticate") != ""; challenged != (test.status == 401) {
				t.Errorf("challenge: %v", challenged)
			}
			if test.status == 503 && !strings.Contains(log.String(), "access token refused") {
				t.Errorf("the log has %s", log.String())
			}
		})
	}
}
