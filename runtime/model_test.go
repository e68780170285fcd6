package runtime_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// model is the expected behavior of a session under concurrent events of the client and the server:
//
//   - A request is answered once, with the expected result. A cancelled request is answered at most once, and not
//     after the cancellation was processed. After a disconnect or during a shutdown, requests are answered at most once.
//   - Progress increases, is sent before the answer of its request, and ends with the last progress that the tool has
//     reported.
//   - Subscribers are notified after each change of the tools, and never without one.
//   - Client requests belong to running calls. Unanswered ones are withdrawn.
//   - The context of each call ends. If the client cancelled the call, the cause is the cancellation.
//   - Nothing is sent after the session is closed.
//
// It is called for each event, in order, and collects the violations.
type model struct {
	confirmed bool // the client is notified of changes without a subscription
	requests  map[string]*expected
	questions map[string]*question
	changes   int // started so far
	changed   int // done so far
	told      int // notifications of changes without a subscription
	heard     int // changes that had started at the last notification
	flaws     int // malformed messages, each answered by an error without id
	closing   bool
	gone      bool
	closed    bool
	problems  []string
}

// expected is the expected state of the requests with one id.
type expected struct {
	asked     int  // how often it was sent
	may       int  // how many may stay unanswered
	answers   int  // so far
	silenced  bool // nothing more may be sent
	progress  bool // progress was asked for
	done      int  // last progress sent
	reported  int  // last progress reported by the tool
	contexts  []*callEnd
	cancelled bool

	want string // part of the answer; "": anything
	late bool   // the answer may be a shutdown error

	listens bool // a subscription, answered at the end of the session
	tools   bool // the subscription includes changes of the tools
	acked   bool
	began   int // changes completed before it was sent
	told    int // notifications of changes
	heard   int // changes that had started at the last notification
}

// callEnd returns the cause of the end of a call's context, or nil.
type callEnd struct{ cause func() error }

// question is a client request.
type question struct {
	key       string // key of the call
	answered  bool
	withdrawn bool
}

func newModel() *model {
	return &model{requests: map[string]*expected{}, questions: map[string]*question{}}
}

func (m *model) problem(format string, args ...any) {
	m.problems = append(m.problems, fmt.Sprintf(format, args...))
}

// sent is called before the client sends a request with this id.
func (m *model) sent(id, want string, progress bool) *expected {
	r := m.requests[id]
	if r == nil {
		r = &expected{want: want, progress: progress}
		m.requests[id] = r
	}
	r.asked++
	r.silenced = false
	if m.closing || m.gone {
		r.may++
		r.late = true
	}
	if r.asked > 1 {
		r.want = "" // may be rejected
	}
	return r
}

// listening marks the request with this id, just sent, as a subscription.
func (m *model) listening(id string, tools bool) {
	r := m.requests[id]
	r.listens, r.tools, r.began = true, tools, m.changed
}

// cancelling is called before the client cancels the requests with this id.
func (m *model) cancelling(id string) {
	if r := m.requests[id]; r != nil {
		r.may = r.asked
		r.cancelled = true
	}
}

// answering is called before the client answers a client request; want is a part of the call's result.
func (m *model) answering(id, want string) {
	q := m.questions[id]
	q.answered = true
	if r := m.requests[`"`+q.key+`"`]; r.asked == 1 {
		r.want = want
	}
}

// silence is called when the session has received all cancellations and is idle.
func (m *model) silence() {
	for _, r := range m.requests {
		r.silenced = r.cancelled
	}
}

// outgoing is the part of a message of the server that the model uses.
type outgoing struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProgressToken string
		Progress      int
		RequestID     json.RawMessage
		Message       string
		Meta          struct {
			ID json.RawMessage `json:"io.modelcontextprotocol/subscriptionId"`
		} `json:"_meta"`
	}
}

// out is called when the server sends text.
func (m *model) out(text string) {
	if m.closed {
		m.problem("sent after the session was closed: %s", text)
		return
	}
	var parts []json.RawMessage
	if !strings.HasPrefix(text, "[") {
		parts = []json.RawMessage{json.RawMessage(text)}
	} else if err := json.Unmarshal([]byte(text), &parts); err != nil {
		m.problem("%v: %s", err, text)
	}
	for _, part := range parts {
		var o outgoing
		if err := json.Unmarshal(part, &o); err != nil {
			m.problem("%v: %s", err, part)
			continue
		}
		m.message(&o, string(part))
	}
}

func (m *model) message(o *outgoing, text string) {
	switch o.Method {
	case "":
		m.answer(string(o.ID), text)
	case "notifications/progress":
		m.progress(o.Params.ProgressToken, o.Params.Progress, text)
	case "notifications/subscriptions/acknowledged":
		m.acknowledged(string(o.Params.Meta.ID), text)
	case "notifications/tools/list_changed":
		m.changeTold(string(o.Params.Meta.ID), text)
	case "elicitation/create":
		m.asked(string(o.ID), o.Params.Message, text)
	case "notifications/cancelled":
		m.withdrawn(string(o.Params.RequestID), text)
	default:
		m.problem("unexpected message: %s", text)
	}
}

// answer is called when a request is answered.
func (m *model) answer(id, text string) {
	if id == "" {
		if m.flaws--; m.flaws < 0 {
			m.problem("error without a malformed message: %s", text)
		}
		return
	}
	r := m.requests[id]
	if r == nil || r.answers == r.asked {
		m.problem("unknown or repeated answer: %s", text)
		return
	}
	r.answers++
	cutShort := m.closing || m.gone || r.cancelled || r.late
	switch {
	case r.silenced:
		m.problem("answered after it was cancelled: %s", text)
	case r.listens && !m.closing && !m.gone:
		m.problem("subscription ended early: %s", text)
	case !strings.Contains(text, r.want) && !cutShort:
		m.problem("answer lacks %s: %s", r.want, text)
	case r.progress && r.done != r.reported && !cutShort:
		m.problem("answered after progress %d of %d: %s", r.done, r.reported, text)
	}
}

func (m *model) progress(token string, done int, text string) {
	r := m.requests[`"`+token+`"`]
	switch {
	case r == nil || !r.progress:
		m.problem("progress of an unknown request: %s", text)
		return
	case r.silenced || r.answers == r.asked:
		m.problem("progress after the end of its request: %s", text)
	case done <= r.done:
		m.problem("progress does not increase from %d: %s", r.done, text)
	}
	r.done = done
}

func (m *model) acknowledged(id, text string) {
	r := m.requests[id]
	if r == nil || !r.listens || r.acked || r.silenced {
		m.problem("unexpected acknowledgement: %s", text)
		return
	}
	r.acked = true
	r.heard = m.changes // the client may have seen those
}

// changing is called before the tools change.
func (m *model) changing() { m.changes++ }

// changeTold is called when the client is notified of a change, for a subscription if there is an id.
func (m *model) changeTold(id, text string) {
	if id == "" {
		m.told++
		m.heard = m.changes
		if !m.confirmed || m.told > m.changes {
			m.problem("unexpected notification of a change: %s", text)
		}
		return
	}
	r := m.requests[id]
	if r == nil || !r.acked || !r.tools || r.silenced || r.answers == r.asked {
		m.problem("unexpected notification for a subscription: %s", text)
		return
	}
	r.told++
	r.heard = m.changes
	if r.told > m.changes-r.began {
		m.problem("too many notifications for a subscription: %s", text)
	}
}

// asked is called when the server sends a client request. Its text names the call.
func (m *model) asked(id, words, text string) {
	key := strings.TrimSuffix(words, "?")
	r := m.requests[`"`+key+`"`]
	switch {
	case m.questions[id] != nil:
		m.problem("id of a client request reused: %s", text)
	case r == nil || r.silenced || r.answers == r.asked:
		m.problem("client request without a running call: %s", text)
	default:
		m.questions[id] = &question{key: key}
	}
}

// withdrawn is called when the server cancels a client request or ends a subscription.
func (m *model) withdrawn(id, text string) {
	if r := m.requests[id]; r != nil && r.listens && r.answers > 0 {
		return
	}
	if q := m.questions[id]; q == nil || q.withdrawn {
		m.problem("unexpected cancellation: %s", text)
	} else {
		q.withdrawn = true
		m.requests[`"`+q.key+`"`].want = "" // the answer may have been sent already
	}
}

// unread is called when the session ends without reading all messages.
func (m *model) unread() {
	for _, r := range m.requests {
		if len(r.contexts) == 0 {
			r.may = r.asked
		}
	}
}

// runs is called when a tool runs for the request with this key.
func (m *model) runs(key string, cause func() error) {
	if r := m.requests[`"`+key+`"`]; r != nil {
		r.contexts = append(r.contexts, &callEnd{cause})
	} else {
		m.problem("tool runs without a call: %s", key)
	}
}

// reported is called when the tool that runs for key reports progress.
func (m *model) reported(key string, done int) {
	if r := m.requests[`"`+key+`"`]; r != nil {
		r.reported = done
	}
}

// rested is called when enough time has passed for everything to complete.
func (m *model) rested() {
	for id, r := range m.requests {
		m.settled(id, r)
	}
	if m.confirmed && !m.closing && !m.gone && m.heard < m.changes {
		m.problem("not notified of the last change")
	}
	for id, q := range m.questions {
		crossed := m.closing && m.requests[`"`+q.key+`"`].cancelled // the client has cancelled the call
		if !q.answered && !q.withdrawn && !m.gone && !crossed {
			m.problem("question %s of %s is neither answered nor withdrawn", id, q.key)
		}
	}
	if m.flaws > 0 && !m.gone && !m.closing {
		m.problem("%d malformed messages are unanswered", m.flaws)
	}
}

func (m *model) settled(id string, r *expected) {
	open := r.listens && !m.closed
	switch {
	case m.gone || open && r.answers == 0:
	case r.answers < r.asked-r.may:
		m.problem("request %s was answered %d times, want %d to %d", id, r.answers, r.asked-r.may, r.asked)
	}
	if open && r.tools && r.acked && !r.cancelled && !m.gone && !m.closing && r.heard < m.changes {
		m.problem("subscription %s was not notified of the last change", id)
	}
	if open && !r.acked && !r.cancelled && !m.gone && !m.closing && r.answers == 0 {
		m.problem("subscription %s was not acknowledged", id)
	}
	for _, c := range r.contexts {
		if c.cause() == nil {
			m.problem("the context of %s has not ended", id)
		}
	}
}
