package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
)

// mangler replaces the nth message of a session for the model, to test the model.
type mangler func(n int, text string) []string

func honest(_ int, text string) []string { return []string{text} }

// play plays a script and returns the violations of the model.
func play(t *testing.T, s *script, mangle mangler) (problems []string) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil { // leaked goroutines or a deadlock
			problems = append(problems, fmt.Sprint(v))
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		p := &player{t: t, script: s, mangle: mangle, model: newModel(), states: map[string]string{}}
		p.play()
		problems = p.model.problems
	})
	return problems
}

// player plays a script. It is the transport, the client and the tools of the session.
type player struct {
	enginetest.Discard
	t        *testing.T
	script   *script
	registry *mcptool.Registry
	session  runtime.Session
	leave    context.CancelCauseFunc
	feed     *feed // nil without a source
	read     chan error
	work     sync.WaitGroup // changes of the tools
	extras   int            // number of added tools
	closed   chan error     // receives the error of Close; nil until it is called
	calls    int            // number of tool calls sent
	records  journal        // audit log
	ledger   ledger

	mu     sync.Mutex
	model  *model
	mangle mangler
	sent   int
	posted []string
	broken bool              // sending fails
	states map[string]string // request states of calls that have asked, by key
}

// know calls what with the model.
func (p *player) know(what func(m *model)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	what(p.model)
}

// Respond implements [runtime.Writer].
func (p *player) Respond(msg []byte, end runtime.End) error {
	return enginetest.Respond(p.Notify, msg, end)
}

// Notify implements [runtime.Writer].
func (p *player) Notify(msg []byte) error {
	err := p.deliver(string(msg))
	for range p.script.slow { // no Sleep: the session holds locks while it sends
		goruntime.Gosched()
	}
	return err
}

func (p *player) deliver(texts ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken {
		return errors.New("broken pipe")
	}
	for _, text := range append(p.posted, texts...) {
		p.sent++
		for _, told := range p.mangle(p.sent, text) {
			p.model.out(told)
		}
		p.remember(text)
	}
	p.posted = nil
	return nil
}

// remember keeps the requestState of a message for the retry.
func (p *player) remember(text string) {
	var m struct {
		ID     string
		Result struct{ RequestState string }
	}
	if json.Unmarshal([]byte(text), &m) == nil && m.Result.RequestState != "" {
		p.states[m.ID] = m.Result.RequestState
	}
}

// batcher is a player that holds responses back until Flush.
type batcher struct{ *player }

// Respond implements [runtime.Writer].
func (b batcher) Respond(msg []byte, end runtime.End) error {
	if msg == nil || !end.More {
		return b.player.Respond(msg, end)
	}
	defer end.Wrote()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.posted = append(b.posted, string(msg))
	return nil
}

// Flush implements [runtime.Conn].
func (b batcher) Flush() error { return b.deliver() }

// server returns the server of the script.
func (p *player) server() *runtime.Server {
	srv := serve(p.t, tool(p.t, "work", p.tool), tool(p.t, "ask", p.ask))
	srv.Limits = runtime.Limits{MaxConcurrentCalls: p.script.concurrent, MaxQueuedCalls: 2, ClientRequestTimeout: 300 * time.Millisecond, CloseGrace: time.Second}
	runtime.Fixed(srv).ProgressInterval = time.Millisecond
	srv.Observer = observe.All(&p.ledger, audit.New(slog.New(slog.NewJSONHandler(&p.records, nil))))
	p.registry = srv.Tools
	return srv
}

func (p *player) play() {
	srv := p.server()
	ctx, leave := context.WithCancelCause(p.t.Context())
	defer leave(nil)
	p.leave = leave
	if p.script.source {
		p.session = srv.Open(ctx, batcher{p})
		p.feed = &feed{messages: make(chan string, 1000), err: io.EOF, buf: make([]byte, 4<<10)}
		p.read = make(chan error, 1)
		go func() { p.read <- p.session.ReceiveFrom(p.feed) }()
	} else {
		p.session = srv.Open(ctx, p)
	}
	p.greet()
	for _, s := range p.script.steps {
		performances[s.do](p, s)
		if p.model.gone || p.isClosed() {
			break
		}
	}
	p.end()
}

func (p *player) isLegacy() bool { return p.script.revision != "2026-07-28" }

// greet performs the handshake of a legacy revision.
func (p *player) greet() {
	if !p.isLegacy() {
		return
	}
	p.know(func(m *model) { m.sent(`"init"`, p.script.revision, false) })
	p.say(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + p.script.revision +
		`","capabilities":{"elicitation":{}},"clientInfo":{"name":"tester","version":"1"}}}`)
	p.know(func(m *model) { m.confirmed = true })
	p.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	synctest.Wait() // now the client is notified of changes
}

// say sends a message to the session.
func (p *player) say(text string) {
	p.calls += strings.Count(text, `"method":"tools/call"`)
	if p.feed != nil {
		p.feed.messages <- text
	} else {
		p.session.Receive([]byte(text))
	}
}

// request sends a request in the script's revision, or a modern one.
func (p *player) request(key, method, params string, isModern bool) {
	id := `"` + key + `"`
	if !isModern && p.isLegacy() {
		p.say(legacy(id, method, strings.TrimPrefix(params, ",")))
		return
	}
	p.say(strings.Replace(modern(id, method, params), `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`, 1))
}

// end closes the session, unless Close was called already, and waits for its end.
func (p *player) end() {
	if p.closed == nil {
		p.shutdown(50 * time.Millisecond)
	}
	<-p.closed
	time.Sleep(10 * time.Millisecond) // for messages that are being sent
	synctest.Wait()
	p.know(func(m *model) { m.closed = true })
	if p.feed != nil {
		close(p.feed.messages)
		if err := <-p.read; err != nil {
			p.know(func(m *model) { m.problem("ReceiveFrom = %v", err) })
		}
	}
	p.rest()
}

// rest waits until everything has completed, and checks that.
func (p *player) rest() {
	time.Sleep(time.Minute)
	p.work.Wait()
	synctest.Wait()
	records := strings.Count(p.records.String(), "\n")
	p.know(func(m *model) {
		if records != p.calls && !m.gone {
			m.problem("%d audit records, want %d", records, p.calls)
		}
		for _, problem := range p.ledger.problems() {
			if m.closed {
				m.problem("%s", problem)
			}
		}
		if len(p.posted) > 0 && !p.broken {
			m.problem("not delivered: %s", p.posted)
		}
		m.rested()
		m.silence()
	})
}

func (p *player) isClosed() bool { return len(p.closed) > 0 }

// shutdown starts to close the session.
func (p *player) shutdown(grace time.Duration) {
	if p.closed != nil {
		return
	}
	p.closed = make(chan error, 1)
	synctest.Wait()
	p.know(func(m *model) {
		m.closing = true
		if p.feed != nil && len(p.feed.messages) > 0 {
			m.unread()
		}
	})
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(p.t.Context()), grace)
		defer cancel()
		p.closed <- p.session.Close(ctx)
	}()
}

// performances are the actions of steps.
var performances = map[string]func(p *player, s step){
	"call": func(p *player, s step) {
		var how toolHow
		p.parse(s.how, &how)
		word := "word-" + s.key + "-"
		want := map[string]string{"ok": word, "error": word, "panic": "with an internal error", "exit": `"id":`}[how.End]
		p.know(func(m *model) { m.sent(`"`+s.key+`"`, want, how.Reports > 0) })
		meta := ""
		if how.Reports > 0 {
			meta = `,"_meta":{"progressToken":"` + s.key + `"}`
		}
		args := strings.Replace(s.how, "{", `{"key":"`+s.key+`","word":"`+word+`",`, 1)
		params := `,"name":"work","arguments":` + args
		if !p.isLegacy() && meta != "" {
			p.say(strings.Replace(modern(`"`+s.key+`"`, "tools/call", params), `"_meta":{`, `"_meta":{"progressToken":"`+s.key+`",`, 1))
			return
		}
		p.request(s.key, "tools/call", params+meta, false)
	},
	"ask": func(p *player, s step) {
		p.know(func(m *model) { m.sent(`"`+s.key+`"`, "", false) })
		p.request(s.key, "tools/call", `,"name":"ask","arguments":{"key":"`+s.key+`"}`, false)
	},
	"answer": (*player).answer,
	"cancel": func(p *player, s step) {
		id := `"` + s.key + `"`
		p.know(func(m *model) { m.cancelling(id) })
		p.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	},
	"again": func(p *player, s step) {
		again := false
		p.know(func(m *model) {
			r := m.requests[`"`+s.key+`"`]
			if again = r != nil && !r.progress && !r.listens; again {
				m.sent(`"`+s.key+`"`, "", false)
			}
		})
		if again {
			p.request(s.key, "tools/list", "", false)
		}
	},
	"listen": func(p *player, s step) {
		p.know(func(m *model) {
			m.sent(`"`+s.key+`"`, "", false)
			m.listening(`"`+s.key+`"`, s.how == "tools")
		})
		p.request(s.key, "subscriptions/listen", fmt.Sprintf(`,"notifications":{"toolsListChanged":%t}`, s.how == "tools"), true)
	},
	"change": func(p *player, _ step) {
		p.extras++
		extra := tool(p.t, fmt.Sprintf("extra_%d", p.extras), echo)
		p.work.Go(func() {
			p.know((*model).changing)
			if err := p.registry.Add(extra); err != nil {
				p.t.Error(err)
			}
			p.know(func(m *model) { m.changed++ })
		})
	},
	"list": func(p *player, s step) {
		p.know(func(m *model) { m.sent(`"`+s.key+`"`, `"tools":[`, false) })
		p.request(s.key, "tools/list", "", false)
	},
	"batch": func(p *player, s step) {
		if p.script.revision != "2025-03-26" {
			return
		}
		var calls []string
		for i := range 3 {
			key := fmt.Sprintf("%s.%d", s.key, i)
			p.know(func(m *model) { m.sent(`"`+key+`"`, "word-"+key, false) })
			calls = append(calls, legacy(`"`+key+`"`, "tools/call", `"name":"work","arguments":{"key":"`+key+`","word":"word-`+key+`","end":"ok"}`))
		}
		p.say("[" + strings.Join(calls, ",") + "]")
	},
	"flaw": func(p *player, _ step) {
		p.know(func(m *model) { m.flaws++ })
		p.say(`{"jsonrpc":"2.0",`)
	},
	"pause": func(p *player, s step) {
		time.Sleep(s.pause)
		if synctest.Wait(); p.feed == nil || len(p.feed.messages) == 0 {
			p.know((*model).silence) // an answer that was being sent at the cancellation has been sent by now
		}
	},
	"rest":     func(p *player, _ step) { p.rest() },
	"shutdown": func(p *player, s step) { p.shutdown(s.pause) },
	"disconnect": func(p *player, s step) {
		p.know(func(m *model) {
			m.gone = true
			p.broken = s.how == "unnoticed"
		})
		if s.how == "noticed" {
			p.leave(runtime.ErrDisconnected)
		}
	},
}

func (p *player) parse(text string, v any) {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		p.t.Error(err)
	}
}

// answer answers an open client request, or, in the modern revision, retries a call with the answer.
func (p *player) answer(s step) {
	content := map[string]string{
		"yes":   `"result":{"action":"accept","content":{"confirm":true}}`,
		"no":    `"result":{"action":"decline"}`,
		"error": `"error":{"code":-1,"message":"no user"}`,
	}[s.how]
	if !p.isLegacy() {
		p.callAgain(strings.TrimPrefix(content, `"result":`))
		return
	}
	id := ""
	p.know(func(m *model) {
		for open, q := range m.questions {
			if !q.answered && !q.withdrawn && (id == "" || open < id) {
				id = open
			}
		}
		if id == "" {
			return
		}
		want := `"isError":true`
		if s.how == "yes" {
			want = "agreed-" + m.questions[id].key
		}
		m.answering(id, want)
	})
	if id != "" {
		p.say(`{"jsonrpc":"2.0","id":` + id + `,` + content + `}`)
	}
}

// callAgain retries a call that has asked with its state, which may be rejected as expired.
func (p *player) callAgain(content string) {
	key, state := "", ""
	p.know(func(m *model) {
		for k, s := range p.states {
			if key == "" || k < key {
				key, state = k, s
			}
		}
		delete(p.states, key)
		if key != "" {
			m.sent(`"`+key+`-again"`, "", false)
		}
	})
	if key != "" && strings.HasPrefix(content, "{") {
		p.request(key+"-again", "tools/call", `,"name":"ask","arguments":{"key":"`+key+`"},"requestState":"`+state+`","inputResponses":{"q1":`+content+`}`, true)
	} else if key != "" {
		p.request(key+"-again", "tools/list", "", true)
	}
}

// toolHow is the behavior of a tool.
type toolHow struct {
	Key, Word, End string
	MS, Reports    int
	Deaf           bool
}

// tool is the func of the tool work: it waits and reports progress.
func (p *player) tool(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
	var how toolHow
	p.parse(string(args), &how)
	p.know(func(m *model) { m.runs(how.Key, func() error { return context.Cause(ctx) }) })
	for i := range how.Reports + 1 {
		if wait := time.Duration(how.MS) * time.Millisecond; how.Deaf {
			time.Sleep(wait)
		} else if how.MS > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		if i < how.Reports {
			p.know(func(m *model) { m.reported(how.Key, i+1) })
			mcptool.Progress(ctx, float64(i+1), 0, "")
		}
	}
	switch how.End {
	case "error":
		return nil, errors.New(how.Word)
	case "panic":
		panic(how.Word)
	case "exit":
		goruntime.Goexit()
	}
	return &mcptool.Result{Structured: args}, nil
}

// ask is the func of the tool ask: it asks the user.
func (p *player) ask(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
	var in struct{ Key string }
	p.parse(string(args), &in)
	p.know(func(m *model) { m.runs(in.Key, func() error { return context.Cause(ctx) }) })
	if err := mcptool.Confirm(ctx, in.Key+"?"); err != nil {
		return nil, err
	}
	return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: "agreed-" + in.Key}}}, nil
}
