package client

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// A Raw is a connection that sends and receives whole messages, without a handshake of its own. Over HTTP it adds what
// the protocol requires of the messages that were sent before: the session, the revision, and the headers that repeat
// parts of a message; those of tools are known once a tools/list was answered. Its methods are for one goroutine.
type Raw struct {
	conn     connection
	command  *command // nil over HTTP
	incoming *incoming
	in       chan []byte
	failed   chan error // the first request without a response that can be read
	ctx      context.Context
	stop     context.CancelFunc
	work     sync.WaitGroup

	mu      sync.Mutex
	mirrors map[string][]mirrored // by tool
}

// DialRaw starts the command of a target, or prepares a connection to its URL. Of the options it uses Stderr and
// Transport.
func DialRaw(ctx context.Context, t Target, o Options) (*Raw, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	r := &Raw{in: make(chan []byte, 1<<10), failed: make(chan error, 1), mirrors: map[string][]mirrored{}}
	r.ctx, r.stop = context.WithCancel(context.WithoutCancel(ctx)) // ends with Close
	r.incoming = &incoming{other: r.other}
	if t.URL != "" {
		r.conn = openHTTP(t, o, r.incoming)
		return r, nil
	}
	command, err := startCommand(t, o.Stderr, r.incoming) //nolint:contextcheck // runs until Close, even after ctx
	if err != nil {
		r.stop()
		return nil, err
	}
	r.conn, r.command = command, command
	return r, nil
}

// other passes a message to Receive. Lines that are not messages are counted, see StrayLines.
func (r *Raw) other(_ context.Context, m message) {
	switch {
	case m.kind == envelope.Response && m.err != nil:
		r.fail(r.conn.unreachable("its answer cannot be read: "+m.err.Error(), m.err))
	case m.kind != envelope.Malformed || r.command == nil:
		r.deliver(m.text)
	}
}

// deliver passes a message to Receive.
func (r *Raw) deliver(message []byte) {
	select {
	case r.in <- message:
	case <-r.ctx.Done():
	}
}

// fail lets Receive return an error.
func (r *Raw) fail(err error) {
	select {
	case r.failed <- err:
	default: // it has another one
	}
}

// Send sends a message without line breaks. Over HTTP it does not wait for the response to a request.
func (r *Raw) Send(ctx context.Context, message []byte) error {
	web, isHTTP := r.conn.(*httpConnection)
	if !isHTTP {
		return r.conn.send(ctx, "", message)
	}
	var m envelope.Message
	if err := m.Read(message, maxDepth); err != nil {
		return err
	}
	q := &request{id: anyID, method: string(m.Method), name: subject(string(m.Method), m.Params.Raw), body: message}
	if m.Kind != envelope.Request {
		err := web.send(ctx, q.method, message)
		if err == nil && q.method == "notifications/initialized" {
			web.attend()
		}
		return err
	}
	var revision string
	switch {
	case m.Params.Meta.ProtocolVersion != nil && json.Unmarshal(m.Params.Meta.ProtocolVersion, &revision) == nil:
		web.agree(Modern, revision)
	case q.method == "initialize":
		web.agree(Legacy, "")
	}
	if web.isModern() && q.method == "tools/call" {
		r.mu.Lock()
		fields := r.mirrors[q.name]
		r.mu.Unlock()
		if err := q.repeat(fields); err != nil {
			return err
		}
	}
	r.work.Go(func() {
		response, err := web.request(r.ctx, q, func() {})
		if err != nil {
			r.fail(err)
			return
		}
		r.answered(web, q, response)
	})
	return nil
}

// answered delivers the response to a request, and learns from it.
func (r *Raw) answered(web *httpConnection, q *request, response []byte) {
	var m struct {
		Result struct {
			ProtocolVersion string `json:"protocolVersion"`
			Tools           []struct {
				Name        string          `json:"name"`
				InputSchema json.RawMessage `json:"inputSchema"`
			} `json:"tools"`
		} `json:"result"`
	}
	if strictjson.Decode(response, &m) == nil {
		if q.method == "initialize" {
			web.agree(Legacy, m.Result.ProtocolVersion)
		}
		r.mu.Lock()
		for _, t := range m.Result.Tools {
			r.mirrors[t.Name] = mirroredOf(&Tool{InputSchema: t.InputSchema})
		}
		r.mu.Unlock()
	}
	r.deliver(response)
}

// Receive returns the next message of the server. It waits until ctx ends, and then returns the error of ctx; any other
// error means that no more messages arrive.
func (r *Raw) Receive(ctx context.Context) ([]byte, error) {
	var over <-chan struct{}
	if r.command != nil {
		over = r.command.over
	}
	select {
	case message := <-r.in:
		return message, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case err := <-r.failed:
		return nil, err
	case <-over:
	}
	select {
	case message := <-r.in:
		return message, nil
	default:
		r.command.mu.Lock()
		defer r.command.mu.Unlock()
		return nil, r.command.lost
	}
}

// StrayLines is [Client.StrayLines].
func (r *Raw) StrayLines() (n int, first string) { return (&Client{conn: r.conn}).StrayLines() }

// InvalidMessages is [Client.InvalidMessages].
func (r *Raw) InvalidMessages() (n int, problem, around string) { return r.incoming.noted() }

// Close closes the connection as [Client.Close].
func (r *Raw) Close() error {
	r.stop()
	err := r.conn.close()
	r.work.Wait()
	return err
}
