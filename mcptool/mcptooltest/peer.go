package mcptooltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
)

// revisions are the tested protocol revisions, oldest first.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// sinceTasks is the first revision that has tasks.
const sinceTasks = "2025-11-25"

// elicitation is the first revision in which a server can ask the user.
const elicitation = "2025-06-18"

// JSON-RPC error codes of the protocol.
const (
	codeInvalidRequest    = -32600
	codeInvalidParams     = -32602
	codeInternal          = -32603
	codeNotFound          = -32002 // of resources, before the modern revisions
	codeMissingCapability = -32021
)

// everything has the client capabilities that are necessary to answer any request of a tool.
const everything = `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}`

// everythingIn has the client capabilities in everything that the revision defines.
func everythingIn(revision string) string {
	switch {
	case revision < elicitation:
		return `{"sampling":{},"roots":{}}`
	case revision < "2025-11-25": // the first revision with two elicitation modes
		return `{"elicitation":{},"sampling":{},"roots":{}}`
	default:
		return everything
	}
}

// A peer is a client of one revision, connected in memory to a server.
type peer struct {
	revision     string
	modern       bool // each request names the revision
	capabilities string
	server       *runtime.Server
	session      engine.Session
	defects      *defects
	access       *runtime.Access // of the handshake
	last         atomic.Int64
}

// dial connects a client.
func dial(ctx context.Context, srv *runtime.Server, log *defects, revision, capabilities string) (*peer, error) {
	p := &peer{revision: revision, capabilities: capabilities, server: srv, defects: log}
	if err := p.connect(ctx, deaf{}); err != nil {
		return nil, err
	}
	return p, nil
}

// connect opens the session of a new peer. The messages that are not part of an answer are sent to out.
func (p *peer) connect(ctx context.Context, out engine.Conn) error {
	p.session = transport.Open(ctx, p.server, out)
	p.modern = !transport.HasHandshake(p.revision)
	if p.modern {
		return nil
	}
	hello := `"protocolVersion":"` + p.revision + `","capabilities":` + p.capabilities + `,"clientInfo":{"name":"mcptooltest","version":"1"}`
	a, err := p.request(ctx, request{method: "initialize", params: hello, access: p.access})
	if err == nil && a.refusal != nil {
		err = a.refusal
	}
	if err != nil {
		p.close(ctx)
		return fmt.Errorf("revision %s: no handshake: %w", p.revision, err)
	}
	p.session.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return nil
}

// peers are clients of all revisions, oldest first.
type peers []*peer

// dialAll connects a client of each revision to one server of the registry. The clients declare all capabilities of
// their revisions, or none.
func dialAll(ctx context.Context, c *Client, registry *mcptool.Registry, extensions []runtime.Extension, capable bool) (peers, error) {
	log := &defects{}
	srv := &runtime.Server{Name: "mcptooltest", Version: "1", Tools: registry, Extensions: extensions, Tasks: tasks.New(nil), CallContext: c.CallContext, Logger: slog.New(log)}
	transport.IgnoreRates(srv)
	if len(extensions) > 0 {
		if err := srv.Check(); err != nil {
			return nil, err
		}
	}
	var all peers
	for _, revision := range revisions {
		capabilities := "{}"
		if capable {
			capabilities = everythingIn(revision)
		}
		p, err := dial(ctx, srv, log, revision, capabilities)
		if err != nil {
			all.close(ctx)
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// close ends the connections.
func (all peers) close(ctx context.Context) {
	for _, p := range all {
		p.close(ctx)
	}
}

// close ends the connection without waiting for tools that are still running.
func (p *peer) close(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	_ = p.session.Close(ctx) // the error lists cancelled calls, which are expected
}

// deaf is an [engine.Conn] that discards messages that are not part of an answer.
type deaf struct{ engine.NoAsk }

// Notify implements [engine.Writer].
func (deaf) Notify([]byte) error { return nil }

// Respond implements [engine.Writer].
func (deaf) Respond(_ []byte, end engine.End) error {
	end.Wrote()
	return nil
}

// Flush implements [engine.Conn].
func (deaf) Flush() error { return nil }

// Probe implements [engine.Conn].
func (deaf) Probe([]byte) (reached func() bool, err error) { return nil, engine.ErrNoProbe }

// A request is a request of a client. The params are members of an object, without its braces.
type request struct {
	method, params string
	access         *runtime.Access
	user           *user // answers requests of the server; nil if it has no answers
}

// An answer is a response of a server.
type answer struct {
	raw     json.RawMessage // the result, or the error
	result  *callResult     // nil if it is an error
	refusal *refusal        // nil if it is a result
	defect  *defect         // the logged mistake of the tool's author; nil if there is none
	unasked bool            // not all answers of the user were requested
}

// errSilent is the error of a call without an answer in time.
var errSilent = errors.New("no answer")

// request sends a request and answers the requests of the server meanwhile, until the response arrives.
func (p *peer) request(ctx context.Context, r request) (answer, error) {
	return rounds(r.user, func(again string) (answer, error) { return p.round(ctx, r, again) })
}

// rounds calls round until the user, which may be nil, has answered all requests of the server. Again has further members
// of the params, "" in the first round.
func rounds(user *user, round func(again string) (answer, error)) (answer, error) {
	const mostRounds = 100
	again := ""
	for range mostRounds {
		a, err := round(again)
		if err != nil || a.result == nil || a.result.ResultType != "input_required" {
			return a, err
		}
		if user == nil {
			return a, errors.New("needs answers of the client; set them with the option Answers")
		}
		responses, err := user.answerAll(a.result.InputRequests)
		if err != nil {
			return a, err
		}
		state, err := json.Marshal(a.result.RequestState)
		if err != nil {
			return a, err
		}
		again = `,"inputResponses":` + string(responses) + `,"requestState":` + string(state)
	}
	return answer{}, fmt.Errorf("not finished after %d rounds of requests", mostRounds)
}

// round sends one message. Again has further members of its params, "" in the first round.
func (p *peer) round(ctx context.Context, r request, again string) (answer, error) {
	m, id := p.message(r, again)
	x := &exchange{asked: make(chan []byte, 16), end: make(chan []byte, 1)}
	p.session.Serve(m, x)
	for {
		select {
		case question := <-x.asked:
			if err := p.respond(r.user, question); err != nil {
				return answer{}, err
			}
		case msg := <-x.end:
			return p.read(msg, id)
		case <-ctx.Done():
			return answer{}, errSilent
		}
	}
}

// message returns a message and the JSON of its id. Again has further members of its params.
func (p *peer) message(r request, again string) (m *engine.Message, id string) {
	id = `"` + p.revision + "/" + strconv.FormatInt(p.last.Add(1), 10) + `"`
	params := r.params + again
	if p.modern {
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + p.revision +
			`","io.modelcontextprotocol/clientCapabilities":` + p.capabilities + `}`
		if params != "" {
			meta += ","
		}
		params = meta + params
	}
	m = transport.Read(p.server, []byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"`+r.method+`","params":{`+params+`}}`))
	m.Access = (*engine.Access)(r.access)
	return m, id
}

// respond answers a request of the server.
func (p *peer) respond(user *user, question []byte) error {
	var q struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if err := json.Unmarshal(question, &q); err != nil {
		return err
	}
	if user == nil {
		return errors.New("needs answers of the client; set them with the option Answers: " + string(question))
	}
	result, err := user.answer(q.Method, q.Params)
	if err != nil {
		return err
	}
	p.session.Receive([]byte(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":` + string(result) + `}`))
	return nil
}

// read reads an answer.
func (p *peer) read(msg []byte, id string) (answer, error) {
	var m struct {
		Result json.RawMessage
		Error  json.RawMessage
	}
	if err := json.Unmarshal(msg, &m); err != nil {
		return answer{}, fmt.Errorf("the answer is not a JSON-RPC message: %w: %s", err, msg)
	}
	a := answer{raw: m.Result, defect: p.defects.of(id)}
	if m.Error != nil {
		a.raw, a.refusal = m.Error, &refusal{}
		return a, json.Unmarshal(m.Error, a.refusal)
	}
	a.result = &callResult{}
	return a, json.Unmarshal(m.Result, a.result)
}

// exchange receives the messages of the server about one message.
type exchange struct {
	engine.NoAsk
	asked, end chan []byte
}

// Notify implements [engine.Writer]. It keeps requests of the server, which the sender of the message answers.
func (x *exchange) Notify(msg []byte) error {
	var m struct{ ID, Method json.RawMessage }
	if err := json.Unmarshal(msg, &m); err != nil {
		return err
	}
	if m.ID == nil || m.Method == nil {
		return nil
	}
	select {
	case x.asked <- bytes.Clone(msg):
		return nil
	default:
		return engine.ErrUndelivered
	}
}

// Respond implements [engine.Writer].
func (x *exchange) Respond(msg []byte, end engine.End) error {
	defer end.Wrote()
	x.end <- bytes.Clone(msg)
	return nil
}
