package page

import (
	"bytes"
	"cmp"
	"context"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

//go:embed static
var embedded embed.FS

// staticDir is the environment variable that names a directory to serve instead of the embedded files, for work on them.
const staticDir = "BENCH_PAGE_STATIC"

// maxBody is the maximum size of a request, in bytes: arguments with a file.
const maxBody = 48 << 20

// policy is the Content-Security-Policy of all responses.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src data: blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// newRoutes returns the handler of everything below the token.
func (p *Page) newRoutes() http.Handler {
	files, _ := fs.Sub(embedded, "static") // it is a valid path
	if dir := os.Getenv(staticDir); dir != "" {
		files = os.DirFS(dir)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { p.servePage(w, files) })
	mux.HandleFunc("GET /api/state", func(w http.ResponseWriter, _ *http.Request) { reply(w, p.state()) })
	mux.HandleFunc("GET /api/events", p.serveEvents)
	mux.HandleFunc("POST /api/reconnect", func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		p.connectLocked()
		p.mu.Unlock()
		reply(w, struct{}{})
	})
	mux.HandleFunc("GET /api/calls", func(w http.ResponseWriter, _ *http.Request) { reply(w, p.history()) })
	mux.HandleFunc("POST /api/calls", p.serveStart)
	mux.HandleFunc("GET /api/calls/{id}", p.withCall(func(w http.ResponseWriter, _ *http.Request, c *call) { p.replyCall(w, c) }))
	mux.HandleFunc("GET /api/calls/{id}/result", p.withCall(func(w http.ResponseWriter, _ *http.Request, c *call) { p.serveRaw(w, &c.result) }))
	mux.HandleFunc("GET /api/calls/{id}/arguments", p.withCall(func(w http.ResponseWriter, _ *http.Request, c *call) { p.serveRaw(w, &c.arguments) }))
	mux.HandleFunc("POST /api/calls/{id}/answer", p.withCall(p.serveAnswer))
	mux.HandleFunc("POST /api/calls/{id}/cancel", p.withCall(func(w http.ResponseWriter, _ *http.Request, c *call) {
		if !c.stopCall() {
			fail(w, http.StatusConflict, errors.New("the call has ended"))
			return
		}
		p.replyCall(w, c)
	}))
	mux.HandleFunc("GET /api/calls/{id}/copy", p.withCall(p.serveCopy))
	mux.HandleFunc("POST /api/complete", p.serveComplete)
	mux.HandleFunc("GET /api/messages", p.serveMessages)
	mux.HandleFunc("GET /api/transcript", p.serveTranscript)
	return http.NewCrossOriginProtection().Handler(mux)
}

// ServeHTTP serves the page below its token, to a browser that has loaded it from a loopback address.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if origin := r.Header.Get("Origin"); !isOurs(r) || origin != "" && origin != "http://"+r.Host {
		http.Error(w, "this page is only served to itself, at a loopback address", http.StatusForbidden)
		return
	}
	token, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(token), []byte(p.token)) == 0 || !ok {
		http.NotFound(w, r)
		return
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		http.Error(w, errClosed.Error(), http.StatusServiceUnavailable)
		return
	}
	p.work.Add(1)
	p.mu.Unlock()
	defer p.work.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)() //nolint:contextcheck // the end of the page, not of the request
	inner := r.WithContext(ctx)
	at := *r.URL
	at.Path, at.RawPath = "/"+rest, ""
	inner.URL = &at
	p.routes.ServeHTTP(w, inner)
}

// isOurs reports whether the Host header names the loopback address at which the request arrived. A name that an attacker
// made resolve to this machine is another one.
func isOurs(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	address, ours, err := net.SplitHostPort(local.String())
	if err != nil || !net.ParseIP(address).IsLoopback() {
		return false
	}
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = r.Host, "80"
	}
	return port == ours && (host == "localhost" || host == address)
}

// servePage sends the page itself, a template with the Title of the server.
func (p *Page) servePage(w http.ResponseWriter, files fs.FS) {
	t, err := template.ParseFS(files, "index.html")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	var data struct{ Title string }
	if s := p.state().Server; s != nil {
		data.Title = cmp.Or(s.Title, s.Name)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = t.Execute(w, data) // the browser may have gone
}

// reply sends v as JSON.
func reply(w http.ResponseWriter, v any) { replyWith(w, http.StatusOK, v) }

func replyWith(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the browser may have gone
}

// fail sends an error as JSON.
func fail(w http.ResponseWriter, status int, err error) {
	replyWith(w, status, map[string]string{"error": err.Error()})
}

// readBody decodes the body of a request into v. Otherwise it sends the error and returns false.
func readBody(w http.ResponseWriter, r *http.Request, v any) bool {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		fail(w, http.StatusUnsupportedMediaType, errors.New("the body must be application/json"))
		return false
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil && d.More() {
		err = errors.New("there is more than one JSON value")
	}
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		fail(w, http.StatusRequestEntityTooLarge, fmt.Errorf("the request has more than %d MiB", maxBody>>20))
		return false
	}
	if err != nil {
		fail(w, http.StatusBadRequest, fmt.Errorf("the body cannot be decoded: %w", err))
		return false
	}
	return true
}

// withCall serves a request about the call whose id is in the path.
func (p *Page) withCall(serve func(http.ResponseWriter, *http.Request, *call)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.PathValue("id"))
		c := p.find(id)
		if err != nil || c == nil {
			fail(w, http.StatusNotFound, errors.New("the call is unknown, or no longer kept"))
			return
		}
		serve(w, r, c)
	}
}

func (p *Page) replyCall(w http.ResponseWriter, c *call) {
	p.mu.Lock()
	v := c.viewLocked(maxResult)
	p.mu.Unlock()
	reply(w, v)
}

func (p *Page) serveStart(w http.ResponseWriter, r *http.Request) {
	var request callRequest
	if !readBody(w, r, &request) {
		return
	}
	c, err := request.prepare()
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	switch err := p.start(c); {
	case errors.Is(err, errBusy):
		fail(w, http.StatusTooManyRequests, err)
	case err != nil:
		fail(w, http.StatusServiceUnavailable, err)
	default:
		p.replyCall(w, c)
	}
}

// serveRaw sends the JSON at a field of a call.
func (p *Page) serveRaw(w http.ResponseWriter, field *json.RawMessage) {
	p.mu.Lock()
	text := *field
	p.mu.Unlock()
	if text == nil {
		fail(w, http.StatusNotFound, errors.New("the call has no result"))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // the browser may have gone
}

func (p *Page) serveAnswer(w http.ResponseWriter, r *http.Request, c *call) {
	var a answer
	if !readBody(w, r, &a) {
		return
	}
	switch err := c.answer(a); {
	case errors.Is(err, errNoQuestion):
		fail(w, http.StatusConflict, err)
	case err != nil:
		fail(w, http.StatusBadRequest, err)
	default:
		p.replyCall(w, c)
	}
}

func (p *Page) serveCopy(w http.ResponseWriter, r *http.Request, c *call) {
	var text string
	var err error
	switch as := r.FormValue("as"); as {
	case "bench":
		text, err = p.benchCommand(c)
	case "go":
		text, err = p.goTest(c)
	default:
		err = fmt.Errorf("as is %q; it is bench or go", as)
	}
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, text) // the browser may have gone
}

func (p *Page) serveComplete(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Prompt   string            `json:"prompt"`
		Template string            `json:"template"`
		Argument string            `json:"argument"`
		Value    string            `json:"value"`
		Others   map[string]string `json:"others"`
	}
	if !readBody(w, r, &q) {
		return
	}
	if (q.Prompt == "") == (q.Template == "") || q.Argument == "" {
		fail(w, http.StatusBadRequest, errors.New("either prompt or template, and argument, must be set"))
		return
	}
	s, err := p.acquire(r.Context())
	var found *client.Completion
	if err == nil {
		defer s.users.Done()
		found, err = s.client.Complete(r.Context(), client.Reference{Prompt: q.Prompt, URITemplate: q.Template}, q.Argument, q.Value, q.Others)
	}
	if err != nil {
		fail(w, http.StatusBadGateway, errors.New(p.explain(err)))
		return
	}
	if found.Values == nil {
		found.Values = []string{}
	}
	reply(w, found)
}

func (p *Page) serveMessages(w http.ResponseWriter, r *http.Request) {
	after, err := strconv.Atoi(r.FormValue("after"))
	if err != nil && r.FormValue("after") != "" {
		fail(w, http.StatusBadRequest, errors.New("after is not a number"))
		return
	}
	reply(w, p.recorded(after))
}

// recorded returns the recorded messages with numbers above after.
func (p *Page) recorded(after int) []Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Message{}, p.messages.after(after)...)
}

// conversation returns the recorded messages of the newest connection, without what the server has sent that is no message.
func (p *Page) conversation() []Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.messages.after(0)), func(m Message) bool { return m.session == nil || m.session != p.session })
}

func (p *Page) serveTranscript(w http.ResponseWriter, _ *http.Request) {
	if p.options.Save == nil {
		fail(w, http.StatusNotFound, errors.New("transcripts are not offered"))
		return
	}
	var text bytes.Buffer
	if err := p.options.Save(&text, p.conversation()); err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="transcript.txt"`)
	_, _ = w.Write(text.Bytes()) // the browser may have gone
}
