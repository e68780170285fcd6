package runtime_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/seal"
	"github.com/mcptool-go/mcptool/mcptool"
)

// TestAskOlderState: a state whose values of Once were written in another format is rejected like an expired one. A state
// with only questions is valid.
func TestAskOlderState(t *testing.T) {
	t.Parallel()
	key := [32]byte{1}
	ran := 0
	srv := serve(t, tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		_, err := mcptool.Once(ctx, "hold", func(context.Context) (int, error) { ran++; return ran, nil })
		if err == nil {
			err = mcptool.Confirm(ctx, "Sure?")
		}
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: "agreed"}}}, err
	}))
	srv.StateKeys = [][32]byte{key}
	var log bytes.Buffer
	srv.Logger = slog.New(slog.NewTextHandler(&log, nil))
	w := open(t, srv)
	w.send(able("1", "tools/call", `,"name":"ask"`))
	digest := sha256.Sum256([]byte("{}"))
	bound := seal.Binding{Server: "test", Transport: "session", Method: "tools/call", Name: "ask", Digest: digest[:]}
	ours, err := seal.New(key).Open(stateOf(t, w.next()), bound, time.Now())
	if err != nil || !strings.Contains(string(ours), `"o":{"hold":1}`) {
		t.Fatalf("state = %s, %v", ours, err)
	}
	older := strings.Replace(string(ours), `"o":`, `"k":`, 1)
	plain := strings.Replace(string(ours), `,"o":{"hold":1}`, ``, 1)
	for _, test := range []struct {
		name, payload, want string
		runs                int
	}{
		{"older format", older, `"message":"params.requestState is invalid or expired; send the request without it"`, 1},
		{"current format", string(ours), `"text":"agreed"`, 1},
		{"only questions", plain, `"text":"agreed"`, 2},
	} {
		state := seal.New(key).Seal(bound, time.Now().Add(time.Minute), []byte(test.payload))
		w.send(able("2", "tools/call", `,"name":"ask","requestState":"`+state+`",`+agree))
		if got := w.next(); !strings.Contains(got, test.want) || ran != test.runs {
			t.Errorf("%s: got %s after %d runs, want %s after %d", test.name, got, ran, test.want, test.runs)
		}
	}
	if !strings.Contains(log.String(), `written by another version`) {
		t.Errorf("log lacks the reason: %s", &log)
	}
}

// TestOnceDefect: a mistake in the use of Once is logged, and the client gets a reference.
func TestOnceDefect(t *testing.T) {
	t.Parallel()
	srv := serve(t, tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		_, err := mcptool.Once(ctx, "hold", func(context.Context) (func(), error) { t.Error("the func of Once ran"); return nil, nil })
		return nil, err
	}))
	log := logged(srv, slog.LevelError)
	w := open(t, srv)
	w.send(able("1", "tools/call", `,"name":"ask"`))
	w.want(`"text":"the tool failed with an internal error (reference `, `"isError":true`)
	if want := `ask: Once(\"hold\"): a value of type func() cannot be stored: `; !strings.Contains(log.String(), want) {
		t.Errorf("log lacks %s: %s", want, log)
	}
}
