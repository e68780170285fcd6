package runtime

import (
	"fmt"
	"sync"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
)

// batch collects the responses to the messages of one JSON-RPC batch, and sends
// them as one array when the last of them is there.
type batch struct {
	session *Session
	to      replier // where the array goes
	access  *Access // of who sent it
	memory  *Reservation

	mu   sync.Mutex
	left int     // messages that have not been dealt with
	buf  []byte  // the array so far
	none Refusal // why there is no response if buf has none
}

// serveBatch serves an array of messages. Only sessions of a revision that has batches
// may send one; everywhere else it is one message that is no request.
func (s *Session) serveBatch(m *Message, to replier) {
	items := m.items
	messages := make([]envelope.Message, len(items))
	problem := batchProblem(len(items), s.limits.MaxBatchMessages)
	if !s.agreed().has(batches) {
		problem = "a message is a JSON object; batches exist only in revision " + v20250326.String() + ", once it is negotiated"
	}
	size := 0
	for _, item := range items {
		size += len(item)
	}
	turn, err := s.turnOf(m.Access, size)
	if err != nil {
		respondError(to, nil, err)
		return
	}
	for i := 0; i < len(items) && problem == ""; i++ {
		// The elements have been read once and are valid.
		_ = messages[i].Read(items[i], s.limits.MaxDepth)
		if string(messages[i].Method) == methodInitialize {
			problem = "initialize cannot be part of a batch"
		}
	}
	turn.End()
	if problem != "" {
		respondError(to, nil, malformed(problem))
		return
	}
	b := &batch{session: s, to: to, access: m.Access, memory: m.Memory, left: len(items), buf: []byte{'['}}
	for i := range messages {
		b.serve(&messages[i])
	}
}

// batchProblem says why a batch of n messages is refused, "" if it is not.
func batchProblem(n, limit int) string {
	switch {
	case n == 0:
		return "a batch holds one message at least"
	case n > limit:
		return fmt.Sprintf("a batch holds at most %d messages", limit)
	}
	return ""
}

// serve handles one message of the batch.
func (b *batch) serve(m *envelope.Message) {
	if m.Kind == envelope.Request && m.Params.Meta.ProtocolVersion != nil {
		respondError(b, m.ID, invalidRequest("a request that names its own protocol version cannot be part of a batch"))
		return
	}
	b.session.serve(m, &request{session: b.session, to: b, access: b.access, memory: b.memory, oldest: v20241105})
}

// note implements [replier].
func (b *batch) note(msg []byte) { b.to.note(msg) }

// ask implements [replier].
func (b *batch) ask(msg []byte) (lost bool) { return b.to.ask(msg) }

// reply implements [replier].
func (b *batch) reply(msg []byte, _ Refusal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf = append(jsonwrite.Comma(b.buf), msg...)
	b.done()
}

// skip implements [replier].
func (b *batch) skip(why Refusal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.none = max(b.none, why)
	b.done()
}

// done notes that one message more is dealt with. A batch without a
// single response is not answered at all. The caller holds b.mu.
func (b *batch) done() {
	b.left--
	switch {
	case b.left > 0:
	case len(b.buf) > 1:
		b.to.reply(append(b.buf, ']'), Served)
	default:
		b.to.skip(b.none)
	}
}

// elements returns the elements of text, a JSON array, but no more than most; all of
// text is validated.
func elements(text []byte, maxDepth, most int) ([][]byte, error) {
	var items [][]byte
	s := jsonscan.New(text, maxDepth)
	s.OpenArray()
	for s.Element() {
		if item := s.Value(); len(items) < most {
			items = append(items, item)
		}
	}
	s.End()
	return items, s.Err()
}
