package page

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

//go:embed static
var embedded embed.FS

// staticDir is the environment variable that names a directory to serve instead of the embedded files, for work on them.
const staticDir = "BENCH_PAGE_STATIC"

// maxBody is the maximum size of a request, in bytes: arguments with a file.
const maxBody = 48 << 20

// A handler serves a request. It returns the value to be sent, or nil if it has written the response. An error has the status
// 400, unless it is a *statusError.
type handler func(w http.ResponseWriter, r *http.Request) (any, error)

// A plainText is a value that is not sent as JSON.
type plainText string

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v, err := h(w, r)
	status := http.StatusOK
	if err != nil {
		status = http.StatusBadRequest
		if e, ok := errors.AsType[*statusError](err); ok {
			status = e.status
		}
		v = map[string]string{"error": err.Error()}
	}
	var body []byte
	kind := "application/json"
	switch v := v.(type) {
	case nil:
		return
	case plainText:
		kind, body = "text/plain; charset=utf-8", []byte(v)
	case json.RawMessage:
		body = v // as it was received
	default:
		if body, err = json.Marshal(v); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(body) // the browser may have gone
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
	for pattern, h := range map[string]handler{
		"GET /api/state":                p.locked(func(*http.Request) (any, error) { return p.stateLocked(), nil }),
		"POST /api/reconnect":           p.locked(p.reconnectLocked),
		"GET /api/events":               p.serveEvents,
		"GET /api/calls":                p.locked(func(*http.Request) (any, error) { return p.historyLocked(), nil }),
		"POST /api/calls":               posted(p.begin),
		"GET /api/calls/{id}":           p.ofCall(func(c *call, _ *http.Request) (any, error) { return c.viewLocked(maxResult), nil }),
		"GET /api/calls/{id}/result":    p.ofCall((*call).resultLocked),
		"GET /api/calls/{id}/arguments": p.ofCall(func(c *call, _ *http.Request) (any, error) { return c.Arguments, nil }),
		"GET /api/calls/{id}/copy":      p.ofCall((*call).copyLocked),
		"POST /api/calls/{id}/answer":   posted(p.answer),
		"POST /api/calls/{id}/cancel":   p.ofCall((*call).cancelLocked),
		"POST /api/complete":            posted(p.complete),
		"GET /api/messages":             p.locked(p.messagesLocked),
		"GET /api/transcript":           p.serveTranscript,
	} {
		mux.Handle(pattern, h)
	}
	return http.NewCrossOriginProtection().Handler(mux)
}

// locked returns a handler that holds the lock.
func (p *Page) locked(do func(r *http.Request) (any, error)) handler {
	return func(_ http.ResponseWriter, r *http.Request) (any, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return do(r)
	}
}

// ofCall returns a handler for the call whose id is in the path, which holds the lock.
func (p *Page) ofCall(do func(c *call, r *http.Request) (any, error)) handler {
	return p.locked(func(r *http.Request) (any, error) {
		c, err := p.findLocked(r.PathValue("id"))
		if err != nil {
			return nil, err
		}
		return do(c, r)
	})
}

// posted returns a handler for a request with a body.
func posted[T any](do func(r *http.Request, body *T) (any, error)) handler {
	return func(_ http.ResponseWriter, r *http.Request) (any, error) {
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
			return nil, &statusError{http.StatusUnsupportedMediaType, "the body must be application/json"}
		}
		d := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxBody))
		d.DisallowUnknownFields()
		body := new(T)
		err := d.Decode(body)
		if err == nil && d.More() {
			err = errors.New("there is more than one JSON value")
		}
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, &statusError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request has more than %d MiB", maxBody>>20)}
		}
		if err != nil {
			return nil, fmt.Errorf("the body cannot be decoded: %w", err)
		}
		return do(r, body)
	}
}

func (p *Page) reconnectLocked(*http.Request) (any, error) {
	p.connectLocked()
	return struct{}{}, nil
}

// A completion is the body of a request for the values of an argument.
type completion struct {
	Prompt   string            `json:"prompt"`
	Template string            `json:"template"`
	Argument string            `json:"argument"`
	Value    string            `json:"value"`
	Others   map[string]string `json:"others"`
}

func (p *Page) complete(r *http.Request, q *completion) (any, error) {
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

func (p *Page) messagesLocked(r *http.Request) (any, error) {
	after, err := strconv.Atoi(cmp.Or(r.FormValue("after"), "0"))
	if err != nil {
		return nil, errors.New("after is not a number")
	}
	return append([]Message{}, p.messages.after(after)...), nil
}

func (p *Page) serveTranscript(w http.ResponseWriter, _ *http.Request) (any, error) {
	if p.options.Save == nil {
		return nil, &statusError{http.StatusNotFound, "transcripts are not offered"}
	}
	var text bytes.Buffer
	if err := p.options.Save(&text, p.conversation()); err != nil {
		return nil, err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="transcript.txt"`)
	return plainText(text.String()), nil
}
