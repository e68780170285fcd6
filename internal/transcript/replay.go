package transcript

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// A Conn is a connection of a client to a server, without a handshake. Its methods are called one at a time.
type Conn interface {
	// Send sends a message without line breaks.
	Send(ctx context.Context, message []byte) error
	// Close ends the connection.
	Close() error
}

// Options configure a replay.
type Options struct {
	// Dial connects to the server: at first, and again before each further initialize. The connection passes each message of
	// the server to receive, which owns it, or why no more arrive. receive may be called concurrently. It blocks while
	// earlier messages wait, but not while Close runs.
	Dial func(ctx context.Context, receive func(message []byte, err error)) (Conn, error)
	// Ignore are more patterns as of %ignore lines.
	Ignore []string
	// Timeout limits the time for a response; 0 means 30 s.
	Timeout time.Duration
	// Edit removes secrets from new messages in [Report.Updated]; nil removes nothing.
	Edit func(message []byte) []byte
}

// quiet is how long to wait for a recorded message when all requests are answered, and for more before a request of the
// server without a recorded answer is refused. pollEvery is the time between the requests for the state of a task.
const (
	quiet     = 2 * time.Second
	pollEvery = 200 * time.Millisecond
)

// A NoAnswerError means that a server does not respond to a request.
type NoAnswerError struct {
	Line    int
	Subject string
	After   time.Duration
}

func (e *NoAnswerError) Error() string {
	return fmt.Sprintf("no response to %s of line %d within %v", e.Subject, e.Line, e.After)
}

// Replay sends the messages of the client in their order, each after the messages of the server that were recorded before
// it, which may arrive in any order. It answers requests of the server as recorded. The error is the one of ctx, a
// [NoAnswerError], or the one of the connection; the report then has the differences found before.
//
// A request tasks/get is repeated until the task has ended, if it had ended in the transcript; those before that are left
// out, since their number depends on the time. Pings of the server are answered and not compared. While no request is
// running, a message of the server may take 2 s.
func (t *Transcript) Replay(ctx context.Context, o Options) (*Report, error) {
	r := &replay{o: o, report: &Report{Updated: &Transcript{}}, handles: map[string]string{}}
	r.o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	if o.Edit == nil {
		r.o.Edit = func(message []byte) []byte { return message }
	}
	if err := r.prepare(t); err != nil {
		return nil, err
	}
	if err := r.dial(ctx); err != nil {
		return nil, err
	}
	defer r.hangUp()
	for i := range r.steps {
		if err := r.play(ctx, i); err != nil {
			return r.report, err
		}
	}
	if err := r.await(ctx); err != nil {
		return r.report, err
	}
	r.leftover()
	r.finish()
	slices.SortStableFunc(r.report.Differences, func(a, b Difference) int { return a.Line - b.Line })
	return r.report, nil
}

// A step is an entry of the transcript.
type step struct {
	Entry
	envelope.Message           // of Entry.Message
	other            *step     // the response to a request, or the request of a response; nil if there is none
	skip             bool      // it is not replayed
	id               []byte    // of a request of the server in the replay; nil before it arrives
	added            []Entry   // new messages after it
	gone             bool      // it is not in the updated transcript
	until            time.Time // of tasks/get: when it is not repeated any more
}

// A received message is one of the server in the replay.
type received struct {
	envelope.Message
	raw []byte // without secrets
}

// An arrival is a message that a connection has received, or why it receives no more.
type arrival struct {
	message []byte
	err     error
}

type replay struct {
	o       Options
	report  *Report
	steps   []*step
	ignore  []path
	methods []string // ignored notifications
	secrets Secrets  // of %secret lines
	handles map[string]string

	conn    Conn
	arrived chan arrival  // messages of conn that are not handled yet
	closed  chan struct{} // closed when conn is not used any more
	// initialized is whether initialize was sent on conn.
	initialized bool
	now         int              // the last step that was played
	pending     []*step          // messages of the server that were recorded, and have not arrived
	inbox       []received       // messages of the server that were not recorded before now
	sent        map[string]*step // requests of the client on this connection, by their keys
	open        map[*step]bool   // those among them that have a recorded response, and none in the replay
	polls       int
	since       time.Time // the last progress while messages are pending
}

// prepare reads the messages and directives. It leaves out pings, and each tasks/get while the task runs: how many there are
// depends on the time.
func (r *replay) prepare(t *Transcript) error {
	for _, pattern := range slices.Concat([]string{"result.requestState"}, t.directives("%ignore"), r.o.Ignore) {
		steps, err := parsePath(pattern)
		if err != nil {
			return err
		}
		if r.ignore = append(r.ignore, steps); isMethod(pattern) {
			r.methods = append(r.methods, pattern)
		}
	}
	for _, name := range t.directives("%secret") {
		value := os.Getenv(name)
		if value == "" {
			return fmt.Errorf("the transcript needs the environment variable %s, which has a secret", name)
		}
		r.secrets.Add("${"+name+"}", value)
	}
	requests := map[bool]map[string]*step{true: {}, false: {}} // the last ones, by direction and key
	if !slices.ContainsFunc(t.Entries, func(e Entry) bool { return e.Message != nil && !e.ToServer }) {
		return errors.New("the transcript has no messages of the server")
	}
	for _, e := range t.Entries {
		s := &step{Entry: e}
		_ = s.Read(e.Message, maxDepth) // Parse has read it, or there is none
		if !e.ToServer {
			s.Entry.Message = r.secrets.Hide(r.secrets.fill(e.Message))
		}
		switch key := keyOf(s.ID); s.Kind {
		case envelope.Malformed:
			s.skip = true
		case envelope.Request:
			requests[e.ToServer][key] = s
			s.skip = !e.ToServer && string(s.Method) == "ping"
		case envelope.Response:
			if request := requests[!e.ToServer][key]; request != nil {
				s.other, request.other = request, s
				request.skip = e.ToServer && string(request.Method) == "ping" || request.isPoll() && isWorking(s.Result)
				s.skip = request.skip
			}
		case envelope.Notification:
			s.skip = !e.ToServer && slices.Contains(r.methods, string(s.Method))
		}
		r.steps = append(r.steps, s)
	}
	return nil
}

// keyOf is envelope.Key, and "" for a message without an id.
func keyOf(id []byte) string {
	if id == nil {
		return ""
	}
	return envelope.Key(id)
}

func (s *step) isPoll() bool { return s.ToServer && string(s.Method) == "tasks/get" }

// isWorking reports whether a task is under way, by the result of tasks/get.
func isWorking(result []byte) bool {
	return rawjson.Equal(rawjson.Lookup(result, "status"), "working")
}

// play replays the step with an index.
func (r *replay) play(ctx context.Context, i int) error {
	s := r.steps[i]
	switch {
	case s.skip:
		return nil
	case !s.ToServer:
		r.pending = append(r.pending, s)
		return nil
	}
	if err := r.await(ctx); err != nil {
		return err
	}
	r.now = i
	message := r.withHandles(s.Entry.Message)
	if s.Kind == envelope.Request {
		if string(s.Method) == "initialize" {
			if r.initialized {
				if err := r.dial(ctx); err != nil {
					return err
				}
			}
			r.initialized = true
		}
		s.until = time.Now().Add(r.o.Timeout)
		r.sent[keyOf(s.ID)] = s
		if s.other != nil {
			r.open[s] = true
		}
	}
	if s.Kind == envelope.Response {
		if s.other == nil || s.other.id == nil {
			return nil // the server has not asked, which was reported
		}
		message = withID(message, s.other.id)
	}
	return r.conn.Send(ctx, r.secrets.fill(message))
}

// dial opens a connection in the place of the last one.
func (r *replay) dial(ctx context.Context) (err error) {
	r.leftover()
	r.hangUp()
	r.initialized, r.sent, r.open = false, map[string]*step{}, map[*step]bool{}
	arrived, closed := make(chan arrival, 1<<10), make(chan struct{})
	r.arrived, r.closed = arrived, closed
	r.conn, err = r.o.Dial(ctx, func(message []byte, err error) {
		select {
		case arrived <- arrival{message, err}:
		case <-closed:
		}
	})
	return err
}

func (r *replay) hangUp() {
	if r.conn != nil {
		close(r.closed)
		_ = r.conn.Close() // the messages have arrived
		r.conn = nil
	}
}

// literal matches a JSON string, and the colon if it is the name of a member.
var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"\s*:?`)

// withHandles returns a message of the client with the handles of the replay.
func (r *replay) withHandles(message []byte) []byte {
	if len(r.handles) == 0 {
		return message
	}
	return literal.ReplaceAllFunc(message, func(text []byte) []byte {
		if text[len(text)-1] == ':' {
			return text
		}
		if is, ok := r.handles[string(rawjson.Unquote(text))]; ok {
			return jsondoc.AppendString(nil, is)
		}
		return text
	})
}

// withID returns a message with another id.
func withID(message, id []byte) []byte {
	return jsondoc.Parse(message).With("id", jsondoc.Parse(id)).AppendTo(nil)
}

// maxInbox is the maximum number of messages that were not recorded before the pending ones.
const maxInbox = 1000

// await waits for the pending messages. Messages that are not among them do not extend the time.
func (r *replay) await(ctx context.Context) error {
	r.since = time.Now()
	for r.inbox = slices.DeleteFunc(r.inbox, r.take); len(r.pending) > 0; {
		if len(r.inbox) > maxInbox {
			return fmt.Errorf("line %d: the server has sent %d messages that are not in the transcript", r.steps[r.now].Line, maxInbox)
		}
		wait, isQuiet := r.o.Timeout, len(r.open) == 0
		if isQuiet || r.hasNewRequest() {
			wait = min(wait, quiet)
		}
		message, err := r.receive(ctx, r.since.Add(wait))
		switch {
		case err == nil:
			err = r.arrive(ctx, message)
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			err = r.late(ctx, isQuiet)
			r.since = time.Now()
		default:
			err = fmt.Errorf("line %d: %w", r.steps[r.now].Line, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *replay) receive(ctx context.Context, until time.Time) ([]byte, error) {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	select {
	case a := <-r.arrived:
		return a.message, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hasNewRequest reports whether the server waits for a response that is not in the transcript.
func (r *replay) hasNewRequest() bool {
	return slices.ContainsFunc(r.inbox, func(m received) bool {
		return m.Kind == envelope.Request && !slices.ContainsFunc(r.steps[r.now:], func(s *step) bool {
			return !s.ToServer && s.Kind == envelope.Request && bytes.Equal(s.Method, m.Method)
		})
	})
}

// late handles that no message arrives: it refuses a request of the server, so that the server continues, or gives up.
func (r *replay) late(ctx context.Context, isQuiet bool) error {
	if i := slices.IndexFunc(r.inbox, func(m received) bool { return m.Kind == envelope.Request }); i >= 0 {
		m := r.inbox[i]
		r.inbox = slices.Delete(r.inbox, i, i+1)
		r.surplus(m)
		refusal := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"the transcript has no answer to this request"}}`, m.ID)
		r.steps[r.now].added = append(r.steps[r.now].added, Entry{ToServer: true, Message: refusal})
		return r.conn.Send(ctx, refusal)
	}
	if !isQuiet {
		for _, s := range r.pending {
			if s.Kind == envelope.Response && s.other != nil {
				return &NoAnswerError{s.other.Line, s.subject(), r.o.Timeout}
			}
		}
	}
	for _, s := range r.pending {
		s.gone = true
		r.report.Messages++
		r.report.add(Difference{Line: s.Line, Subject: s.subject(), Was: around(printable(string(s.Entry.Message)), 0)})
	}
	r.pending = nil
	return nil
}

// arrive handles a message of the server.
func (r *replay) arrive(ctx context.Context, raw []byte) error {
	m := received{raw: r.secrets.Hide(raw)}
	if m.Read(raw, maxDepth) != nil {
		m.Kind = envelope.Malformed
	}
	switch key := keyOf(m.ID); {
	case m.Kind == envelope.Malformed:
		r.surplus(m)
		return nil
	case m.Kind == envelope.Request && string(m.Method) == "ping":
		return r.conn.Send(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID))
	case m.Kind == envelope.Notification && slices.Contains(r.methods, string(m.Method)):
		return nil
	case m.Kind == envelope.Response:
		request := r.sent[key]
		if request != nil && request.other == nil {
			return nil // for example to a request that was cancelled
		}
		if request != nil && request.isPoll() && isWorking(m.Result) && time.Now().Before(request.until) {
			return r.pollAgain(ctx, request)
		}
		delete(r.open, request)
	}
	if !r.take(m) {
		r.inbox = append(r.inbox, m)
	}
	return nil
}

// pollAgain repeats a tasks/get.
func (r *replay) pollAgain(ctx context.Context, s *step) error {
	select {
	case <-time.After(pollEvery):
	case <-ctx.Done():
		return ctx.Err()
	}
	r.since = time.Now()
	r.polls++
	id := fmt.Appendf(nil, `"poll-%d"`, r.polls)
	r.sent[keyOf(id)] = s
	return r.conn.Send(ctx, r.secrets.fill(withID(r.withHandles(s.Entry.Message), id)))
}

// take compares a message with the pending one that it is. It returns false if there is none.
func (r *replay) take(m received) bool {
	at := r.find(m)
	if at < 0 {
		return false
	}
	s := r.pending[at]
	r.pending = slices.Delete(r.pending, at, at+1)
	r.since = time.Now()
	if m.Kind == envelope.Request {
		s.id = m.ID
	}
	c := &comparison{ignore: r.ignore, handles: r.handles}
	merged := c.compare(s.Entry.Message, m.raw)
	r.report.Messages++
	for _, d := range c.found {
		d.Line, d.Subject = s.Line, s.subject()
		r.report.add(d)
	}
	if c.found != nil {
		s.Entry.Message = r.o.Edit(merged)
	}
	return true
}

// find returns the index of the pending message that a message of the server is, -1 if there is none. A response belongs
// to its request. Other messages are the first of their method that is equal, or else the first one; two reports of
// progress only with the same token.
func (r *replay) find(m received) int {
	first := -1
	for at, s := range r.pending {
		switch {
		case s.Kind != m.Kind:
		case m.Kind == envelope.Response:
			request := r.sent[keyOf(m.ID)]
			if request != nil && request == s.other || m.ID == nil && s.ID == nil { // an error may have the id null
				return at
			}
		case bytes.Equal(s.Method, m.Method) && bytes.Equal(rawjson.Lookup(s.Params.Raw, "progressToken"), rawjson.Lookup(m.Params.Raw, "progressToken")):
			c := &comparison{ignore: r.ignore, handles: map[string]string{}}
			if c.compare(s.Entry.Message, m.raw); c.found == nil {
				return at
			}
			if first < 0 {
				first = at
			}
		}
	}
	return first
}

// subject describes the message of a step.
func (s *step) subject() string {
	if s.Kind == envelope.Response && s.other != nil {
		s = s.other
	}
	name := cmp.Or(jsondoc.Parse(s.Params.Name).Text(), jsondoc.Parse(s.Params.URI).Text())
	return around(cmp.Or(strings.TrimSpace(string(s.Method)+" "+name), unmatched), 0)
}

// unmatched is the subject of a response with an id that no request has.
const unmatched = "a response to no request"

// surplus reports a message of the server that was not recorded.
func (r *replay) surplus(m received) {
	subject := cmp.Or(string(m.Method), unmatched)
	if m.Kind == envelope.Malformed {
		subject = "not a message"
	} else {
		r.steps[r.now].added = append(r.steps[r.now].added, Entry{Message: r.o.Edit(bytes.Clone(m.raw))})
	}
	r.report.Messages++
	r.report.add(Difference{Line: r.steps[r.now].Line, Subject: subject, Is: around(printable(string(m.raw)), 0)})
}

// leftover reports the messages of the server that were not recorded.
func (r *replay) leftover() {
	for _, m := range r.inbox {
		r.surplus(m)
	}
	r.inbox = nil
}

// finish makes the updated transcript.
func (r *replay) finish() {
	all := r.report.Updated
	for i, s := range r.steps {
		isEnd := s.Text == "" && s.Entry.Message == nil && i > 0 && r.steps[i-1].gone // the empty line of a message
		if !s.gone && !isEnd {
			all.Entries = append(all.Entries, s.Entry)
		}
		for _, e := range s.added {
			all.Entries = append(all.Entries, Entry{}, e)
		}
	}
}
