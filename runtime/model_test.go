package runtime_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// model is what a client may expect of a session, whatever it and the server do at the same time:
//
//   - A request is answered once, with what it asked for; one that was cancelled once or never, and not
//     when the cancellation was received long ago. After a disconnect, and for what comes during the shutdown, that is once or never.
//   - Progress grows, comes before the answer of its request and after that has been sent, and ends with the last
//     that the tool has reported.
//   - Whoever is to be told of changes of the tools is told after each, and never without one.
//   - Questions belong to calls that are not over. What is not answered is withdrawn.
//   - The context of each call ends, and where the client cancelled the call it says so.
//   - When the session has been closed, nothing is sent any more.
//
// It is told what happens, in order, and keeps what contradicts it.
type model struct {
	confirmed bool // the client is one that is told of changes unasked
	requests  map[string]*expected
	questions map[string]*question
	changes   int // begun so far
	changed   int // done so far
	told      int // of changes, unasked
	heard     int // changes that had begun when the client was told last
	flaws     int // texts that want an error without id
	closing   bool
	gone      bool
	closed    bool
	problems  []string
}

// expected is what is expected of the requests with one id.
type expected struct {
	asked     int  // how often it was sent
	may       int  // how many of them may stay without an answer
	answers   int  // so far
	silenced  bool // nothing may come any more
	progress  bool // progress was asked for
	done      int  // the last progress that was told
	reported  int  // the last progress that the tool has reported
	contexts  []*callEnd
	cancelled bool

	want string // what is in a good answer; "" is anything
	late bool   // the answer may be that the server has shut down

	listens bool // it is a subscription, to be answered when the session ends
	tools   bool // that wants to hear of changes of the tools
	acked   bool
	began   int // changes that were done when it was sent
	told    int // of changes
	heard   int // changes that had begun when it was told last
}

// callEnd says how the context of a call has ended: nil if it has not.
type callEnd struct{ cause func() error }

// question is a request of the server.
type question struct {
	key       string // of the call
	answered  bool
	withdrawn bool
}

func newModel() *model {
	return &model{requests: map[string]*expected{}, questions: map[string]*question{}}
}

func (m *model) problem(format string, args ...any) {
	m.problems = append(m.problems, fmt.Sprintf(format, args...))
}

// sent: the client is about to send a request with this id.
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
		r.want = "" // it may be refused
	}
	return r
}

// listening: the request with this id, just sent, is a subscription.
func (m *model) listening(id string, tools bool) {
	r := m.requests[id]
	r.listens, r.tools, r.began = true, tools, m.changed
}

// cancelling: the client is about to cancel the requests with this id.
func (m *model) cancelling(id string) {
	if r := m.requests[id]; r != nil {
		r.may = r.asked
		r.cancelled = true
	}
}

// answering: the client is about to answer a question, with yes if the call is to succeed.
func (m *model) answering(id, want string) {
	q := m.questions[id]
	q.answered = true
	if r := m.requests[`"`+q.key+`"`]; r.asked == 1 {
		r.want = want
	}
}

// silence: the session has received all cancellations, and nobody has anything to do at this moment.
func (m *model) silence() {
	for _, r := range m.requests {
		r.silenced = r.cancelled
	}
}

// outgoing is a message from the server, as far as the model looks at it.
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

// out: the server sends text.
func (m *model) out(text string) {
	if m.closed {
		m.problem("sent after the end: %s", text)
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
		m.problem("sent what nobody expects: %s", text)
	}
}

// answer: a request is answered.
func (m *model) answer(id, text string) {
	if id == "" {
		if m.flaws--; m.flaws < 0 {
			m.problem("an error without a mistake: %s", text)
		}
		return
	}
	r := m.requests[id]
	if r == nil || r.answers == r.asked {
		m.problem("answered what was not asked, or once too often: %s", text)
		return
	}
	r.answers++
	cutShort := m.closing || m.gone || r.cancelled || r.late
	switch {
	case r.silenced:
		m.problem("answered after it was cancelled: %s", text)
	case r.listens && !m.closing && !m.gone:
		m.problem("a subscription ends by itself: %s", text)
	case !strings.Contains(text, r.want) && !cutShort:
		m.problem("answered with something else than %s: %s", r.want, text)
	case r.progress && r.done != r.reported && !cutShort:
		m.problem("answered with progress at %d of %d: %s", r.done, r.reported, text)
	}
}

func (m *model) progress(token string, done int, text string) {
	r := m.requests[`"`+token+`"`]
	switch {
	case r == nil || !r.progress:
		m.problem("progress of nothing: %s", text)
		return
	case r.silenced || r.answers == r.asked:
		m.problem("progress after the end of its request: %s", text)
	case done <= r.done:
		m.problem("progress from %d to %s", r.done, text)
	}
	r.done = done
}

func (m *model) acknowledged(id, text string) {
	r := m.requests[id]
	if r == nil || !r.listens || r.acked || r.silenced {
		m.problem("acknowledged out of turn: %s", text)
		return
	}
	r.acked = true
	r.heard = m.changes // it may know of those
}

// changing: the tools are about to change.
func (m *model) changing() { m.changes++ }

// changeTold: somebody is told of a change, a subscription if there is an id.
func (m *model) changeTold(id, text string) {
	if id == "" {
		m.told++
		m.heard = m.changes
		if !m.confirmed || m.told > m.changes {
			m.problem("told of a change unasked, or of one too many: %s", text)
		}
		return
	}
	r := m.requests[id]
	if r == nil || !r.acked || !r.tools || r.silenced || r.answers == r.asked {
		m.problem("a subscription is told out of turn: %s", text)
		return
	}
	r.told++
	r.heard = m.changes
	if r.told > m.changes-r.began {
		m.problem("a subscription is told of a change too many: %s", text)
	}
}

// asked: the server asks a question. The words say for which call.
func (m *model) asked(id, words, text string) {
	key := strings.TrimSuffix(words, "?")
	r := m.requests[`"`+key+`"`]
	switch {
	case m.questions[id] != nil:
		m.problem("an id of a question is used again: %s", text)
	case r == nil || r.silenced || r.answers == r.asked:
		m.problem("a question of no call: %s", text)
	default:
		m.questions[id] = &question{key: key}
	}
}

// withdrawn: the server wants no answer any more, to a question, or as it does when it ends a subscription.
func (m *model) withdrawn(id, text string) {
	if r := m.requests[id]; r != nil && r.listens && r.answers > 0 {
		return
	}
	if q := m.questions[id]; q == nil || q.withdrawn {
		m.problem("withdrawn what was not asked: %s", text)
	} else {
		q.withdrawn = true
		m.requests[`"`+q.key+`"`].want = "" // the answer may have crossed it
	}
}

// unread: the session has not read all that was sent, and may not read it any more.
func (m *model) unread() {
	for _, r := range m.requests {
		if len(r.contexts) == 0 {
			r.may = r.asked
		}
	}
}

// runs: a tool runs for the request with this key.
func (m *model) runs(key string, cause func() error) {
	if r := m.requests[`"`+key+`"`]; r != nil {
		r.contexts = append(r.contexts, &callEnd{cause})
	} else {
		m.problem("a tool runs that nobody has called: %s", key)
	}
}

// reported: the tool that runs for key reports progress.
func (m *model) reported(key string, done int) {
	if r := m.requests[`"`+key+`"`]; r != nil {
		r.reported = done
	}
}

// rested: so much time has passed that all is done that can be.
func (m *model) rested() {
	for id, r := range m.requests {
		m.settled(id, r)
	}
	if m.confirmed && !m.closing && !m.gone && m.heard < m.changes {
		m.problem("not told of the last change")
	}
	for id, q := range m.questions {
		crossed := m.closing && m.requests[`"`+q.key+`"`].cancelled // the session gives up what the client has given up
		if !q.answered && !q.withdrawn && !m.gone && !crossed {
			m.problem("question %s of %s is neither answered nor withdrawn", id, q.key)
		}
	}
	if m.flaws > 0 && !m.gone && !m.closing {
		m.problem("%d mistakes are not told", m.flaws)
	}
}

func (m *model) settled(id string, r *expected) {
	open := r.listens && !m.closed
	switch {
	case m.gone || open && r.answers == 0:
	case r.answers < r.asked-r.may:
		m.problem("request %s is answered %d times, of %d to %d", id, r.answers, r.asked-r.may, r.asked)
	}
	if open && r.tools && r.acked && !r.cancelled && !m.gone && !m.closing && r.heard < m.changes {
		m.problem("subscription %s is not told of the last change", id)
	}
	if open && !r.acked && !r.cancelled && !m.gone && !m.closing && r.answers == 0 {
		m.problem("subscription %s is not acknowledged", id)
	}
	for _, c := range r.contexts {
		if c.cause() == nil {
			m.problem("the context of %s has not ended", id)
		}
	}
}
