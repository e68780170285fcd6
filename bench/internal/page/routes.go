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

// A handler serves a request with JSON. Its error has the status 400, unless it is a *statusError.
type handler func(r *http.Request) (any, error)

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v, err := h(r)
	status := http.StatusOK
	if err != nil {
		status = http.StatusBadRequest
		if e := (*statusError)(nil); errors.As(err, &e) {
			status = e.status
		}
		v = map[string]string{"error": err.Error()}
	}
	raw, isRaw := v.(json.RawMessage) // sent as it was received
	if !isRaw {
		if raw, err = json.Marshal(v); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the browser may have gone
}

// A statusError is an error with the status of the response.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return e.text }

// newRoutes returns the handler of everything below the token.
func (p *Page) newRoutes() http.Handler {
	files, _ := fs.Sub(embedded, "static") // it is a valid path
	if dir := os.Getenv(staticDir); dir != "" {
		files = os.DirFS(dir)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { p.servePage(w, files) })
	mux.HandleFunc("GET /api/events", p.serveEvents)
	mux.HandleFunc("GET /api/calls/{id}/copy", p.serveCopy)
	mux.HandleFunc("GET /api/transcript", p.serveTranscript)
	for pattern, h := range map[string]handler{
		"GET /api/state":      func(*http.Request) (any, error) { return p.state(), nil },
		"POST /api/reconnect": func(*http.Request) (any, error) { return p.reconnect(), nil },
		"GET /api/calls":      func(*http.Request) (any, error) { return p.history(), nil },
		"POST /api/calls":     p.serveStart,
		"POST /api/complete":  p.serveComplete,
		"GET /api/messages":   p.serveMessages,
	} {
		mux.Handle(pattern, h)
	}
	for pattern, do := range map[string]func(*http.Request, *call) (any, error){
		"GET /api/calls/{id}":           func(_ *http.Request, c *call) (any, error) { return c.view(), nil },
		"GET /api/calls/{id}/result":    func(_ *http.Request, c *call) (any, error) { return c.readResult() },
		"GET /api/calls/{id}/arguments": func(_ *http.Request, c *call) (any, error) { return c.arguments, nil },
		"POST /api/calls/{id}/cancel":   func(_ *http.Request, c *call) (any, error) { return c.view(), c.stop() },
		"POST /api/calls/{id}/answer": func(r *http.Request, c *call) (any, error) {
			a, err := readBody[answer](r)
			if err == nil {
				err = c.answer(a)
			}
			return c.view(), err
		},
	} {
		mux.Handle(pattern, handler(func(r *http.Request) (any, error) {
			c, err := p.called(r)
			if err != nil {
				return nil, err
			}
			return do(r, c)
		}))
	}
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

// readBody decodes the body of a request.
func readBody[T any](r *http.Request) (v T, err error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return v, &statusError{http.StatusUnsupportedMediaType, "the body must be application/json"}
	}
	d := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err = d.Decode(&v); err == nil && d.More() {
		err = errors.New("there is more than one JSON value")
	}
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return v, &statusError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %d MiB", maxBody>>20)}
	}
	if err != nil {
		return v, fmt.Errorf("the body cannot be decoded: %w", err)
	}
	return v, nil
}

// called returns the call whose id is in the path.
func (p *Page) called(r *http.Request) (*call, error) {
	id, _ := strconv.Atoi(r.PathValue("id")) // no call has the id 0
	if c := p.find(id); c != nil {
		return c, nil
	}
	return nil, &statusError{http.StatusNotFound, "the call is unknown, or no longer kept"}
}

func (p *Page) serveStart(r *http.Request) (any, error) {
	request, err := readBody[callRequest](r)
	if err != nil {
		return nil, err
	}
	c, err := request.prepare()
	if err == nil {
		err = p.start(c)
	}
	if err != nil {
		return nil, err
	}
	return c.view(), nil
}

func (p *Page) serveCopy(w http.ResponseWriter, r *http.Request) {
	c, err := p.called(r)
	text := ""
	if err == nil {
		switch as := r.FormValue("as"); as {
		case "bench":
			text, err = p.benchCommand(c)
		case "go":
			text, err = c.goTest()
		default:
			err = fmt.Errorf("as is %q; it is bench or go", as)
		}
	}
	if err != nil {
		handler(func(*http.Request) (any, error) { return nil, err }).ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, text) // the browser may have gone
}

func (p *Page) serveComplete(r *http.Request) (any, error) {
	q, err := readBody[struct {
		Prompt   string            `json:"prompt"`
		Template string            `json:"template"`
		Argument string            `json:"argument"`
		Value    string            `json:"value"`
		Others   map[string]string `json:"others"`
	}](r)
	if err != nil {
		return nil, err
	}
	if (q.Prompt == "") == (q.Template == "") || q.Argument == "" {
		return nil, errors.New("either prompt or template, and argument, must be set")
	}
	s, err := p.acquire(r.Context())
	var found *client.Completion
	if err == nil {
		defer s.users.Done()
		found, err = s.client.Complete(r.Context(), client.Reference{Prompt: q.Prompt, URITemplate: q.Template}, q.Argument, q.Value, q.Others)
	}
	if err != nil {
		return nil, &statusError{http.StatusBadGateway, p.explain(err)}
	}
	found.Values = append([]string{}, found.Values...) // not nil
	return found, nil
}

func (p *Page) serveMessages(r *http.Request) (any, error) {
	after, err := strconv.Atoi(cmp.Or(r.FormValue("after"), "0"))
	if err != nil {
		return nil, errors.New("after is not a number")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Message{}, p.messages.after(after)...), nil
}

func (p *Page) serveTranscript(w http.ResponseWriter, r *http.Request) {
	err := error(&statusError{http.StatusNotFound, "transcripts are not offered"})
	var text bytes.Buffer
	if p.options.Save != nil {
		err = p.options.Save(&text, p.conversation())
	}
	if err != nil {
		handler(func(*http.Request) (any, error) { return nil, err }).ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="transcript.txt"`)
	_, _ = w.Write(text.Bytes()) // the browser may have gone
}

// conversation returns the recorded messages of the newest connection, without lines and events that are not messages.
func (p *Page) conversation() []Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.messages.after(0)), func(m Message) bool { return m.session == nil || m.session != p.session })
}
