package streamhttp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestVerifierFails checks the status for each error of a verifier. The status decides whether a client gets another
// token or retries later.
func TestVerifierFails(t *testing.T) {
	t.Parallel()
	reason := errors.New("the issuer is down")
	tests := []struct {
		name   string
		err    error
		status int
		retry  string
	}{
		{"other error", reason, 503, "5"},
		{"retry time", &streamhttp.UnavailableError{RetryAfter: 30 * time.Second, Err: reason}, 503, "30"},
		{"less than a second", &streamhttp.UnavailableError{RetryAfter: time.Millisecond, Err: reason}, 503, "1"},
		{"a wrapped error", fmt.Errorf("verify: %w", &streamhttp.UnavailableError{RetryAfter: 2 * time.Second, Err: reason}), 503, "2"},
		{"no retry time", &streamhttp.UnavailableError{Err: reason}, 503, "5"},
		{"negative retry time", &streamhttp.UnavailableError{RetryAfter: -time.Second, Err: reason}, 503, "5"},
		{"no cause", &streamhttp.UnavailableError{}, 503, "5"},
		{"invalid token wrapped in UnavailableError", &streamhttp.UnavailableError{RetryAfter: time.Second, Err: streamhttp.ErrInvalidToken}, 401, ""},
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
			var log syncbuffer.Buffer
			server := serve(t, notes(t, slog.New(slog.NewTextHandler(&log, nil))), guard)
			response := server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), with("x", heading("tools/list", "")))
			if got := response.header.Get("Retry-After"); response.status != test.status || got != test.retry {
				t.Errorf("status %d, Retry-After %q; want %d, %q", response.status, got, test.status, test.retry)
			}
			body := bodyOf(t, response)
			if strings.Contains(body, "issuer") {
				t.Errorf("the response contains the reason: %s", body)
			}
			if isInternal := strings.Contains(body, `"code":-32603`); isInternal != (test.status == 503) {
				t.Errorf("unexpected JSON-RPC code: %s", body)
			}
			if challenged := response.header.Get("Www-Authenticate") != ""; challenged != (test.status == 401) {
				t.Errorf("challenge: %v", challenged)
			}
			if test.status == 503 && !strings.Contains(log.String(), "access token refused") {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

// TestVerifierFailureLog: a client without a valid token cannot flood the log. Verifier errors are logged at level
// error at most once a minute, and not at all if the verifier logs them itself.
func TestVerifierFailureLog(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		result func() (streamhttp.Token, error)
		errors int
	}{
		{"an error", func() (streamhttp.Token, error) { return streamhttp.Token{}, errors.New("the issuer is down") }, 2},
		{"a panic", func() (streamhttp.Token, error) { panic("a bug") }, 2},
		{"no principal", func() (streamhttp.Token, error) { return streamhttp.Token{}, nil }, 2},
		{"unavailable", func() (streamhttp.Token, error) { return streamhttp.Token{}, &streamhttp.UnavailableError{} }, 2},
		{"unavailable, and logged", func() (streamhttp.Token, error) {
			return streamhttp.Token{}, &streamhttp.UnavailableError{Logged: true}
		}, 0},
		{"an invalid token", func() (streamhttp.Token, error) { return streamhttp.Token{}, streamhttp.ErrInvalidToken }, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				guard, err := streamhttp.Protect(func(context.Context, string) (streamhttp.Token, error) { return test.result() },
					streamhttp.ProtectedResource{Resource: resource, AuthorizationServers: []string{"https://auth.example.com"}})
				if err != nil {
					t.Fatal(err)
				}
				var log syncbuffer.Buffer
				server := serve(t, notes(t, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))), guard)
				for i := range 10 {
					if i == 9 {
						time.Sleep(time.Minute)
						synctest.Wait() // the idle connection may have been closed
					}
					bodyOf(t, server.do(t.Context(), http.MethodPost, "{}", with("made-up", map[string]string{})))
				}
				text := log.String()
				if n := strings.Count(text, "level=ERROR"); n != test.errors {
					t.Errorf("%d records at level error, want %d: %s", n, test.errors, text)
				}
				if n := strings.Count(text, "access token refused"); n != 10 {
					t.Errorf("%d records, want all 10 at some level: %s", n, text)
				}
				if test.errors > 0 && !strings.Contains(text, "suppressed=8") {
					t.Errorf("the log lacks the number of suppressed records: %s", text)
				}
			})
		})
	}
}
