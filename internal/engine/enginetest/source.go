package enginetest

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// OpenSource returns a Source that reads one message per line from in. It passes a line of more than limit bytes, without
// its line end, to Reject of the session. The session has no other method.
type OpenSource func(tb testing.TB, in io.Reader, limit int, session engine.Session) engine.Source

// TestSource checks that a Source of lines meets the rules of [engine.Source]: it returns whole messages in order, however
// the input arrives, skips blank lines, rejects lines that are too long and continues, returns a last line without a line
// end, does not report Ready where Next would block, and keeps a message after Detach.
//
//	enginetest.TestSource(t, func(_ testing.TB, in io.Reader, limit int, session engine.Session) engine.Source {
//		return &source{bufio.NewReader(in), limit, session}
//	})
func TestSource(tb testing.TB, open OpenSource) {
	tb.Helper()
	testSourceRules(tb, sourceRules, open)
}

// sourceRule is a rule of sources, and its check.
type sourceRule struct {
	name  string
	check func(*sourceCheck)
}

// testSourceRules checks the rules.
func testSourceRules(tb testing.TB, rules []sourceRule, open OpenSource) {
	tb.Helper()
	for _, r := range rules {
		r.check(&sourceCheck{reporter: reporter{tb, r.name}, open: open})
	}
}

var sourceRules = []sourceRule{
	{"messages", func(c *sourceCheck) { c.sizes(func(in io.Reader) io.Reader { return in }) }},
	{"messages that arrive byte by byte", func(c *sourceCheck) { c.sizes(iotest.OneByteReader) }},
	{"messages that arrive with EOF", func(c *sourceCheck) { c.sizes(iotest.DataErrReader) }},
	{"blank lines", blankLines},
	{"Ready", ready},
	{"lines that are too long", longLines},
	{"EOF in a line", endInLine},
	{"an error in a line", errorInLine},
	{"Detach", detach},
}

// sourceCheck is the check of one rule of sources.
type sourceCheck struct {
	reporter
	open OpenSource
	got  []received // by the source that was opened last
}

// received is a message that a Source has returned, or the start of one that it has rejected.
type received struct {
	text       string
	isRejected bool
}

// messagesOf returns the messages with these texts.
func messagesOf(texts ...string) (all []received) {
	for _, text := range texts {
		all = append(all, received{text: text})
	}
	return all
}

// rejections is the session of a Source.
type rejections struct {
	engine.Session // nil: no other method is called
	check          *sourceCheck
}

// Reject implements [engine.Session].
func (r rejections) Reject(reason error, start []byte) {
	if reason == nil {
		r.check.fail("Reject was called without a reason")
	}
	r.check.got = append(r.check.got, received{string(start), true})
}

// source opens a Source.
func (c *sourceCheck) source(in io.Reader, limit int) engine.Source {
	c.got = nil
	return c.open(c, in, limit, rejections{check: c})
}

// ready calls Ready.
func (c *sourceCheck) ready(src engine.Source) (is bool) {
	c.Helper()
	c.within("Ready", func() { is = src.Ready() })
	return is
}

// next calls Next, between two calls of Ready as sessions do, and reports a message that the second one modifies.
func (c *sourceCheck) next(src engine.Source) ([]byte, error) {
	c.Helper()
	c.ready(src)
	var msg []byte
	var err error
	c.within("Next", func() { msg, err = src.Next() })
	if err != nil {
		return nil, err
	}
	text := string(msg)
	c.ready(src)
	if string(msg) != text {
		c.fail("Ready modified the message to %s", short(string(msg)))
	}
	c.got = append(c.got, received{text: text})
	return msg, nil
}

// reads checks that a Source returns and rejects these messages of the input, and then an error that is end.
func (c *sourceCheck) reads(in io.Reader, limit int, end error, want ...received) {
	c.Helper()
	src := c.source(in, limit)
	for range len(want) + 1 {
		if _, err := c.next(src); err != nil {
			if !errors.Is(err, end) {
				c.fail("Next returned the error %v, want %v", err, end)
			}
			break
		}
	}
	for i := range min(len(want), len(c.got)) {
		got, want := c.got[i], want[i]
		switch {
		case got.isRejected && !want.isRejected:
			c.fail("message %d was rejected, want %s", i+1, short(want.text))
		case want.isRejected && !got.isRejected:
			c.fail("message %d is %s, want a call of Reject", i+1, short(got.text))
		case want.isRejected && !strings.HasPrefix(want.text, got.text):
			c.fail("message %d was rejected with %s, want the start of %s", i+1, short(got.text), short(want.text))
		case !want.isRejected && got.text != want.text:
			c.fail("message %d is %s, want %s", i+1, short(got.text), short(want.text))
		default:
			continue
		}
		return
	}
	if len(c.got) != len(want) {
		c.fail("the source returned or rejected %d messages, want %d", len(c.got), len(want))
	}
}

// sizedMessages returns messages of all sizes.
func sizedMessages() (all []string) {
	for i, size := range sizes {
		all = append(all, response(string(rune('a'+i)), size))
	}
	return all
}

// noLimit is a limit for messages that are not too long.
const noLimit = 1 << 20

// sizes reads messages of all sizes, from the reader of the input.
func (c *sourceCheck) sizes(reader func(io.Reader) io.Reader) {
	all := sizedMessages()
	for _, end := range []string{"\n", "\r\n"} {
		c.reads(reader(strings.NewReader(strings.Join(all, end)+end)), noLimit, io.EOF, messagesOf(all...)...)
	}
}

// blanks are lines that are not messages.
var blanks = []string{"\n", "\r\n", "\n\n", " \t\n", "  \r\n\n"}

func blankLines(c *sourceCheck) {
	for _, blank := range blanks {
		c.reads(strings.NewReader(blank+"1\n"+blank+"2\n"+blank), noLimit, io.EOF, messagesOf("1", "2")...)
	}
}

// ready checks that Ready is false before and behind a message, when Next would wait for the client. The client sends the
// next message only when it has the response.
func ready(c *sourceCheck) {
	const first, second = `{"id":1}`, `{"id":2}`
	for _, behind := range append(blanks, "", second[:3], "\n"+second[:3]) {
		in, client := io.Pipe()
		src := c.source(in, noLimit)
		if c.ready(src) {
			c.fail("Ready() = true before the client has sent a message")
		}
		go func() { _, _ = io.WriteString(client, first+"\n"+behind) }()
		var got []byte
		var err error
		c.within("Next", func() { got, err = src.Next() })
		if err != nil || string(got) != first {
			c.fail("Next returned %s and the error %v, want %s", short(string(got)), err, first)
		}
		if c.ready(src) {
			c.fail("Ready() = true with only %q behind the message: Next would block, and the response would be held back", behind)
		}
		go func() { _, _ = io.WriteString(client, strings.TrimPrefix(second, strings.TrimSpace(behind))+"\n") }()
		c.within("Next", func() { got, err = src.Next() })
		if err != nil || string(got) != second {
			c.fail("Next returned %s and the error %v with %q behind the first message, want %s", short(string(got)), err, behind, second)
		}
		_ = client.Close()
	}
}

func longLines(c *sourceCheck) {
	const limit = 100
	fits, long, huge := strings.Repeat("x", limit), strings.Repeat("y", limit+1), strings.Repeat("z", 300<<10)
	behindSpace := strings.Repeat(" ", 300<<10) + "1"
	for _, end := range []string{"\n", "\r\n"} {
		input := strings.Join([]string{fits, long, long, fits, huge, behindSpace, "1"}, end) + end
		want := []received{{fits, false}, {long, true}, {long, true}, {fits, false}, {huge, true}, {behindSpace, true}, {"1", false}}
		c.reads(strings.NewReader(input), limit, io.EOF, want...)
		c.reads(iotest.OneByteReader(strings.NewReader(input)), limit, io.EOF, want...)
	}
}

func endInLine(c *sourceCheck) {
	const limit = 100
	long := strings.Repeat("x", limit+1)
	for _, tt := range []struct {
		line string
		want []received
	}{
		{"", nil},
		{"  ", nil},
		{"2", messagesOf("2")},
		{`{"id":`, messagesOf(`{"id":`)}, // the session reports that it is not JSON
		{long, []received{{long, true}}},
	} {
		c.reads(strings.NewReader("1\n"+tt.line), limit, io.EOF, append(messagesOf("1"), tt.want...)...)
		c.reads(strings.NewReader(tt.line), limit, io.EOF, tt.want...)
	}
}

func errorInLine(c *sourceCheck) {
	broken := errors.New("the connection is broken")
	for _, line := range []string{"", " ", `{"id":`} {
		src := c.source(io.MultiReader(strings.NewReader("1\n"+line), iotest.ErrReader(broken)), noLimit)
		var err error
		for err == nil && len(c.got) < 3 {
			_, err = c.next(src)
		}
		if !errors.Is(err, broken) {
			c.fail("Next returned the error %v with %q before it, want %v", err, line, broken)
		}
		if len(c.got) == 0 || c.got[0].text != "1" || len(c.got) > 1 && c.got[1].text != line { // the rest of a line may be dropped
			c.fail("Next returned %v, want the message 1 before the error", c.got)
		}
	}
}

// detach detaches each message, and every second message.
func detach(c *sourceCheck) {
	all := slices.Repeat(sizedMessages(), 2)
	for step := 1; step <= 2; step++ {
		src := c.source(strings.NewReader(strings.Join(all, "\n")+"\n"), noLimit)
		kept := map[int][]byte{}
		for i := range all {
			msg, err := c.next(src)
			if err != nil {
				c.fail("Next returned the error %v before message %d", err, i+1)
				return
			}
			if i%step == 0 {
				c.within("Detach", src.Detach)
				kept[i] = msg
			}
		}
		for i := 0; i < len(all); i += step {
			if string(kept[i]) != all[i] {
				c.fail("message %d was modified to %s after Detach, want %s", i+1, short(string(kept[i])), short(all[i]))
				return
			}
		}
	}
}
