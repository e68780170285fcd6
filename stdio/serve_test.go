package stdio_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// serveAll serves a complete input and returns the output.
func serveAll(t *testing.T, in io.Reader, opts ...stdio.Option) (string, error) {
	t.Helper()
	var out bytes.Buffer
	srv := &runtime.Server{Tools: newRegistry(t)}
	err := stdio.Serve(t.Context(), srv, append([]stdio.Option{stdio.In(in), stdio.Out(&out), stdio.Grace(time.Minute)}, opts...)...)
	return out.String(), err
}

func TestServe(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 1<<20)
	tests := []struct {
		name, in, reason string
		want             map[int]string
	}{
		{"nothing", "", "a client may leave at once", nil},
		{"two calls", echoCall(1, "a") + echoCall(2, "b"), "two lines", map[int]string{1: "a", 2: "b"}},
		{"no last newline", strings.TrimSpace(echoCall(1, "a")), "printf '%s' '{…}' | server must work", map[int]string{1: "a"}},
		{"T-STDIO-04 crlf and blank lines", "\r\n\n" + strings.TrimSpace(echoCall(1, "a")) + "\r\n\n", "Windows shells", map[int]string{1: "a"}},
		{"byte order mark", "\xef\xbb\xbf" + echoCall(1, "a"), "PowerShell pipes start with a BOM", map[int]string{1: "a"}},
		{"T-STDIO-01 newline in the text", echoCall(1, "a\nb"), "newlines are escaped in both directions", map[int]string{1: "a\nb"}},
		{"T-STDIO-04 5 MB", echoCall(1, long), "lines may exceed 64 KiB", map[int]string{1: long}},
		{"a slow call", call(1, "sleep", `{"millis":20}`), "calls received before the end of input are answered", map[int]string{1: "slept"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, err := serveAll(t, strings.NewReader(test.in))
			if err != nil {
				t.Fatal(err)
			}
			answers := readAnswers(t, out)
			if len(answers) != len(test.want) {
				t.Errorf("%s: %d answers, want %d", test.reason, len(answers), len(test.want))
			}
			for id, want := range test.want {
				if got := answers[id].text(); got != want {
					t.Errorf("%s: answer %d is %.100q, want %.100q", test.reason, id, got, want)
				}
			}
		})
	}
}

func TestLinesThatAreNoMessages(t *testing.T) {
	t.Parallel()
	const parse, invalid = -32700, -32600
	tests := []struct {
		name, line string
		code       int
		id         int // of the answer; 0: none
	}{
		{"words", "hello\n", parse, 0},
		{"bytes", "\x00\xff\xfe\x80{\n", parse, 0},
		{"partial message", echoCall(1, "a")[:40] + "\n", parse, 1},
		{"two messages in one line", `{"jsonrpc":"2.0"}{"jsonrpc":"2.0"}` + "\n", parse, 0},
		{"a number", "42\n", invalid, 0},
		{"too long", strings.Repeat("x", 1001) + "\n", invalid, 0},
		{"slightly too long", echoCall(2, strings.Repeat("x", 1000)), invalid, 2},
		{"far too long", echoCall(1, strings.Repeat("x", 1<<20)), invalid, 1},
		{"far too long, id at the end", `{"params":"` + strings.Repeat("x", 1<<20) + `","id":1}` + "\n", invalid, 0},
		{"too deep", strings.Repeat("[", 900) + "\n", invalid, 0},
		{"too deep, with an id", `{"params":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `,"id":3}` + "\n", invalid, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			srv := &runtime.Server{Tools: newRegistry(t), Limits: runtime.Limits{MaxMessageBytes: 1000}}
			in := strings.NewReader(test.line + echoCall(7, "still here"))
			if err := stdio.Serve(t.Context(), srv, stdio.In(in), stdio.Out(&out)); err != nil {
				t.Fatal(err)
			}
			answers := readAnswers(t, out.String())
			if got := answers[test.id].Error; got.Code != test.code {
				t.Errorf("answered with %s, want code %d and id %d", out.String(), test.code, test.id)
			}
			if strings.Contains(out.String(), `"id":null`) {
				t.Errorf("null id in %s", out.String())
			}
			if got := answers[7].text(); got != "still here" {
				t.Errorf("next line: got %q, want \"still here\"", got)
			}
		})
	}
}

func TestHalfAMessageAtTheEnd(t *testing.T) {
	t.Parallel()
	out, err := serveAll(t, strings.NewReader(echoCall(1, "a")+echoCall(2, "b")[:30]))
	if err != nil {
		t.Fatal(err)
	}
	answers := readAnswers(t, out)
	if answers[1].text() != "a" || answers[2].Error.Code != -32700 || len(answers) != 2 {
		t.Errorf("answers = %+v", answers)
	}
}

func TestInputThatFails(t *testing.T) {
	t.Parallel()
	pulled := errors.New("cable pulled")
	out, err := serveAll(t, io.MultiReader(strings.NewReader(echoCall(1, "a")), iotest.ErrReader(pulled)))
	if !errors.Is(err, pulled) {
		t.Errorf("Serve = %v, want %v", err, pulled)
	}
	if got := readAnswers(t, out)[1].text(); got != "a" {
		t.Errorf("the call before the failure was answered with %q", got)
	}
}

// failingWriter fails every write.
type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestOutputThatFails(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	tests := []struct {
		name, reason string
		err, want    error
	}{
		{"hang-up", "a client that stops reading ends the session normally", &os.PathError{Op: "write", Err: syscall.EPIPE}, nil},
		{"closed pipe", "the same for a pipe within the process", io.ErrClosedPipe, nil},
		{"closed connection", "the same for a socket", net.ErrClosed, nil},
		{"anything else", "other failures are returned", full, full},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			// The input stays open, so only the failure ends the session.
			in, client := net.Pipe()
			defer client.Close()
			go io.WriteString(client, echoCall(1, "a"))
			err := stdio.Serve(t.Context(), &runtime.Server{Tools: newRegistry(t)}, stdio.In(in), stdio.Out(failingWriter{test.err}))
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
				t.Errorf("%s: Serve = %v, want %v", test.reason, err, test.want)
			}
		})
	}
}

// session is a server on one end of a pipe and a client on the other.
type session struct {
	net.Conn
	answers *bufio.Reader
	done    chan error
	ended   time.Time
}

// start serves in a synctest bubble, which fails the test if a goroutine is left.
func start(ctx context.Context, t *testing.T, opts ...stdio.Option) *session {
	t.Helper()
	return startServer(ctx, &runtime.Server{Tools: newRegistry(t)}, opts...)
}

// startServer is like start, for a given server.
func startServer(ctx context.Context, srv *runtime.Server, opts ...stdio.Option) *session {
	server, client := net.Pipe()
	s := &session{Conn: client, answers: bufio.NewReader(client), done: make(chan error, 1)}
	go func() {
		err := stdio.Serve(ctx, srv, append([]stdio.Option{stdio.In(server), stdio.Out(server)}, opts...)...)
		s.ended = time.Now()
		server.Close()
		s.done <- err
	}()
	return s
}

func (s *session) write(t *testing.T, lines string) {
	t.Helper()
	if _, err := io.WriteString(s, lines); err != nil {
		t.Error(err)
	}
	synctest.Wait()
}

func TestEndOfContext(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, reason string
		call         string
		opts         []stdio.Option
		answered     bool
		least, most  time.Duration
	}{
		{"idle", "a pending Read does not delay the end", "", nil, false, 0, 0},
		{"short call", "answered within the grace period", call(1, "sleep", `{"millis":500}`), nil, true, 500 * time.Millisecond, 500 * time.Millisecond},
		{"long call", "cancelled after the grace period", call(1, "sleep", `{"millis":60000}`), nil, false, stdio.DefaultGrace, stdio.DefaultGrace},
		{"long call, own grace", "cancelled after the configured grace period", call(1, "sleep", `{"millis":60000}`), []stdio.Option{stdio.Grace(time.Second)}, false, time.Second, time.Second},
		{"no grace", "zero means no grace period", call(1, "sleep", `{"millis":500}`), []stdio.Option{stdio.Grace(0)}, false, 0, 0},
		{"stubborn call", "abandoned soon after the grace period", call(1, "sleep", `{"millis":60000,"stubborn":true}`), nil, false, stdio.DefaultGrace, stdio.DefaultGrace + 2*time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				s := start(ctx, t, test.opts...)
				s.write(t, test.call)
				begin := time.Now()
				cancel()
				out, _ := io.ReadAll(s.answers)
				if err := <-s.done; err != nil {
					t.Errorf("%s: %v", test.reason, err)
				}
				if took := s.ended.Sub(begin); took < test.least || took > test.most {
					t.Errorf("%s: took %v, want %v to %v", test.reason, took, test.least, test.most)
				}
				if got := readAnswers(t, string(out))[1].text() == "slept"; got != test.answered {
					t.Errorf("%s: answered = %t, want %t: %s", test.reason, got, test.answered, out)
				}
				time.Sleep(time.Minute) // until the stubborn call ends
			})
		})
	}
}

func TestContextThatEndsDuringTheGracePeriod(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var out bytes.Buffer
		begin := time.Now()
		time.AfterFunc(100*time.Millisecond, cancel)
		in := strings.NewReader(call(1, "sleep", `{"millis":1000}`))
		if err := stdio.Serve(ctx, &runtime.Server{Tools: newRegistry(t)}, stdio.In(in), stdio.Out(&out)); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took != 100*time.Millisecond {
			t.Errorf("took %v; the end of the context must cut the grace period short", took)
		}
	})
}

// TestClientThatVanishes closes the connection in the middle of a call.
func TestClientThatVanishes(t *testing.T) {
	t.Parallel()
	t.Run("T-STDIO-08 over a connection", clientThatVanishes)
}

func clientThatVanishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t.Context(), t)
		s.write(t, call(1, "sleep", `{"millis":100}`)+call(2, "sleep", `{"millis":60000}`))
		begin := time.Now()
		s.Close()
		if err := <-s.done; err != nil {
			t.Error(err)
		}
		if took := s.ended.Sub(begin); took != 100*time.Millisecond {
			t.Errorf("took %v; the failed write of the first answer must cancel the other call", took)
		}
	})
}

// TestClientThatDoesNotRead sends calls and never reads an answer.
func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := start(ctx, t)
		s.write(t, echoCall(1, "a")+echoCall(2, "b"))
		begin := time.Now()
		cancel()
		if err := <-s.done; err != nil {
			t.Error(err)
		}
		if took := s.ended.Sub(begin); took > stdio.DefaultGrace+3*time.Second {
			t.Errorf("took %v, want at most %v", took, stdio.DefaultGrace+3*time.Second)
		}
	})
}

// slowWriter counts writes and delays each, like a pipe with a busy reader.
type slowWriter struct {
	writes int
	bytes.Buffer
}

func (w *slowWriter) Write(p []byte) (int, error) {
	time.Sleep(time.Millisecond)
	w.writes++
	return w.Buffer.Write(p)
}

func TestAnswersShareWrites(t *testing.T) {
	t.Parallel()
	const calls = 1000
	var in strings.Builder
	for i := range calls {
		in.WriteString(echoCall(i+1, fmt.Sprint(i)))
	}
	var out slowWriter
	srv := &runtime.Server{Tools: newRegistry(t)}
	if err := stdio.Serve(t.Context(), srv, stdio.In(strings.NewReader(in.String())), stdio.Out(&out)); err != nil {
		t.Fatal(err)
	}
	if got := len(readAnswers(t, out.String())); got != calls {
		t.Errorf("got %d answers, want %d", got, calls)
	}
	if out.writes > calls/2 {
		t.Errorf("%d answers took %d writes, want at most %d", calls, out.writes, calls/2)
	}
}

// BenchmarkCalls measures the transport and the engine, in process.
func BenchmarkCalls(b *testing.B) {
	calls, answers := &numberedCalls{last: b.N}, new(countedAnswers)
	srv := &runtime.Server{Tools: newRegistry(b)}
	b.ReportAllocs()
	b.SetBytes(int64(len(echoCall(firstCall, "hello"))))
	b.ResetTimer()
	if err := stdio.Serve(b.Context(), srv, stdio.In(calls), stdio.Out(answers)); err != nil {
		b.Fatal(err)
	}
	if answers.results != b.N || answers.errors > 0 {
		b.Fatalf("%d results and %d errors of %d calls, the first %s", answers.results, answers.errors, b.N, answers.firstError)
	}
}

// TestBenchmarkAnswers checks that BenchmarkCalls notices rejected calls. A server rejects a request whose id belongs to
// a request that it is still processing.
func TestBenchmarkAnswers(t *testing.T) {
	t.Parallel()
	const n = 2000
	answers := new(countedAnswers)
	srv := &runtime.Server{Tools: newRegistry(t)}
	if err := stdio.Serve(t.Context(), srv, stdio.In(&numberedCalls{last: n}), stdio.Out(answers)); err != nil {
		t.Fatal(err)
	}
	if answers.results != n || answers.errors != 0 {
		t.Errorf("%d results and %d errors of calls with different ids, want %d results", answers.results, answers.errors, n)
	}
	answers = new(countedAnswers)
	twice := strings.NewReader(call(1, "sleep", `{"millis":50}`) + call(1, "sleep", `{"millis":50}`))
	if err := stdio.Serve(t.Context(), &runtime.Server{Tools: newRegistry(t)}, stdio.In(twice), stdio.Out(answers)); err != nil {
		t.Fatal(err)
	}
	if answers.results != 1 || answers.errors != 1 {
		t.Errorf("%d results and %d errors of two calls with one id, want one of each", answers.results, answers.errors)
	}
}

// firstCall is the id of the first call of a benchmark. All ids have the same number of digits.
const firstCall = 100_000_000

// numberedCalls is a stream of calls of the tool echo, each with its own id.
type numberedCalls struct {
	sent, last int // number of calls
	line       []byte
	rest       []byte // unread part of line
}

func (c *numberedCalls) Read(p []byte) (n int, err error) {
	if c.line == nil {
		c.line = []byte(echoCall(firstCall, "hello"))
	}
	id := bytes.Index(c.line, strconv.AppendInt(nil, int64(firstCall+c.sent), 10))
	for n < len(p) && (len(c.rest) > 0 || c.sent < c.last) {
		if len(c.rest) == 0 {
			strconv.AppendInt(c.line[:id], int64(firstCall+c.sent+1), 10)
			c.sent++
			c.rest = c.line
		}
		m := copy(p[n:], c.rest)
		n, c.rest = n+m, c.rest[m:]
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// countedAnswers counts the answers written to it. Each Write must contain whole lines.
type countedAnswers struct {
	results, errors int
	firstError      string
}

func (a *countedAnswers) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if bytes.Contains(line, []byte(`"result":`)) && !bytes.Contains(line, []byte(`"isError":true`)) {
			a.results++
			continue
		}
		if a.errors++; a.firstError == "" {
			a.firstError = string(line)
		}
	}
	return len(p), nil
}

// TestEndWhileUnread: Serve returns even if the client does not read and the goroutine that reads the input is blocked
// writing an answer.
func TestEndWhileUnread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in, client := net.Pipe()
		out, input := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- stdio.Serve(ctx, &runtime.Server{Tools: newRegistry(t)}, stdio.In(in), stdio.Out(input))
		}()
		if _, err := io.WriteString(client, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		cancel()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Error("Serve did not return within a minute")
		}
		out.Close()
		in.Close()
		client.Close()
		synctest.Wait()
	})
}

// TestServeMistakes checks that Serve returns each mistake in a server, and all together, before it reads or writes.
func TestServeMistakes(t *testing.T) {
	t.Parallel()
	serve := func(srv *runtime.Server) error {
		var out bytes.Buffer
		in := strings.NewReader(echoCall(1, "a"))
		err := stdio.Serve(t.Context(), srv, stdio.In(in), stdio.Out(&out))
		if out.Len() != 0 || in.Len() != len(echoCall(1, "a")) {
			t.Errorf("Serve has read or written: %s", &out)
		}
		return err
	}
	all := &runtime.Server{Tools: &mcptool.Registry{}}
	for _, mistake := range fixture.Mistakes() {
		srv := &runtime.Server{Tools: &mcptool.Registry{}}
		mistake.Set(srv)
		mistake.Set(all)
		if err := serve(srv); err == nil || err.Error() != mistake.Want {
			t.Errorf("%s: got %v, want %s", mistake.Name, err, mistake.Want)
		}
	}
	const grace = "Grace is -1s, but must not be negative; 0 cancels calls at once"
	err := stdio.Serve(t.Context(), all, stdio.In(strings.NewReader("")), nil, stdio.Out(io.Discard), stdio.Grace(-time.Second))
	if want := all.Check().Error() + "\noption 2 is nil; leave it out\n" + grace; err == nil || err.Error() != want {
		t.Errorf("got %v, want the mistakes in the server and the options:\n%s", err, want)
	}
	if err := serve(all); err == nil || err.Error() != all.Check().Error() {
		t.Errorf("got %v, want all mistakes:\n%v", err, all.Check())
	}
}
