package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A session is a client for one revision and one server. It checks the properties that package client would hide:
// no message is out of order or duplicated. It is safe for concurrent use.
//
// All activities of a correct client use package client: handshakes, calls, lists, tasks, elicitations, subscriptions,
// cancellations, resumed streams. If a connection must break or be read slowly, this is done to the connections of the
// client, see [wire]. Only activities that are impossible for a correct client are handwritten:
//
//   - malformed and oversized messages, notifications without a method and batches, which are sent in addition to the
//     client's messages, see raw.go; the client could not wait for their responses, which have no id or several. Only
//     revision 2025-03-26 has batches.
//   - requests that are cut off, half-closed, for ended sessions, or with mismatching headers, see httpfaults.go.
//   - a stdio client that disconnects during calls, see vanish: Close of a correct one lets the server exit first.
type session struct {
	*client.Client // nil in sessions for actions that do not need it
	rev            revision
	wire           *wire // nil over stdio
	wrong          func(message []byte, err error)
	raw            rawSender

	mu        sync.Mutex
	last      int64                       // last id or progress token
	open      map[int64][]json.RawMessage // by token: progress of requests in flight
	cancelled map[int64][]json.RawMessage // cancelled requests, until the server has read that, and their responses
	asked     map[int64]int               // how often a question was asked, by the number in it
	late      int                         // responses that timed out, which was reported
	trailing  map[int64]bool              // tokens of cancelled requests of which one more message may be on its way

	abandonedLarge bool // a large response was requested and not read
}

// patience is the timeout of the clients, in effect infinite: [clock] enforces time limits.
const patience = 24 * time.Hour

// dial opens a session.
func (s *soak) dial(ctx context.Context, who string, rev revision, to client.Target) (*session, error) {
	v := &session{
		rev: rev, wrong: s.wrongFrom(who),
		open: map[int64][]json.RawMessage{}, cancelled: map[int64][]json.RawMessage{}, asked: map[int64]int{},
		trailing: map[int64]bool{},
	}
	o := client.Options{
		Era: client.Modern, Timeout: patience, Tasks: true,
		Notify: v.notified, Elicit: v.elicit, Unexpected: v.unexpected,
	}
	if rev != modern {
		o.Era, o.Revision = client.Legacy, string(rev)
	}
	if to.URL != "" {
		v.wire = &wire{rev: rev, base: s.http, wrong: v.wrong}
		if o.Transport = v.wire; rev == revisions[0] {
			o.Transport = newSSETransport(v.wire)
		}
	}
	var err error
	if v.Client, err = client.Dial(ctx, to, o); err != nil {
		return nil, err
	}
	switch got := v.Server().Revision; {
	case got != string(rev):
		err = fmt.Errorf("requested revision %s, got %s", rev, got)
	case v.wire != nil && rev != revisions[0] && rev != modern && v.wire.header.Get("Mcp-Session-Id") == "":
		err = errors.New("response to initialize without session id")
	case v.wire != nil && rev == modern:
		_, err = v.Tools(ctx) // so that calls need not list them for their headers
	}
	if err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// reply is the response to a request.
type reply struct {
	Result json.RawMessage
	Error  *client.RPCError
	notes  []json.RawMessage // its progress notifications
}

// begin returns a unique number for a request, and starts recording its progress.
func (v *session) begin() (id int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last++
	v.open[v.last] = nil
	return v.last
}

// end returns the progress of a request. No more may follow.
func (v *session) end(id int64) (notes []json.RawMessage) {
	v.mu.Lock()
	defer v.mu.Unlock()
	notes = v.open[id]
	delete(v.open, id)
	return notes
}

// withToken returns params with a progress token.
func withToken(params object, token int64) json.RawMessage {
	all := object{"_meta": object{"progressToken": token}}
	for name, value := range params {
		all[name] = value
	}
	return encode(all)
}

// request sends a request and waits for the response.
func (v *session) request(ctx context.Context, method string, params object) (*reply, error) {
	token := v.begin()
	result, err := v.Request(withFault(ctx), method, withToken(params, token))
	r := &reply{Result: result, notes: v.end(token)}
	if err == nil || errors.As(err, &r.Error) {
		return r, nil
	}
	v.expectLate(ctx)
	return nil, v.mayBeLost(err)
}

// expectLate records that a response was abandoned if ctx has ended, since it may still arrive.
func (v *session) expectLate(ctx context.Context) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if ctx.Err() != nil {
		v.late++
	}
}

// errLost means that the stream can no longer be resumed, which is documented behavior.
var errLost = errors.New("not kept")

// mayBeLost returns err, wrapped in errLost if it means a lost stream in a session whose client has abandoned a large
// response: that one counts against the replay limit of the server, which keeps only the newer of two large responses.
func (v *session) mayBeLost(err error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if status, ok := errors.AsType[*client.StatusError](err); ok && v.abandonedLarge && strings.Contains(status.Text, "unknown stream") {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	return err
}

// relatedTask is a _meta key in messages of a task, which outlives its request.
const relatedTask = "io.modelcontextprotocol/related-task"

// notified handles a notification.
func (v *session) notified(method string, params json.RawMessage) {
	if method != "notifications/progress" {
		return
	}
	var p struct{ ProgressToken int64 }
	_ = json.Unmarshal(params, &p) // 0 if invalid, which is not a valid token
	v.mu.Lock()
	reported, isOpen := v.open[p.ProgressToken]
	switch {
	case isOpen:
		v.open[p.ProgressToken] = append(reported, params)
	case v.trailing[p.ProgressToken]:
		delete(v.trailing, p.ProgressToken)
		isOpen = true
	}
	v.mu.Unlock()
	if !isOpen && !bytes.Contains(params, []byte(relatedTask)) {
		v.wrong(nil, fmt.Errorf("progress after the end: %s", shorten(params)))
	}
}

// unexpected handles messages that a correct server does not send. They are valid only as responses to raw or cancelled
// requests.
func (v *session) unexpected(text []byte, why string) {
	messages, err := parse(text)
	if err != nil || len(messages) == 0 || !messages[0].isResponse() {
		v.wrong(nil, fmt.Errorf("%s: %s", why, shorten(text)))
		return
	}
	if isByHand(text, &messages[0]) && v.raw.answered(text) {
		return
	}
	var id int64
	_ = json.Unmarshal(messages[0].ID, &id) // 0 if invalid, which is not a valid id
	v.mu.Lock()
	defer v.mu.Unlock()
	switch answers, ok := v.cancelled[id]; {
	case ok && answers == nil:
		v.cancelled[id] = append(answers, bytes.Clone(text))
	case v.trailing[id]:
		delete(v.trailing, id)
	case !ok && v.late > 0:
		v.late--
	default:
		v.wrong(nil, fmt.Errorf("%s: %s", why, shorten(text)))
	}
}

// cancel sends a request, cancels it after some time, and waits until the server has read the cancellation. The reply
// is nil if there was no response. A message that the server was sending when it read the cancellation may come after
// the answers to later requests.
func (v *session) cancel(ctx context.Context, after time.Duration, method string, params object) (*reply, error) {
	id := v.begin()
	defer func() {
		v.end(id)
		v.mu.Lock()
		defer v.mu.Unlock()
		v.trailing[id] = true
	}()
	p, err := v.PrepareRequest(method, withToken(params, id))
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	v.cancelled[id] = nil
	v.mu.Unlock()
	short, stop := context.WithTimeout(withFault(ctx), after)
	defer stop()
	answer, err := v.RoundTrip(short, p, id)
	if err != nil && short.Err() == nil {
		return nil, err
	}
	if err != nil { // the client also sends this, but the list must come after it
		err = v.sendCancelled(ctx, id)
	}
	if err == nil {
		_, err = v.Tools(ctx)
	}
	v.mu.Lock()
	if answers := v.cancelled[id]; answers != nil {
		answer = answers[0]
	}
	delete(v.cancelled, id)
	v.mu.Unlock()
	if err != nil || answer == nil {
		return nil, err
	}
	r := &reply{}
	return r, json.Unmarshal(answer, r)
}

// sendCancelled cancels a request. Over HTTP a modern client closes the connection instead.
func (v *session) sendCancelled(ctx context.Context, id int64) error {
	if v.wire != nil && v.rev == modern {
		return nil
	}
	return v.sendRaw(ctx, encode(object{
		"jsonrpc": "2.0", "method": "notifications/cancelled", "params": object{"requestId": id, "reason": "the user has left"},
	}))
}

// question is the question of the tool "ask".
const question = "What is to be added to %d?"

// addend is the answer to it.
func addend(n int64) int64 { return n%97 + 3 }

// elicit answers a question with a value derived from its text.
func (v *session) elicit(_ context.Context, q client.Elicitation) (client.ElicitResult, error) {
	var n int64
	if _, err := fmt.Sscanf(q.Message, question, &n); err != nil {
		err = fmt.Errorf("unexpected elicitation %q", q.Message)
		v.wrong(nil, err)
		return client.ElicitResult{}, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked[n]++
	return client.ElicitResult{Action: "accept", Content: encode(object{"number": addend(n)})}, nil
}

// timesAsked returns how often a question was asked.
func (v *session) timesAsked(n int64) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	times := v.asked[n]
	delete(v.asked, n)
	return times
}

// pauseReading stops reading a stream for a while.
func (v *session) pauseReading(ctx context.Context, d time.Duration) error {
	until := time.Now().Add(d)
	if v.wire != nil {
		v.wire.pausedUntil.Store(&until)
		time.Sleep(d)
		return nil
	}
	p, err := v.PrepareRequest("tools/list", nil)
	if err != nil {
		return err
	}
	id := v.begin()
	defer v.end(id)
	done := make(chan error, 1)
	if err := v.Start(ctx, p, id, func(_ []byte, err error) { // nothing is read until this returns
		time.Sleep(time.Until(until))
		done <- err
	}); err != nil {
		return err
	}
	return <-done
}

// exit closes a session over stdio, and returns an error unless the server exits successfully.
func (v *session) exit() error {
	err := v.Close()
	if code := v.ExitCode(); code != 0 {
		stream, _ := v.Stream()
		err = errors.Join(fmt.Errorf("server exited with code %d", code), stream.Err(), err)
	}
	return err
}

// shorten truncates a long text.
func shorten(text []byte) string {
	const most = 600
	if len(text) <= most {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:most]), "") + fmt.Sprintf("… (%d bytes)", len(text))
}
