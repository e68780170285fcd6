package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

const (
	basePath = "/base" // before the paths of the document
	moved    = "/moved"
	secret   = "secret-of-the-lab" // of all schemes
	maxBody  = 16 << 20
)

// An api is an HTTP server for a document: it validates each request, and makes the response of the document.
type api struct {
	*httptest.Server
	document *openapi3.T
	paths    []template
	lists    map[*openapi3.Operation]openapi3.Parameters // see simplify

	mu        sync.Mutex
	exchanges []exchange // since the last take
	full      bool       // responses have all members
	turn      int        // see responder
}

// An exchange is a request with its response.
type exchange struct {
	method, url string
	header      http.Header
	body        []byte
	operation   string // as in the document, "GET /pets/{id}"; "" for an unknown one
	invalid     error  // the request does not fit the document
	unanswered  error  // no response could be made
	status      int
	mediaType   string // of the response
	response    []byte
}

// newAPI starts the server for the document in a file.
func newAPI(path string) (*api, error) {
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = true
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	d, err := loader.LoadFromURI(&url.URL{Path: filepath.ToSlash(abs)})
	if err != nil {
		return nil, fmt.Errorf("the validator cannot read the document: %w", err)
	}
	openapi3filter.RegisterBodyDecoder("application/x-www-form-urlencoded", decodeForm)
	a := &api{document: d, paths: templates(d), lists: simplify(d)}
	a.Server = httptest.NewServer(a)
	return a, nil
}

// operations returns the number of operations of the document that can be tools. OPTIONS and TRACE ask about the connection.
func (a *api) operations() int {
	n := 0
	for _, item := range a.document.Paths.Map() {
		for method := range item.Operations() {
			if method != http.MethodOptions && method != http.MethodTrace {
				n++
			}
		}
	}
	return n
}

// expect discards the exchanges, and selects the responses of the next call.
func (a *api) expect(full bool, turn int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.exchanges, a.full, a.turn = nil, full, turn
}

// take returns the exchanges since the last call of expect.
func (a *api) take() []exchange {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.exchanges
}

// ServeHTTP answers a request, also one for another host that was sent here as to a proxy.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == moved {
		return // the target of redirects
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	e := exchange{method: r.Method, url: r.URL.String(), header: r.Header, body: body}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err != nil:
		e.invalid = err
	case r.Method == http.MethodConnect || r.URL.IsAbs():
		e.invalid = fmt.Errorf("the request is for another host: %s", r.Host)
	default:
		a.answer(&e, r)
	}
	a.exchanges = append(a.exchanges, e)
	e.write(w)
}

// write writes the response.
func (e *exchange) write(w http.ResponseWriter) {
	if e.invalid != nil || e.unanswered != nil {
		http.Error(w, "the lab refuses the request or has no response", http.StatusTeapot)
		return
	}
	if e.status >= 300 {
		w.Header().Set("Location", moved)
	}
	if e.mediaType != "" {
		w.Header().Set("Content-Type", e.mediaType)
	}
	w.WriteHeader(e.status)
	_, _ = w.Write(e.response) // the client is gone
}

// answer validates a request and makes its response.
func (a *api) answer(e *exchange, r *http.Request) {
	e.invalid = errors.New("the document has no such operation")
	for i, c := range a.find(r) {
		r.Body = io.NopCloser(bytes.NewReader(e.body))
		invalid := errors.Join(a.validate(r, c), validateLists(a.lists[c.Operation], r.URL.Query()), a.undeclared(r, c))
		if i == 0 || invalid == nil {
			e.operation, e.invalid = c.Method+" "+c.Path, invalid
		}
		if invalid == nil {
			e.unanswered = a.respond(e, c.Operation)
			return
		}
	}
}

// validate checks a request with openapi3filter.
func (a *api) validate(r *http.Request, c candidate) error {
	return openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
		Request: r, PathParams: c.variables, Route: c.Route,
		Options: &openapi3filter.Options{
			MultiError: true, RejectWhenRequestBodyNotSpecified: true, SkipSettingDefaults: true, AuthenticationFunc: authenticate,
		},
	})
}

// authenticate checks that a request has the secret of a scheme.
func authenticate(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	r, s := in.RequestValidationInput.Request, in.SecurityScheme
	got := r.Header.Get("Authorization")
	want := "Bearer " + secret
	switch {
	case s.Type == "apiKey" && s.In == "header":
		got, want = r.Header.Get(s.Name), secret
	case s.Type == "apiKey" && s.In == "query":
		got, want = r.URL.Query().Get(s.Name), secret
	case s.Type == "apiKey":
		got, want = "", secret
		if c, err := r.Cookie(s.Name); err == nil {
			got = c.Value
		}
	case s.Type == "http" && strings.EqualFold(s.Scheme, "basic"):
		user, password, _ := r.BasicAuth()
		got, want = user+":"+password, secret+":"+secret
	}
	if got != want {
		return fmt.Errorf("scheme %s: the credentials are %q, not %q", in.SecuritySchemeName, got, want)
	}
	return nil
}

// undeclared returns an error for a query parameter that the operation does not have: the validator does not look for them.
func (a *api) undeclared(r *http.Request, c candidate) error {
	var names, prefixes []string
	for _, ref := range slices.Concat(c.PathItem.Parameters, c.Operation.Parameters, a.lists[c.Operation]) {
		p := ref.Value
		names, prefixes = append(names, p.Name), append(prefixes, p.Name+"[")
		if p.Schema == nil || p.In != "query" || p.Explode != nil && !*p.Explode {
			continue
		}
		s := flat(p.Schema.Value, 0) // the members of an exploded object are parameters
		for _, branch := range append(slices.Concat(s.OneOf, s.AnyOf), &openapi3.SchemaRef{Value: s}) {
			s := flat(branch.Value, 0)
			names = slices.AppendSeq(names, maps.Keys(s.Properties))
			if s.AdditionalProperties.Schema != nil {
				return nil
			}
		}
	}
	for _, ref := range schemesOf(c.Spec) {
		if ref.Value.In == "query" {
			names = append(names, ref.Value.Name)
		}
	}
	for name := range r.URL.Query() {
		if !slices.Contains(names, name) && !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			return fmt.Errorf("the operation has no query parameter %q", name)
		}
	}
	return nil
}

func schemesOf(d *openapi3.T) openapi3.SecuritySchemes {
	if d.Components == nil {
		return nil
	}
	return d.Components.SecuritySchemes
}

// respond makes the response of an operation.
func (a *api) respond(e *exchange, o *openapi3.Operation) error {
	status, response := success(o)
	e.status = status
	name, mediaType := choose(response.Content, e.header.Get("Accept"))
	if mediaType == nil || status == http.StatusNoContent || e.method == http.MethodHead {
		return nil
	}
	e.mediaType = strings.NewReplacer("*/*", "application/octet-stream", "/*", "/plain").Replace(name)
	if !isJSON(name) {
		e.response = []byte("a response that is not JSON")
		return nil
	}
	if mediaType.Schema == nil {
		e.response = []byte(`{"any":"value"}`)
		return nil
	}
	r := responder{full: a.full, turn: a.turn, modern: a.document.IsOpenAPI31OrLater()}
	v, ok := r.respond(mediaType.Schema)
	if !ok {
		v = mediaType.Example
		if v == nil || !r.fits(mediaType.Schema.Value, v) {
			return errors.New("no value fits the schema of the response")
		}
	}
	var err error
	e.response, err = json.Marshal(v)
	return err
}

// success returns the first successful response of an operation, a redirect if there is none, or else an empty response.
func success(o *openapi3.Operation) (int, *openapi3.Response) {
	responses := o.Responses.Map()
	for _, first := range []string{"2", "default", "3"} {
		for _, code := range slices.Sorted(maps.Keys(responses)) {
			if !strings.HasPrefix(code, first) || responses[code].Value == nil {
				continue
			}
			status, err := strconv.Atoi(strings.NewReplacer("XX", "00", "xx", "00", "default", "200").Replace(code))
			if err == nil && status != http.StatusNotModified {
				return status, responses[code].Value
			}
		}
	}
	return http.StatusOK, &openapi3.Response{}
}

// choose returns the media type of a response: the one that the client accepts, else JSON, else the first.
func choose(content openapi3.Content, accept string) (string, *openapi3.MediaType) {
	names := slices.Sorted(maps.Keys(content))
	for _, chosen := range []func(name string) bool{
		func(name string) bool { return accept != "" && strings.HasPrefix(accept, strings.ToLower(name)) },
		isJSON,
		func(string) bool { return true },
	} {
		if i := slices.IndexFunc(names, chosen); i >= 0 {
			return names[i], content[names[i]]
		}
	}
	return "", nil
}

func isJSON(mediaType string) bool {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
}
