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
	target  Target
	conn    connection
	in      *incoming
	receive func(message []byte, err error)
	ctx     context.Context
	stop    context.CancelFunc
	work    sync.WaitGroup

	mu      sync.Mutex
	mirrors map[string][]mirrored // by tool
}

// DialRaw starts the command of a target, or prepares a connection to its URL. Of the options it uses Stderr and
// Transport. The connection passes each message of the server to receive, or the reason why a request is not answered, or
// why no more messages arrive. receive may be called concurrently, and must not block while Close runs.
func DialRaw(ctx context.Context, t Target, o Options, receive func(message []byte, err error)) (*Raw, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	r := &Raw{target: t, receive: receive, mirrors: map[string][]mirrored{}}
	r.ctx, r.stop = context.WithCancel(context.WithoutCancel(ctx)) // ends with Close
	r.in = &incoming{other: r.other}
	if t.URL != "" {
		r.conn = openHTTP(t, o, r.in)
		return r, nil
	}
	command, err := startCommand(t, o.Stderr, r.in) //nolint:contextcheck // runs until Close, even after ctx
	if err != nil {
		r.stop()
		return nil, err
	}
	r.conn = command
	r.work.Go(func() {
		<-command.over
		command.mu.Lock()
		lost := command.lost
		command.mu.Unlock()
		receive(nil, lost)
	})
	return r, nil
}

// other receives a message. Lines that are not messages are counted, see StrayLines.
func (r *Raw) other(_ context.Context, m message) {
	switch {
	case m.kind == envelope.Response && m.err != nil:
		r.receive(nil, &UnreachableError{What: r.target.String() + ": its answer cannot be read: " + m.err.Error(), Err: m.err})
	case m.kind != envelope.Malformed || r.target.URL != "":
		r.receive(m.text, nil)
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
		if err == nil {
			r.learn(web, q, response)
		}
		r.receive(response, err)
	})
	return nil
}

// learn reads what further messages need from the response to a request.
func (r *Raw) learn(web *httpConnection, q *request, response []byte) {
	var m struct {
		Result struct {
			ProtocolVersion string `json:"protocolVersion"`
			Tools           []struct {
				Name        string          `json:"name"`
				InputSchema json.RawMessage `json:"inputSchema"`
			} `json:"tools"`
		} `json:"result"`
	}
	if strictjson.Decode(response, &m) != nil {
		return
	}
	if q.method == "initialize" {
		web.agree(Legacy, m.Result.ProtocolVersion)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range m.Result.Tools {
		r.mirrors[t.Name] = mirroredOf(&Tool{InputSchema: t.InputSchema})
	}
}

// StrayLines is [Client.StrayLines].
func (r *Raw) StrayLines() (n int, first string) { return (&Client{conn: r.conn}).StrayLines() }

// InvalidMessages is [Client.InvalidMessages].
func (r *Raw) InvalidMessages() (n int, problem, around string) { return r.in.noted() }

// Close closes the connection as [Client.Close].
func (r *Raw) Close() error {
	r.stop()
	err := r.conn.close()
	r.work.Wait()
	return err
}
