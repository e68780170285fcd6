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

// TestLogOfAClientThatDoesNotRead: when a session is ended whose client does not read, the log blames the client, and
// only those tools that ignore their contexts.
func TestLogOfAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	const unread, ignored = "the client does not read, and messages to it could not be delivered", "tool ignores the end of its call"
	var large strings.Builder // more than the transport keeps
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
		{"a tool that ignores its context", call(1, "sleep", `{"millis":600000,"stubborn":true}`) + echoCall(2, "b"), []string{unread, ignored + `" tool=sleep elapsed=`}, ""},
		{"heeding tools", echoCall(2, "b") + call(1, "sleep", `{"millis":600000}`), []string{unread}, ignored},
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
						t.Errorf("%q is not in the log:\n%s", want, log)
					}
				}
				if test.not != "" && strings.Contains(log, test.not) {
					t.Errorf("%q is in the log:\n%s", test.not, log)
				}
				time.Sleep(time.Hour) // for the stubborn tool
			})
		})
	}
}

// TestLogOfUnreadAnswers: the log also blames the client if no call is left, but only the goroutine that reads, which
// delivers the answers of calls that have ended before it waits for the next message.
func TestLogOfUnreadAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, answers, end := serveLogged(t)
		go io.WriteString(client, echoCall(1, "a")) // after this the tool is expected to be quick
		if _, err := bufio.NewReader(answers).ReadSlice('\n'); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		go io.WriteString(client, echoCall(2, "b")+echoCall(3, "c")+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
		synctest.Wait()
		if log, want := end(), "messages to it could not be delivered\""; !strings.Contains(log, want) {
			t.Errorf("%s is not in the log:\n%s", want, log)
		}
	})
}

// serveLogged starts a server for a client that sends to client and may read answers. End shuts the server down and returns
// its log.
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
