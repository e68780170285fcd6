package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// A client speaks one revision to one server. It is safe for concurrent use.
type client interface {
	revision() revision
	// request sends a request and waits for the response. What the server asks meanwhile it answers.
	request(ctx context.Context, method string, params object) (*reply, error)
	// batch sends several requests in one message, and returns the responses in any order.
	batch(ctx context.Context, requests []object) ([]message, error)
	// watch has the client told when the tools change.
	watch(ctx context.Context) (*watch, error)
	// close ends what is the client's own.
	close(ctx context.Context) error
}

// reply is what came of a request.
type reply struct {
	message
	notes []message // before the response
}

// watch is a subscription to changes of the tools.
type watch struct {
	changed <-chan struct{} // has room for one; closed when the stream ends
	stop    func() error
}

// note tells who watches of a change.
func note(changed chan<- struct{}) {
	select {
	case changed <- struct{}{}:
	default: // it has not looked yet
	}
}

// question is what the tool "ask" wants to know.
const question = "What is to be added to %d?"

// addend is our answer to it.
func addend(n int64) int64 { return n%97 + 3 }

// answer returns the params of the answer to what a server asks with an elicitation/create: all a user
// of ours has to go by is the text.
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

// respond returns the response to a request of the server.
func respond(m *message) ([]byte, error) {
	if m.Method != "elicitation/create" {
		return nil, fmt.Errorf("the server sends a request for %s", m.Method)
	}
	result, err := answer(m.Params)
	if err != nil {
		return nil, err
	}
	return encode(object{"jsonrpc": "2.0", "id": m.ID, "result": result}), nil
}

// shorten cuts what is too long to be read by people.
func shorten(text []byte) string {
	const most = 600
	if len(text) <= most {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:most]), "") + fmt.Sprintf("… (%d bytes)", len(text))
}
