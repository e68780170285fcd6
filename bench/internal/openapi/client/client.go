package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/mcptool"
)

// A Client calls the API. Its zero value is ready to use. It is safe for concurrent use as long as no field is changed.
type Client struct {
	// BaseURL is the address of the API, such as https://api.example.com/v1. "" means the environment variable BASE_URL, or the
	// address in the document if that is not set. It also replaces the host of operations that have their own server.
	BaseURL string
	// HTTP sends the requests. nil means a client that gives up after 30 seconds. A redirect to another host is followed only if
	// HTTP has a CheckRedirect that allows it, and without the headers of the request, which may have credentials.
	HTTP *http.Client
	// Credentials returns the secret of a scheme of the document for this call, for example the token of the caller
	// (mcptool.Caller(ctx).Principal): an API key, an access token, or "user:password" of basic authentication. If it is nil or
	// returns "", the secret is from the environment.
	Credentials func(ctx context.Context, scheme string) (string, error)
	// MaxResponseBytes limits the size of a response after decompression. 0 means 8 MiB.
	MaxResponseBytes int64
	// Retries is how often an idempotent request (GET, HEAD, PUT, DELETE) is repeated after a lost connection or a response 429,
	// 502, 503 or 504. 0 means 2; a negative number means never. A response that asks for a pause of more than 10 seconds is final.
	Retries int
}

// A scheme is a way to authenticate.
type scheme struct {
	kind    schemeKind
	in, key string // of an API key: header, query or cookie, and its name there
	env     string // the environment variable of the secret, or the start of the names of two
	// token gets an access token with client credentials.
	token func(ctx context.Context, client *http.Client, id, secret string) (string, error)
}

type schemeKind int

const (
	apiKey schemeKind = iota
	bearer
	basic
	clientCredentials
)

// variables has what follows env in the names of the environment variables with the secrets of a scheme.
var variables = map[schemeKind][]string{
	apiKey: {""}, bearer: {""}, basic: {"_USER", "_PASSWORD"}, clientCredentials: {"_CLIENT_ID", "_CLIENT_SECRET"},
}

// A requirement names the schemes that are needed together. An empty one means that no authentication is needed.
type requirement []string

// A request is a call of an operation. The first mistake in its arguments is returned when it is sent.
type request struct {
	client       *Client
	method       string
	url          string // the path, escaped, with placeholders for the parameters that are not set
	base         string // of an operation that has its own server
	queries      []string
	cookies      []string
	headers      http.Header
	contentType  string
	body         []byte
	zeroBody     bool // the body was made of a zero value
	alternatives []requirement
	missing      []string // environment variables that are not set
	secrets      []string // which errors must not repeat
	err          error
}

func (c *Client) request(method, path string) *request {
	return &request{client: c, method: method, url: path, headers: http.Header{}, alternatives: security}
}

// server sets the address of an operation that has its own server.
func (r *request) server(baseURL string) { r.base = baseURL }

// auth replaces the requirements of the API. Without arguments, no authentication is needed.
func (r *request) auth(alternatives ...requirement) { r.alternatives = alternatives }

// fail keeps the first error about an argument.
func (r *request) fail(name string, err error) {
	if r.err == nil && err != nil {
		r.err = mcptool.Errorf("%s cannot be sent: %w", name, err)
	}
}

// authorize adds the credentials of the first alternative whose secrets are all there. Without one, the request is sent without
// credentials, because documents require them of operations that do not need them; otherwise the response is 401.
func (r *request) authorize(ctx context.Context) error {
	for _, alternative := range r.alternatives {
		secrets := make([]string, len(alternative))
		for i, name := range alternative {
			var err error
			if secrets[i], err = r.secret(ctx, name); err != nil {
				return err
			}
		}
		if len(alternative) == 0 || slices.Contains(secrets, "") {
			continue
		}
		for i, name := range alternative {
			r.authenticate(schemes[name], secrets[i])
		}
		r.missing = nil
		break
	}
	return nil
}

// secret returns the secret of a scheme, or "" if there is none.
func (r *request) secret(ctx context.Context, name string) (string, error) {
	if credentials := r.client.Credentials; credentials != nil {
		if secret, err := credentials(ctx, name); err != nil || secret != "" {
			return secret, err
		}
	}
	s := schemes[name]
	var values []string
	for i, suffix := range variables[s.kind] {
		variable := s.env + suffix
		value, set := os.LookupEnv(variable)
		value = strings.TrimSpace(value)
		r.conceal(value)
		if set && (value != "" || i > 0) { // some APIs take a key as the user, with an empty password
			values = append(values, value)
		} else if !slices.Contains(r.missing, variable) {
			r.missing = append(r.missing, variable)
		}
	}
	if len(values) < len(variables[s.kind]) {
		return "", nil
	}
	if s.kind != clientCredentials {
		return strings.Join(values, ":"), nil
	}
	token, err := s.token(ctx, r.httpClient(), values[0], values[1])
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", r.errorf("this server cannot get an access token for the API: %s\nTell the user.", r.shorten(err.Error()))
	}
	return token, nil
}

// authenticate adds the secret of a scheme to the request.
func (r *request) authenticate(s scheme, secret string) {
	r.conceal(secret)
	switch {
	case s.kind == basic:
		_, password, _ := strings.Cut(secret, ":")
		encoded := base64.StdEncoding.EncodeToString([]byte(secret))
		r.conceal(password, encoded)
		r.headers.Set("Authorization", "Basic "+encoded)
	case s.kind != apiKey:
		r.headers.Set("Authorization", "Bearer "+secret)
	case s.in == "query":
		r.queries = append(r.queries, url.QueryEscape(s.key)+"="+url.QueryEscape(secret))
	case s.in == "cookie":
		r.cookies = append(r.cookies, s.key+"="+secret)
	default:
		r.headers.Set(s.key, secret)
	}
}

// conceal keeps secrets out of errors.
func (r *request) conceal(secrets ...string) {
	r.secrets = slices.DeleteFunc(append(r.secrets, secrets...), func(secret string) bool { return secret == "" })
}

// redact replaces the secrets in a text, also where characters of them are escaped as in a URL, in JSON or in Go.
func (r *request) redact(text string) string {
	if len(r.secrets) == 0 {
		return text
	}
	// The longest first, because one may begin with another.
	slices.SortFunc(r.secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var alternatives []string
	for _, secret := range r.secrets {
		var pattern strings.Builder
		for _, c := range secret {
			itself := regexp.QuoteMeta(string(c))
			if c == ' ' {
				itself = "[ +]"
			}
			percent := strings.ReplaceAll(fmt.Sprintf("% x", string(c)), " ", "%")
			fmt.Fprintf(&pattern, `(?:\\?%s|(?i:%%%s|\\u%04x))`, itself, percent, c)
		}
		alternatives = append(alternatives, pattern.String())
	}
	expression, err := regexp.Compile(strings.Join(alternatives, "|"))
	if err != nil { // too large
		return "[secret]"
	}
	return expression.ReplaceAllLiteralString(text, "[secret]")
}

// shorten returns the start of a text, without secrets.
func (r *request) shorten(text string) string {
	characters := []rune(r.redact(text))
	if len(characters) > 1000 {
		return string(characters[:1000]) + "…"
	}
	return string(characters)
}

// errorf returns an error for the model, without secrets.
func (r *request) errorf(format string, args ...any) error {
	return mcptool.Errorf("%s", r.redact(fmt.Sprintf(format, args...)))
}

// A response is read completely.
type response struct {
	request *request
	url     string // without the query, which may have a key
	code    int
	status  string // such as 404 Not Found
	header  http.Header
	body    []byte
}

// send returns a response whose status is 2xx.
func (r *request) send(ctx context.Context, accept string) (*response, error) {
	if r.err != nil {
		return nil, r.err
	}
	if err := r.authorize(ctx); err != nil {
		return nil, err
	}
	address, err := r.address()
	if err != nil {
		return nil, err
	}
	client := r.httpClient()
	for attempt := 0; ; attempt++ {
		answer, err := r.try(ctx, client, address, accept)
		pause, again := r.again(ctx, answer, err, attempt)
		switch {
		case !again && err != nil:
			return nil, r.lost(ctx, err)
		case !again:
			return answer, answer.refused()
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// address returns the URL of the request.
func (r *request) address() (*url.URL, error) {
	configured := cmp.Or(r.client.BaseURL, os.Getenv("BASE_URL"))
	base, err := url.Parse(cmp.Or(configured, baseURL))
	if own, ownErr := url.Parse(r.base); r.base != "" && err == nil && ownErr == nil {
		if configured == "" && own.IsAbs() {
			base = own
		} else {
			base.Path, base.RawPath = own.Path, own.RawPath
		}
	}
	switch {
	case err != nil || base.RawQuery != "" || base.Fragment != "" || base.User != nil,
		(configured != "" || base.Host != "") && base.Scheme != "http" && base.Scheme != "https":
		return nil, mcptool.Errorf("BASE_URL of this server must be an http or https URL without credentials, query and fragment; tell the user")
	case base.Host == "":
		return nil, mcptool.Errorf("the address of the API is not known; tell the user to set the environment variable BASE_URL of this server, for example to https://HOST%s", base.Path)
	case strings.ContainsAny(r.url, "{}"):
		return nil, mcptool.Errorf("the path %s has a parameter without a value", r.url)
	}
	u, err := url.Parse(strings.TrimSuffix(base.String(), "/") + r.url)
	if err != nil {
		return nil, mcptool.Errorf("the path %s is not valid", r.url)
	}
	// Some servers resolve . and .. even if the slashes around them are escaped.
	for segment := range strings.FieldsFuncSeq(u.Path, func(c rune) bool { return c == '/' || c == '\\' }) {
		if segment == "." || segment == ".." {
			return nil, mcptool.Errorf("an argument that is a part of the path must not contain the segments . or ..")
		}
	}
	u.RawQuery = strings.Trim(u.RawQuery+"&"+strings.Join(r.queries, "&"), "&")
	return u, nil
}

// httpClient returns a copy of the client of the author that does not send credentials to another host.
func (r *request) httpClient() *http.Client {
	client := http.Client{Timeout: 30 * time.Second}
	if r.client.HTTP != nil {
		client = *r.client.HTTP
	}
	author := client.CheckRedirect
	client.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		first := via[0]
		sameHost := next.URL.Scheme == first.URL.Scheme && strings.EqualFold(next.URL.Host, first.URL.Host)
		if !sameHost {
			next.Header = http.Header{"Accept": first.Header["Accept"]}
		}
		switch {
		case next.Method != first.Method && next.Response.StatusCode != http.StatusSeeOther:
			return http.ErrUseLastResponse // a POST that becomes a GET would look as if it had been carried out
		case author != nil:
			return author(next, via)
		case !sameHost || len(via) >= 10:
			return http.ErrUseLastResponse
		}
		return nil
	}
	return &client
}

// try sends the request once.
func (r *request) try(ctx context.Context, client *http.Client, address *url.URL, accept string) (*response, error) {
	request, err := http.NewRequestWithContext(ctx, r.method, address.String(), bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	request.Header = r.headers.Clone()
	for name, value := range map[string]string{"Accept": accept, "Content-Type": r.contentType, "Cookie": strings.Join(r.cookies, "; ")} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(http.MaxBytesReader(nil, answer.Body, cmp.Or(r.client.MaxResponseBytes, 8<<20)))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); err != nil && (answer.StatusCode < 300 || !tooLarge) { // of an error, the start is enough
		return nil, err
	}
	public := *address
	public.RawQuery = ""
	status := strings.TrimSpace(strconv.Itoa(answer.StatusCode) + " " + http.StatusText(answer.StatusCode))
	return &response{r, public.String(), answer.StatusCode, status, answer.Header, body}, nil
}

func (r *request) idempotent() bool {
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete, http.MethodOptions}, r.method)
}

// again reports whether the request is repeated after an attempt, and after which pause.
func (r *request) again(ctx context.Context, answer *response, err error, attempt int) (time.Duration, bool) {
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	if tooLarge || ctx.Err() != nil || !r.idempotent() || attempt >= cmp.Or(r.client.Retries, 2) {
		return 0, false
	}
	pause := rand.N(time.Second << min(attempt, 4)) // random, so that clients do not repeat at the same time
	if answer != nil {
		after := answer.retryAfter()
		if !slices.Contains([]int{429, 502, 503, 504}, answer.code) || after > 10*time.Second {
			return 0, false
		}
		pause += after
	}
	deadline, ok := ctx.Deadline()
	return pause, !ok || time.Until(deadline) > pause
}

// retryAfter returns how long the API asks to wait: 0 if it does not.
func (a *response) retryAfter() time.Duration {
	value := a.header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), 1e6)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// lost returns the error of a request without a response.
func (r *request) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		advice := "ask for less, for example with a filter or a smaller page"
		if !r.idempotent() {
			advice = r.repeatable()
		}
		return r.errorf("the response of the API has more than %d bytes; %s", tooLarge.Limit, advice)
	}
	if withURL, ok := errors.AsType[*url.Error](err); ok {
		err = withURL.Err // without the URL, whose query may have a key
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		if dns, ok := errors.AsType[*net.DNSError](err); ok { // its text has the address of the DNS server
			kind := map[bool]string{true: "no such host", false: "the DNS server did not answer"}[dns.IsNotFound]
			err = fmt.Errorf("lookup %s: %s", dns.Name, kind)
		}
		return r.errorf("the API cannot be reached: %v; the call may be repeated later", err)
	}
	return r.errorf("the API did not respond: %s; %s", r.shorten(err.Error()), r.repeatable())
}

func (r *request) repeatable() string {
	if r.idempotent() {
		return "the call may be repeated"
	}
	return "the call may have been carried out, so check that before you repeat it"
}

// refused returns the error of a response whose status is not 2xx, for the model: what to change, or whether to try again.
func (a *response) refused() error {
	r, when, advice := a.request, "later", ""
	if after := a.retryAfter(); after > 0 {
		when = "in " + after.Round(time.Second).String()
	}
	switch {
	case a.code >= 200 && a.code < 300:
		return nil
	case a.code < 400:
		if location, err := url.Parse(a.header.Get("Location")); err == nil && location.Host != "" {
			advice = "\nIt is a redirect to " + r.shorten(location.Scheme+"://"+location.Host) + ", which is not followed."
		}
		advice += "\nTell the user to check BASE_URL of this server."
	case (a.code == 401 || a.code == 403) && len(r.missing) > 0:
		advice = "\nThis server has no credentials for it: not set are the environment variables " + strings.Join(r.missing, ", ") + ". Tell the user, and do not try again."
	case a.code == 401 || a.code == 403:
		advice = "\nThe credentials of this server do not allow it. Tell the user, and do not try again."
	case a.code == 429:
		advice = "\nThe API limits the number of calls. Try again " + when + "."
	case a.code >= 500:
		advice = "\nTry again " + when + ": " + r.repeatable() + "."
	}
	return r.errorf("the API answered %s%s%s", a.status, a.message(), advice)
}

// message returns the texts of the body of an error, one a line, after a colon.
func (a *response) message() string {
	const most = 64 << 10 // to look for secrets in; about the start of it is shown
	body := bytes.TrimSpace(a.text())
	body = []byte(a.request.redact(string(body[:min(len(body), most)]))) // before blanks in secrets change
	var texts []string
	if json.Valid(body) {
		texts = messages(body, 0)
	} else if utf8.Valid(a.body) && !bytes.HasPrefix(body, []byte("<")) { // neither binary nor a page
		texts = strings.Split(string(body), "\n")
	}
	lines := ""
	for _, text := range texts {
		line := strings.Join(strings.Fields(text), " ")
		if len(lines) < 4000 && !strings.Contains(lines, line) {
			lines += "\n" + line
		}
	}
	if lines == "" {
		return ""
	}
	return ": " + a.request.shorten(lines[1:])
}

// messages returns the texts of an error in JSON: of the members that usually have them, or else all of it. Objects in lists, and
// errors by field, stay JSON.
func messages(data json.RawMessage, depth int) (texts []string) {
	list, kind := members(data)
	if kind == 0 {
		return []string{scalar(data)}
	}
	for _, m := range list {
		_, inner := members(m.value)
		switch {
		case kind == '[':
			texts = append(texts, scalar(m.value))
		case !slices.Contains([]string{"message", "error", "error_description", "title", "detail", "errors"}, m.name):
		case depth == 0 && (inner == '[' || inner == '{' && m.name == "error"):
			texts = append(texts, messages(m.value, 1)...)
		default:
			texts = append(texts, scalar(m.value))
		}
	}
	if texts == nil && len(list) > 0 {
		texts = []string{string(data)}
	}
	return texts
}

// receive sends the request and returns the JSON of the response. Members without a field are dropped, because APIs add them.
func receive[T any](ctx context.Context, r *request, accept string) (out T, err error) {
	answer, err := r.send(ctx, accept)
	if err != nil {
		return out, err
	}
	err = answer.decode(&out)
	return out, err
}

// receiveText sends the request and returns the text of the response.
func receiveText(ctx context.Context, r *request, accept string) (string, error) {
	answer, err := r.send(ctx, accept)
	if err != nil {
		return "", err
	}
	return string(answer.text()), nil
}

// receiveNothing sends the request and returns a sentence with the status of the response.
func receiveNothing(ctx context.Context, r *request) (string, error) {
	answer, err := r.send(ctx, "")
	if err != nil {
		return "", err
	}
	return "The API answered " + answer.status + ".", nil
}

// receiveContent sends the request and returns the response as an image, a recording, text or bytes, depending on its media type.
func receiveContent(ctx context.Context, r *request, accept string) (mcptool.Content, error) {
	answer, err := r.send(ctx, accept)
	if err != nil {
		return nil, err
	}
	mediaType := mediaTypeOf(cmp.Or(answer.header.Get("Content-Type"), http.DetectContentType(answer.body)))
	switch {
	case len(answer.body) == 0:
		return mcptool.Text{Text: "The API answered " + answer.status + "."}, nil
	case strings.HasPrefix(mediaType, "text/"), isJSON(mediaType), strings.HasSuffix(mediaType, "xml"): // also SVG, which few clients show
		return mcptool.Text{Text: string(answer.text())}, nil
	case strings.HasPrefix(mediaType, "image/"):
		return mcptool.Image{Data: answer.body, MIMEType: mediaType}, nil
	case strings.HasPrefix(mediaType, "audio/"):
		return mcptool.Audio{Data: answer.body, MIMEType: mediaType}, nil
	}
	return mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: answer.url, MIMEType: mediaType, Blob: answer.body}}, nil
}

// mediaTypeOf returns a media type without its parameters.
func mediaTypeOf(header string) string {
	mediaType, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(mediaType))
}

func isJSON(mediaType string) bool { return strings.HasSuffix(mediaTypeOf(mediaType), "json") }

// text returns the body without a byte order mark. U+FFFD replaces what is not UTF-8.
func (a *response) text() []byte {
	return bytes.ToValidUTF8(bytes.TrimPrefix(a.body, []byte("\ufeff")), []byte("\ufffd"))
}

// decode reads JSON into out, a pointer. Numbers in an any stay as they are written.
func (a *response) decode(out any) error {
	r := a.request
	body := bytes.TrimSpace(a.text())
	switch {
	case len(body) == 0 || string(body) == "null":
		if slices.Contains([]reflect.Kind{reflect.Slice, reflect.Map, reflect.Interface}, reflect.TypeOf(out).Elem().Kind()) {
			return nil
		}
		return r.errorf("the API accepted the call (%s) and returned nothing; do not repeat it", a.status)
	case body[0] == '<':
		return r.errorf("the API answered %s with a page instead of JSON, such as a login page; tell the user to check BASE_URL and the credentials", a.status)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	err := decoder.Decode(out)
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("%s is a JSON %s, not a value of type %v", cmp.Or(mismatch.Field, "it"), mismatch.Value, mismatch.Type)
	} else if _, end := decoder.Token(); err == nil && end != io.EOF {
		err = errors.New("there is more after the JSON value")
	}
	if err != nil {
		return r.errorf("the API accepted the call (%s), but its response is not as documented: %s; do not repeat the call, and tell the user", a.status, r.shorten(err.Error()))
	}
	return nil
}
