package enginetest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// lineSource is a Source that meets all rules.
type lineSource struct {
	from    *bufio.Reader
	limit   int
	session engine.Session
	line    []byte
}

var errLong = errors.New("the line is too long")

func (s *lineSource) Next() ([]byte, error) {
	for {
		err := s.read()
		line := bytes.TrimRight(s.line, "\r\n")
		switch {
		case len(line) > s.limit:
			s.session.Reject(errLong, line[:10])
		case !isBlank(line):
			return line, nil
		case err != nil:
			return nil, err
		}
	}
}

// read reads a line.
func (s *lineSource) read() error {
	s.line = s.line[:0]
	for {
		part, err := s.from.ReadSlice('\n')
		s.line = append(s.line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// buffered returns the next line in the buffer, and whether it is complete.
func (s *lineSource) buffered() (line []byte, isComplete bool) {
	buffered, _ := s.from.Peek(s.from.Buffered())
	line, _, isComplete = bytes.Cut(buffered, []byte("\n"))
	return line, isComplete
}

func (s *lineSource) Ready() bool {
	for {
		line, isComplete := s.buffered()
		if !isComplete || !isBlank(line) {
			return isComplete
		}
		_, _ = s.from.Discard(len(line) + 1)
	}
}

func (s *lineSource) Detach() { s.line = nil }

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// brokenSource is a lineSource with other funcs in place of some methods; nil means the method of lineSource.
type brokenSource struct {
	*lineSource
	next   func() ([]byte, error)
	ready  func() bool
	detach func()
}

func (b *brokenSource) Next() ([]byte, error) {
	if b.next != nil {
		return b.next()
	}
	return b.lineSource.Next()
}

func (b *brokenSource) Ready() bool {
	if b.ready != nil {
		return b.ready()
	}
	return b.lineSource.Ready()
}

func (b *brokenSource) Detach() {
	if b.detach != nil {
		b.detach()
		return
	}
	b.lineSource.Detach()
}

// rejecting makes the Source call another Reject.
type rejecting struct {
	engine.Session
	reject func(to engine.Session, reason error, start []byte)
}

func (r rejecting) Reject(reason error, start []byte) { r.reject(r.Session, reason, start) }

func (b *brokenSource) rejectWith(reject func(to engine.Session, reason error, start []byte)) {
	b.session = rejecting{b.session, reject}
}

// brokenSources are Sources that break a rule, by the failure that must be reported.
var brokenSources = []struct {
	name, want string
	breakIt    func(b *brokenSource)
}{
	{"returns the line end", "messages: message 1 is ", func(b *brokenSource) {
		b.next = func() ([]byte, error) {
			msg, err := b.lineSource.Next()
			if err != nil {
				return nil, err
			}
			return append(msg, '\n'), nil
		}
	}},
	{"limits the length of a line to its buffer", "messages: Next returned the error bufio: buffer full", func(b *brokenSource) {
		b.next = func() ([]byte, error) {
			line, err := b.from.ReadSlice('\n')
			if len(line) > 0 && errors.Is(err, io.EOF) {
				err = nil
			}
			return bytes.TrimRight(line, "\r\n"), err
		}
	}},
	{"reads into the message in Ready", "messages: Ready modified the message to ", func(b *brokenSource) {
		b.ready = func() bool {
			b.line = append(b.line[:0], "ready"...)
			return b.lineSource.Ready()
		}
	}},
	{"returns what one Read has read", "messages that arrive byte by byte: message 1 is {, want ", func(b *brokenSource) {
		b.next = func() ([]byte, error) {
			buf := make([]byte, noLimit)
			n, err := b.from.Read(buf)
			return buf[:n], err
		}
	}},
	{"drops what arrives with EOF", "messages that arrive with EOF: the source returned or rejected 6 messages, want 7", func(b *brokenSource) {
		b.next = func() ([]byte, error) {
			msg, err := b.lineSource.Next()
			if _, end := b.from.Peek(1); end != nil {
				return nil, end
			}
			return msg, err
		}
	}},
	{"returns blank lines", "blank lines: message 1 is , want 1", func(b *brokenSource) {
		b.next = func() ([]byte, error) {
			err := b.read()
			if len(b.line) > 0 {
				err = nil
			}
			return bytes.TrimRight(b.line, "\r\n"), err
		}
	}},
	{"reports a blank line as ready", `Ready: Ready() = true with only "\n" behind the message`, func(b *brokenSource) {
		b.ready = func() bool {
			_, isComplete := b.buffered()
			return isComplete
		}
	}},
	{"reports a part of a line as ready", `Ready: Ready() = true with only "{\"i" behind the message`, func(b *brokenSource) {
		b.ready = func() bool {
			line, isComplete := b.buffered()
			return len(bytes.TrimSpace(line)) > 0 || isComplete && b.lineSource.Ready()
		}
	}},
	{"is always ready", "Ready: Ready() = true before the client has sent a message", func(b *brokenSource) {
		b.ready = func() bool { return true }
	}},
	{"waits in Ready", "Ready: Ready did not return within 30s", func(b *brokenSource) {
		b.ready = func() bool {
			_, err := b.from.Peek(1)
			return err == nil
		}
	}},
	{"drops a part of a line in Ready", `Ready: Next returned d":2} and the error <nil> with "{\"i" behind the first message`, func(b *brokenSource) {
		b.ready = func() bool {
			line, isComplete := b.buffered()
			if !isComplete {
				_, _ = b.from.Discard(len(line))
			}
			return b.lineSource.Ready()
		}
	}},
	{"returns a long line", "lines that are too long: message 2 is ", func(b *brokenSource) { b.limit = noLimit }},
	{"drops a long line", "lines that are too long: message 2 is ", func(b *brokenSource) {
		b.rejectWith(func(engine.Session, error, []byte) {})
	}},
	{"drops a long line that begins with spaces", "lines that are too long: message 6 is 1, want a call of Reject", func(b *brokenSource) {
		b.rejectWith(func(to engine.Session, reason error, start []byte) {
			if !isBlank(start) {
				to.Reject(reason, start)
			}
		})
	}},
	{"rejects a long line twice", "lines that are too long: message 4 was rejected, want ", func(b *brokenSource) {
		b.rejectWith(func(to engine.Session, reason error, start []byte) {
			to.Reject(reason, start)
			to.Reject(reason, start)
		})
	}},
	{"rejects without a reason", "lines that are too long: Reject was called without a reason", func(b *brokenSource) {
		b.rejectWith(func(to engine.Session, _ error, start []byte) { to.Reject(nil, start) })
	}},
	{"rejects with another text", "lines that are too long: message 2 was rejected with the start, want the start of ", func(b *brokenSource) {
		b.rejectWith(func(to engine.Session, reason error, _ []byte) { to.Reject(reason, []byte("the start")) })
	}},
	{"rejects a line at the limit", "lines that are too long: message 1 was rejected, want ", func(b *brokenSource) { b.limit-- }},
	{"ends at a long line", "lines that are too long: Next returned the error the line is too long, want EOF", func(b *brokenSource) {
		isLong := false
		b.rejectWith(func(engine.Session, error, []byte) { isLong = true })
		b.next = func() ([]byte, error) {
			if msg, err := b.lineSource.Next(); !isLong {
				return msg, err
			}
			return nil, errLong
		}
	}},
	{"drops a last line without a line end", "EOF in a line: the source returned or rejected 1 messages, want 2", func(b *brokenSource) {
		b.next = func() ([]byte, error) {
			msg, err := b.lineSource.Next()
			if err == nil && !bytes.HasSuffix(b.line, []byte("\n")) {
				return nil, io.EOF
			}
			return msg, err
		}
	}},
	{"fails at EOF in a line", "EOF in a line: Next returned the error unexpected EOF, want EOF", func(b *brokenSource) {
		b.next = func() ([]byte, error) {
			msg, err := b.lineSource.Next()
			if err == nil && !bytes.HasSuffix(b.line, []byte("\n")) {
				return nil, io.ErrUnexpectedEOF
			}
			return msg, err
		}
	}},
	{"hides an error", "an error in a line: Next returned the error EOF", func(b *brokenSource) {
		b.next = func() ([]byte, error) {
			msg, err := b.lineSource.Next()
			if err != nil {
				return nil, io.EOF
			}
			return msg, nil
		}
	}},
	{"drops a message before an error", `an error in a line: Next returned [], want the message 1`, func(b *brokenSource) {
		b.next = func() ([]byte, error) {
			msg, err := b.lineSource.Next()
			if _, after := b.from.Peek(1); after != nil {
				return nil, after
			}
			return msg, err
		}
	}},
	{"ignores Detach", "Detach: message 3 was modified to ", func(b *brokenSource) { b.detach = func() {} }},
}

// sourceFailures returns what the tests of the rules report of a Source.
func sourceFailures(t *testing.T, rules []sourceRule, breakIt func(*brokenSource)) []string {
	t.Helper()
	r := &recorder{TB: t}
	var inputs []io.Reader
	done := make(chan struct{})
	go func() {
		defer close(done)
		testSourceRules(r, rules, func(_ testing.TB, in io.Reader, limit int, session engine.Session) engine.Source {
			inputs = append(inputs, in)
			b := &brokenSource{lineSource: &lineSource{from: bufio.NewReader(in), limit: limit, session: session}}
			breakIt(b)
			return b
		})
	}()
	<-done
	for _, in := range inputs {
		if pipe, ok := in.(*io.PipeReader); ok {
			pipe.Close()
		}
	}
	return r.failures
}

// TestBrokenSources checks that the test of each rule reports the Sources that break it, that there is one for every rule,
// and that nothing is reported of a Source that meets all rules.
func TestBrokenSources(t *testing.T) {
	t.Parallel()
	isBroken := map[string]bool{}
	for _, tt := range brokenSources {
		name, _, _ := strings.Cut(tt.want, ":")
		isBroken[name] = true
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				of := slices.IndexFunc(sourceRules, func(r sourceRule) bool { return r.name == name })
				got := sourceFailures(t, sourceRules[max(of, 0):][:1], tt.breakIt)
				if !slices.ContainsFunc(got, func(failure string) bool { return strings.HasPrefix(failure, tt.want) }) {
					t.Errorf("the failures are %.1000q, want one that begins with %q", got, tt.want)
				}
			})
		})
	}
	for _, r := range sourceRules {
		if !isBroken[r.name] {
			t.Errorf("no Source breaks the rule %q", r.name)
		}
	}
	for name, ready := range map[string]func(*brokenSource){
		"ready when a line is":      func(*brokenSource) {},
		"never ready":               func(b *brokenSource) { b.ready = func() bool { return false } },
		"new memory for every line": func(b *brokenSource) { b.next = func() ([]byte, error) { b.line = nil; return b.lineSource.Next() } },
	} {
		synctest.Test(t, func(t *testing.T) {
			if got := sourceFailures(t, sourceRules, ready); len(got) > 0 {
				t.Errorf("%s: the failures are %.1000q, want none", name, got)
			}
		})
	}
}
