package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// A client speaks one revision to one server. It is safe for concurrent use.
//
// The clients are written by hand, and not those of package bench/client: they send malformed, truncated and oversized
// messages, break connections at any byte, leave sessions open, resume streams, send batches, and use the transport of
// revision 2024-11-05, and they check what a client would hide: that nothing comes out of turn or twice.
type client interface {
	revision() revision
	// request sends a request and waits for the response. It answers the requests of the server meanwhile.
	request(ctx context.Context, method string, params object) (*reply, error)
	// batch sends several requests in one message, and returns the responses in any order.
	batch(ctx context.Context, requests []object) ([]message, error)
	// subscribe subscribes to changes of the tools.
	subscribe(ctx context.Context) (*subscription, error)
	// close ends what is the client's own.
	close(ctx context.Context) error
}

// reply is the response to a request.
type reply struct {
	message
	notes []message // before the response
}

// subscription is a subscription to changes of the tools.
type subscription struct {
	changed <-chan struct{} // has room for one; closed when the stream ends
	stop    func() error
}

// note notifies a subscriber of a change.
func note(changed chan<- struct{}) {
	select {
	case changed <- struct{}{}:
	default: // it has not read the last one yet
	}
}

// question is what the tool "ask" asks.
const question = "What is to be added to %d?"

// addend is our answer to it.
func addend(n int64) int64 { return n%97 + 3 }

// answer returns the answer to an elicitation/create, which the user can only derive from the text.
func answer(params json.RawMessage) (object, error) {
	var p struct{ Message string }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	var n int64
	if _, err := fmt.Sscanf(p.Message, question, &n); err != nil {
		return nil, fmt.Errorf("the server asks %q", p.Message)
	}
	return object{"action": "accept", "content": object{"number": addend(n)}}, nil
}

// respondTo returns the response to a request of the server.
func respondTo(m *message) ([]byte, error) {
	if m.Method != "elicitation/create" {
		return nil, fmt.Errorf("the server sends a request for %s", m.Method)
	}
	result, err := answer(m.Params)
	if err != nil {
		return nil, err
	}
	return encode(object{"jsonrpc": "2.0", "id": m.ID, "result": result}), nil
}

// shorten cuts a text that is too long to read.
func shorten(text []byte) string {
	const most = 600
	if len(text) <= most {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:most]), "") + fmt.Sprintf("… (%d bytes)", len(text))
}
