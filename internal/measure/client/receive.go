package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// maxDepth is the maximum nesting depth of messages.
const maxDepth = 512

// serverRequests holds the requests of the server in progress.
type serverRequests struct {
	mu      sync.Mutex
	running map[string]context.CancelFunc // by envelope.Key of the id
}

// receive handles messages that answer no waiting request.
func (c *Client) receive(ctx context.Context, message message) {
	body := message.text
	c.trace(ctx, false, body)
	switch message.kind {
	case envelope.Request, envelope.Notification:
	case envelope.Response:
		c.unexpected(body, "it answers no pending request")
		return
	default:
		c.unexpected(body, "it is not a message")
		if id := envelope.FindID(body); message.err != nil && id != nil { // the server waits for a response
			refusal := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32700,"message":"the request is not valid JSON"}}`, id)
			c.work.Go(func() { _ = c.send(c.ctx, "", refusal) }) // best effort
		}
		return
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err := strictjson.Decode(body, &m); err != nil {
		c.unexpected(body, err.Error())
		return
	}
	if m.ID != nil {
		if !c.serves(m.Method) {
			c.unexpected(body, "no capability for it is declared")
		}
		c.answer(ctx, m.ID, m.Method, m.Params)
		return
	}
	switch m.Method {
	case "notifications/progress", "notifications/message":
		if c.connected.Load() { // messages do not extend the handshake timeout
			c.timeouts.activity()
		}
	case "notifications/cancelled":
		var note struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if err := strictjson.Decode(m.Params, &note); err == nil && envelope.ValidID(note.RequestID) { // the schema lets servers leave the id out
			c.requests.cancel(note.RequestID)
		}
	case noteTools, notePrompts, noteResources, noteUpdated, noteListens:
		if err := c.subscriptions.notified(m.Method, m.Params); err != nil {
			c.unexpected(body, err.Error())
		}
	}
	if c.opts.Notify != nil {
		c.notifying.Lock()
		defer c.notifying.Unlock()
		c.opts.Notify(m.Method, m.Params)
	}
}

// unexpected reports a message that a correct server would not have sent.
func (c *Client) unexpected(message []byte, why string) {
	if c.opts.Unexpected != nil {
		c.opts.Unexpected(message, why)
	}
}

func (a *serverRequests) cancel(id json.RawMessage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if cancel := a.running[envelope.Key(id)]; cancel != nil {
		cancel()
	}
}

// answer answers a request of the server without blocking later messages. The request of the client that it belongs to
// may end first; only the values of its context are used.
func (c *Client) answer(ctx context.Context, id json.RawMessage, method string, params json.RawMessage) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(c.ctx, cancel) //nolint:contextcheck // the end of the connection, not of the request
	key := envelope.Key(id)
	c.requests.mu.Lock()
	c.requests.running[key] = cancel
	c.requests.mu.Unlock()
	c.work.Go(func() {
		defer cancel()
		defer stop()
		result, err := c.serve(ctx, method, params)
		c.requests.mu.Lock()
		delete(c.requests.running, key)
		c.requests.mu.Unlock()
		if ctx.Err() != nil {
			return // the request was cancelled
		}
		var body []byte
		if err != nil {
			why, _ := json.Marshal(err) // a number and two strings can always be encoded
			body = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, why)
		} else {
			body = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
		}
		_ = c.send(ctx, "", body) // if the connection is lost, waiting requests fail
	})
}

// serves reports whether the client handles server requests of a method.
func (c *Client) serves(method string) bool {
	return method == "ping" || method == "elicitation/create" && c.opts.Elicit != nil
}

// serve handles a request of the server.
func (c *Client) serve(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, *RPCError) {
	switch {
	case !c.serves(method):
		return nil, &RPCError{Code: codeMethodNotFound, Message: "this client does not do " + method}
	case method == "ping":
		return json.RawMessage(`{}`), nil
	default:
		return c.elicit(ctx, params)
	}
}

// elicit passes an elicitation to the user.
func (c *Client) elicit(ctx context.Context, params json.RawMessage) (json.RawMessage, *RPCError) {
	var q Elicitation
	if err := strictjson.Decode(params, &q); err != nil {
		return nil, &RPCError{Code: codeInvalidParams, Message: err.Error()}
	}
	q.Mode = cmp.Or(q.Mode, "form")
	defer c.timeouts.pause()()
	answer, err := c.opts.Elicit(ctx, q)
	if err != nil || answer.Action == "" {
		answer = ElicitResult{Action: "cancel"}
	}
	if answer.Action != "accept" || q.Mode != "form" {
		answer.Content = nil
	} else if answer.Content == nil {
		answer.Content = json.RawMessage(`{}`)
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, &RPCError{Code: codeInternal, Message: err.Error()}
	}
	return raw, nil
}
