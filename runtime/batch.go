package runtime

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// batch collects the responses to the messages of one JSON-RPC batch, and sends them as one array when the last one is
// complete. All of them are in memory at once, so each counts against the share of the caller as soon as it is added,
// and all together are bounded by [Limits.MaxResultBytes]. Trusted peers have no share.
type batch struct {
	engine.NoAsk
	request // of the whole batch; its memory also counts the responses until the array is written

	mu        sync.Mutex
	left      int                // number of messages without a result yet
	responses [][]byte           // in the order in which they were added
	size      int                // of responses, in bytes
	none      engine.Disposition // the reason if responses is empty
	extra     *engine.EndExtra   // calls Written of all responses; nil if nothing waits for them
}

// batchCopies is the number of copies of a response that exist at once: in the batch and in the array while the array
// is built, then in the array and in the transport.
const batchCopies = 2

// serveBatch serves an array of messages. Only sessions of a revision with batches may send one; otherwise it is one
// invalid message.
func serveBatch(r *request, items [][]byte) {
	o := r.from
	messages := make([]envelope.Message, len(items))
	var problem string
	switch {
	case !o.agreed().Has(wire.Batches):
		problem = "a message is a JSON object; batches exist only in revision " + wire.V20250326.String() + ", once it is negotiated"
	case len(items) == 0:
		problem = "a batch holds one message at least"
	case len(items) > o.limits.MaxBatchMessages:
		problem = fmt.Sprintf("a batch holds at most %d messages", o.limits.MaxBatchMessages)
	}
	size := 0
	for _, item := range items {
		size += len(item)
	}
	leave, err := o.enterSlot(r.access, size)
	if err != nil {
		r.refuse(err)
		return
	}
	for i := 0; i < len(items) && problem == ""; i++ {
		// The elements were parsed before and are valid.
		_ = messages[i].Read(items[i], o.limits.MaxDepth)
		if string(messages[i].Method) == methodInitialize {
			problem = "initialize cannot be part of a batch"
		}
	}
	leave()
	if problem != "" {
		r.refuse(malformed(problem))
		return
	}
	b := &batch{request: *r, left: len(items)}
	b.memory.Keep()
	served := 0
	defer func() {
		for range messages[served:] { // after a panic: the reservations must still be returned
			b.from.sent(b.Respond(nil, engine.End{Disposition: engine.Cancelled}))
		}
	}()
	for i := range messages {
		b.serve(&messages[i])
		served++
	}
}

// serve handles one message of the batch.
func (b *batch) serve(m *envelope.Message) {
	r := b.request
	r.route, r.id, r.params = route{to: b}, m.ID, &m.Params
	if m.Kind == envelope.Request && m.Params.Meta.ProtocolVersion != nil {
		r.refuse(invalidRequest("a request that names its own protocol version cannot be part of a batch"))
		return
	}
	b.from.serve(m, &r)
}

// Notify implements [engine.Writer].
func (b *batch) Notify(msg []byte) error { return b.route.to.Notify(msg) }

// Respond implements [engine.Writer]. The last response sends the array.
func (b *batch) Respond(msg []byte, end engine.End) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if end.EndExtra != nil && end.Written != nil {
		earlier := engine.End{EndExtra: b.extra}
		b.extra = &engine.EndExtra{Written: func() { earlier.Wrote(); end.Wrote() }}
	}
	if msg == nil {
		b.none = max(b.none, end.Disposition)
		return b.done()
	}
	if err := b.take(len(msg)); err != nil {
		msg = notSent(err).AppendResponse(nil, wire.ResponseID(msg))
		b.memory.Add(batchCopies * len(msg))
	}
	b.responses = append(b.responses, bytes.Clone(msg))
	b.size += len(msg)
	return b.done()
}

// take reserves memory for a response of this size. An error means that the response cannot be sent. The caller holds
// b.mu.
func (b *batch) take(size int) error {
	most := b.from.limits.MaxResultBytes
	switch {
	case size <= engine.Uncounted: // an error would not be much shorter
		b.memory.Add(batchCopies * size)
		return nil
	case b.size > most:
		return fmt.Errorf("the answers to this batch have more than %s together; send fewer calls in a batch", bytesize.Text(int64(most)))
	}
	return b.memory.Grow(batchCopies*size, admission.Overdraft)
}

// done records that one more message has been handled. A batch without a single response is not answered. The caller
// holds b.mu.
func (b *batch) done() error {
	b.left--
	if b.left != 0 {
		return nil
	}
	defer func() { // also if the transport panics
		b.memory.Add(-b.size)
		b.memory.Release()
	}()
	if len(b.responses) == 0 {
		return b.route.to.Respond(nil, engine.End{Disposition: b.none, EndExtra: b.extra})
	}
	return b.route.to.Respond(b.join(), engine.End{EndExtra: b.extra})
}

// join returns the array, and drops the responses. The transport reserves memory for its own copy of the array. The
// caller holds b.mu.
func (b *batch) join() []byte {
	array := append(make([]byte, 0, b.size+len(b.responses)+1), '[')
	for i, msg := range b.responses {
		array = append(rawjson.AppendComma(array), msg...)
		b.responses[i] = nil
	}
	b.memory.Add(-(batchCopies - 1) * b.size)
	return append(array, ']')
}
