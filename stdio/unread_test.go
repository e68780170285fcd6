package stdio_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// TestLogOfAClientThatDoesNotRead: if the client does not read until the session ends, the log blames the client, and
// only those tools that ignore their contexts.
func TestLogOfAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	const unread, ignored = "the client does not read, and messages to it could not be delivered", "tool ignores the end of its call"
	var large strings.Builder // larger than the buffer of the transport
	for i := range 8 {
		large.WriteString(echoCall(i+1, strings.Repeat("x", 1<<18)))
	}
	for _, test := range []struct {
		name, in string
		want     []string
		not      string
	}{
		{"answers", echoCall(1, "a") + echoCall(2, "b") + call(3, "sleep", `{"millis":10}`), []string{unread}, ignored},
		{"large answers", large.String(), []string{unread}, ignored},
		{"tool that ignores its context", call(1, "sleep", `{"millis":600000,"stubborn":true}`) + echoCall(2, "b"), []string{unread, ignored + `" tool=sleep elapsed=`}, ""},
		{"tool that returns on cancellation", echoCall(2, "b") + call(1, "sleep", `{"millis":600000}`), []string{unread}, ignored},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, _, end := serveLogged(t)
				go io.WriteString(client, test.in)
				time.Sleep(time.Second)
				log := end()
				for _, want := range test.want {
					if !strings.Contains(log, want) {
						t.Errorf("log lacks %q:\n%s", want, log)
					}
				}
				if test.not != "" && strings.Contains(log, test.not) {
					t.Errorf("unexpected %q in the log:\n%s", test.not, log)
				}
				time.Sleep(time.Hour) // for the stubborn tool
			})
		})
	}
}

// TestLogOfUnreadAnswers: the log blames the client even if no call is left and only the reading goroutine is blocked: it
// writes the answers of finished calls before it waits for the next message.
func TestLogOfUnreadAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, answers, end := serveLogged(t)
		go io.WriteString(client, echoCall(1, "a")) // from now on the tool is expected to be fast
		if _, err := bufio.NewReader(answers).ReadSlice('\n'); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		go io.WriteString(client, echoCall(2, "b")+echoCall(3, "c")+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
		synctest.Wait()
		if log, want := end(), "messages to it could not be delivered\""; !strings.Contains(log, want) {
			t.Errorf("log lacks %s:\n%s", want, log)
		}
	})
}

// serveLogged starts a server for a client that writes to client and may read from answers. end shuts the server down and
// returns its log.
func serveLogged(t *testing.T) (client io.Writer, answers io.Reader, end func() (log string)) {
	t.Helper()
	in, client := io.Pipe()
	answers, out := io.Pipe()
	var log bytes.Buffer
	srv := &runtime.Server{Tools: newRegistry(t), Logger: slog.New(slog.NewTextHandler(&log, nil))}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- stdio.Serve(ctx, srv, stdio.In(in), stdio.Out(out)) }()
	return client, answers, func() string {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		in.Close()
		out.Close()
		return log.String()
	}
}
