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
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// A Client calls the API. Its zero value is ready to use. It is safe for concurrent use as long as no field is changed.
type Client struct {
	// BaseURL is the address of the API, such as https://api.example.com/v1. "" means the environment variable BASE_URL, or the
	// address in the document if that is not set. It also replaces the host of operations that have their own server.
	BaseURL string
	// HTTP sends the requests. nil means a client that gives up after 30 seconds. Redirects to another host are followed only if
	// HTTP has a CheckRedirect that allows them, and without the headers of the request, which may have credentials.
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
	kind schemeKind
	in   string // of an API key: header, query or cookie
	key  string // of an API key: its name there
	env  string // the environment variable of the secret, or the start of the names of two
	// token gets an access token for client credentials. Others do not have it.
	token func(ctx context.Context, client *http.Client, id, secret string) (string, error)
}

type schemeKind int

const (
	apiKey            schemeKind = iota
	bearer                       // a token in the header Authorization
	basic                        // env_USER and env_PASSWORD
	clientCredentials            // env_CLIENT_ID and env_CLIENT_SECRET
)

// variables returns the names of the environment variables with the secrets of a scheme.
func (s scheme) variables() []string {
	switch s.kind {
	case basic:
		return []string{s.env + "_USER", s.env + "_PASSWORD"}
	case clientCredentials:
		return []string{s.env + "_CLIENT_ID", s.env + "_CLIENT_SECRET"}
	}
	return []string{s.env}
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
	zeroBody     bool
	alternatives []requirement
	missing      []string // environment variables that are not set
	secrets      []string // in the forms in which an error could repeat them
	err          error
}

func (c *Client) request(method, path string) *request {
	return &request{client: c, method: method, url: path, headers: http.Header{}, alternatives: security}
}

// server sets the address of an operation that has its own server.
func (r *request) server(baseURL string) { r.base = baseURL }

// auth replaces the requirements of the API. Without arguments, no authentication is needed.
func (r *request) auth(alternatives ...requirement) { r.alternatives = alternatives }

func (r *request) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// errorf returns an error for the model, without secrets.
func (r *request) errorf(format string, args ...any) error {
	return mcptool.Errorf("%s", r.redact(fmt.Sprintf(format, args...)))
}

func (r *request) redact(text string) string {
	for _, secret := range r.secrets {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	return text
}

// --- Parameters

// A style says how a value is written, as in OpenAPI. Styles and modifiers are combined with |, or by listing them.
type style uint

const (
	form style = 1 << iota
	simple
	label
	matrix
	spaceDelimited
	pipeDelimited
	deepObject // items[0][name]=value, at any depth
	asJSON

	exploded // each item or member separately; the default of form only
	joined   // not exploded
	raw      // reserved characters are not escaped, except those that would end the value
	unescaped
)

// combine returns the style of a parameter. Without one in how, it is the fallback.
func combine(fallback style, how []style) style {
	var s style
	for _, h := range how {
		s |= h
	}
	if s&(form|simple|label|matrix|spaceDelimited|pipeDelimited|deepObject|asJSON) == 0 {
		s |= fallback
	}
	if s&form != 0 && s&joined == 0 {
		s |= exploded
	}
	return s
}

// path sets a parameter of the path. It never changes the other segments of the path.
func (r *request) path(name string, value any, how ...style) {
	s := combine(simple, how) &^ raw
	prefix, separator := "", ","
	switch {
	case s&label != 0:
		prefix, separator = ".", "."
	case s&matrix != 0:
		prefix, separator = ";", ";"
	}
	pairs := r.pairs(name, value, s)
	text := prefix + strings.Join(pairs, separator)
	if len(pairs) == 0 || text == "" {
		r.fail(mcptool.Errorf("%s must not be empty, because it is a part of the path", name))
	}
	r.url = strings.ReplaceAll(r.url, "{"+name+"}", text)
}

// query adds a parameter of the query.
func (r *request) query(name string, value any, how ...style) {
	r.queries = append(r.queries, r.pairs(name, value, combine(form, how))...)
}

// header sets a header.
func (r *request) header(name string, value any, how ...style) {
	pairs := r.pairs(name, value, combine(simple, how)|unescaped)
	if len(pairs) == 0 {
		return
	}
	text := strings.Join(pairs, ",")
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		r.fail(mcptool.Errorf("%s must not have line breaks or other control characters, because it is a header", name))
	}
	r.headers.Set(name, text)
}

// cookie adds a cookie.
func (r *request) cookie(name string, value any, how ...style) {
	r.cookies = append(r.cookies, r.pairs(name, value, combine(form, how))...)
}

// pairs returns a parameter as it is sent: none if it has no value or an empty array or object, and several if it is exploded.
func (r *request) pairs(name string, value any, s style) []string {
	data, err := encode(value)
	if err != nil || data == nil {
		r.failArgument(name, err)
		return nil
	}
	pairs, err := expand(name, data, s)
	r.failArgument(name, err)
	texts := make([]string, len(pairs))
	for i, p := range pairs {
		switch {
		case p.name == "":
			texts[i] = p.text
		case p.text == "" && s&matrix != 0:
			texts[i] = p.name
		default:
			texts[i] = p.name + "=" + p.text
		}
	}
	return texts
}

func (r *request) failArgument(name string, err error) {
	if err != nil {
		r.fail(mcptool.Errorf("%s cannot be sent: %w", name, err))
	}
}

// encode returns a value as JSON, or nil if it is not sent: a nil pointer, slice or map, and an Optional that is not set. It
// takes a pointer to a union, because the discriminator depends on the type of the interface.
func encode(value any) (json.RawMessage, error) {
	v := reflect.ValueOf(value)
	if optional, ok := value.(interface{ IsSet() bool }); ok {
		if !optional.IsSet() {
			return nil, nil
		}
		value = v.FieldByName("Value").Interface() // a nil pointer, which is written as null, if the Optional is null
	} else if !v.IsValid() || slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, v.Kind()) && v.IsNil() {
		return nil, nil
	}
	return reflectschema.AppendValue(nil, value)
}

// A member is a member of a JSON object, or without a name an element of an array.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of an object or the elements of an array in their order.
func members(data json.RawMessage) (list []member, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	for decoder.More() {
		var m member
		if isObject(data) {
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			m.name, _ = name.(string)
		}
		if err := decoder.Decode(&m.value); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

func isObject(data json.RawMessage) bool { return data[0] == '{' }
func isArray(data json.RawMessage) bool  { return data[0] == '[' }

// scalar returns the text of a JSON string, number or bool, and "" for null. Others are unchanged: they stay JSON.
func scalar(data json.RawMessage) string {
	var text *string
	if json.Unmarshal(data, &text) != nil {
		return string(data) // numbers as they are written
	}
	if text == nil {
		return ""
	}
	return *text
}

// A pair is a name and a value, escaped for the place where they are sent. The name is "" if only the value is sent.
type pair struct{ name, text string }

// expand writes a value as RFC 6570 does, on which the styles of OpenAPI are based.
func expand(name string, data json.RawMessage, s style) ([]pair, error) {
	named := s&(simple|label) == 0
	one := func(text string) pair {
		if named {
			return pair{s.escape(name), text}
		}
		return pair{"", text}
	}
	switch {
	case s&asJSON != 0:
		return []pair{one(s.escape(string(data)))}, nil
	case s&deepObject != 0:
		return expandDeep(name, data, s)
	case !isObject(data) && !isArray(data):
		return []pair{one(s.escape(scalar(data)))}, nil
	}
	list, err := members(data)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	var (
		pairs []pair
		items []string
	)
	for _, m := range list {
		if isObject(m.value) || isArray(m.value) {
			return nil, errors.New("the API does not say how lists and objects within it are written")
		}
		text := s.escape(scalar(m.value))
		if isObject(data) {
			pairs = append(pairs, pair{s.escape(m.name), text})
			items = append(items, s.escape(m.name), text)
		} else {
			pairs = append(pairs, one(text))
			items = append(items, text)
		}
	}
	if s&exploded != 0 {
		return pairs, nil
	}
	delimiter := ","
	switch {
	case s&spaceDelimited != 0:
		delimiter = s.escape(" ")
	case s&pipeDelimited != 0:
		delimiter = s.escape("|")
	}
	return []pair{one(strings.Join(items, delimiter))}, nil
}

// expandDeep writes each scalar with its path, such as items[0][name].
func expandDeep(name string, data json.RawMessage, s style) ([]pair, error) {
	if !isObject(data) && !isArray(data) {
		return []pair{{s.escape(name), s.escape(scalar(data))}}, nil
	}
	list, err := members(data)
	if err != nil {
		return nil, err
	}
	var pairs []pair
	for i, m := range list {
		if isArray(data) {
			m.name = strconv.Itoa(i)
		}
		inner, err := expandDeep(name+"["+m.name+"]", m.value, s)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, inner...)
	}
	return pairs, nil
}

// reserved undoes the escapes of the reserved characters, without those that have a meaning in every query: # [ ] & +.
var reserved = strings.NewReplacer("%3A", ":", "%2F", "/", "%3F", "?", "%40", "@", "%21", "!", "%24", "$", "%27", "'", "%28", "(",
	"%29", ")", "%2A", "*", "%2C", ",", "%3B", ";", "%3D", "=")

func (s style) escape(text string) string {
	if s&unescaped != 0 {
		return text
	}
	text = strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
	if s&raw != 0 {
		text = reserved.Replace(text)
	}
	return text
}

// --- Bodies

// setBody sets the body. value is what it was made of.
func (r *request) setBody(mediaType string, value any, body []byte) {
	v := reflect.ValueOf(value)
	r.contentType, r.body, r.zeroBody = mediaType, body, !v.IsValid() || v.IsZero()
}

// optionalBody leaves out a body that was made of a zero value. It is called after the body is set.
func (r *request) optionalBody() {
	if r.zeroBody {
		r.contentType, r.body = "", nil
	}
}

func (r *request) json(mediaType string, value any) {
	body, err := reflectschema.AppendValue(nil, value)
	r.failArgument("the body", err)
	r.setBody(mediaType, value, body)
}

func (r *request) text(mediaType, value string) { r.setBody(mediaType, value, []byte(value)) }

func (r *request) bytes(mediaType string, value []byte) { r.setBody(mediaType, value, value) }

// A part says how a member of a form or multipart body is encoded. Without a style, the elements of an array are sent
// separately, and objects as JSON.
type part struct {
	name      string
	mediaType string // of a part of a multipart body; "" means the default; application/json writes an array as one part
	style     style
}

// A File is a part of a multipart body.
type File struct {
	Name        string `json:"name" jsonschema:"maxLength=255" doc:"File name, such as photo.png"`
	ContentType string `json:"content_type,omitzero" jsonschema:"maxLength=255" doc:"Media type, such as image/png; by default from the name and the data"`
	Data        []byte `json:"data" doc:"Content of the file in base64"`
}

// A field is a pair of a form or a part of a multipart body, not escaped.
type field struct{ name, text, mediaType string }

// fields returns the fields of a member of a body.
func (p part) fields(m member, s style) (fields []field, err error) {
	_, isJSON := jsonType(p.mediaType)
	switch {
	case p.style != 0:
		pairs, err := expand(m.name, m.value, combine(form, []style{p.style})|s)
		for _, pair := range pairs {
			fields = append(fields, field{pair.name, pair.text, p.mediaType})
		}
		return fields, err
	case isArray(m.value) && !isJSON:
		elements, err := members(m.value)
		for _, element := range elements {
			inner, err := p.fields(member{m.name, element.value}, s)
			if err != nil {
				return nil, err
			}
			fields = append(fields, inner...)
		}
		return fields, err
	}
	text, mediaType := scalar(m.value), p.mediaType
	if isObject(m.value) || isArray(m.value) || isJSON {
		text, mediaType = string(m.value), cmp.Or(mediaType, "application/json")
	}
	return []field{{s.escape(m.name), s.escape(text), mediaType}}, nil
}

// bodyMembers returns the members of a body with their parts.
func (r *request) bodyMembers(value any, parts []part) (list []member, of map[string]part) {
	data, err := encode(value)
	r.failArgument("the body", err)
	if data == nil {
		return nil, nil
	}
	list, err = members(data)
	r.failArgument("the body", err)
	of = make(map[string]part)
	for _, p := range parts {
		of[p.name] = p
	}
	return list, of
}

// form sets a body of type application/x-www-form-urlencoded.
func (r *request) form(value any, parts ...part) {
	list, of := r.bodyMembers(value, parts)
	var pairs []string
	for _, m := range list {
		fields, err := of[m.name].fields(m, 0)
		r.failArgument(m.name, err)
		for _, f := range fields {
			pairs = append(pairs, f.name+"="+f.text)
		}
	}
	r.setBody("application/x-www-form-urlencoded", value, []byte(strings.Join(pairs, "&")))
}

// multipart sets a body of type multipart/form-data.
func (r *request) multipart(value any, parts ...part) {
	list, of := r.bodyMembers(value, parts)
	files := filesOf(value)
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	write := func(disposition, mediaType string, data []byte) {
		if mediaType != "" {
			if _, _, err := mime.ParseMediaType(mediaType); err != nil {
				r.fail(mcptool.Errorf("%q is not a media type such as image/png", mediaType))
			}
		}
		header := textproto.MIMEHeader{"Content-Disposition": {disposition}}
		if mediaType != "" {
			header.Set("Content-Type", mediaType)
		}
		part, _ := w.CreatePart(header) // a bytes.Buffer has no errors
		_, _ = part.Write(data)
	}
	for _, m := range list {
		p := of[m.name]
		if files, ok := files[m.name]; ok {
			for _, file := range files {
				write(multipart.FileContentDisposition(m.name, file.Name), file.mediaType(p.mediaType), file.Data)
			}
			continue
		}
		fields, err := p.fields(m, unescaped)
		r.failArgument(m.name, err)
		for _, f := range fields {
			write("form-data; name="+strconv.Quote(f.name), f.mediaType, []byte(f.text))
		}
	}
	_ = w.Close()
	r.setBody(w.FormDataContentType(), value, body.Bytes())
}

// filesOf returns the files among the fields of a struct, by their names in JSON.
func filesOf(value any) map[string][]File {
	v := reflect.Indirect(reflect.ValueOf(value))
	if v.Kind() != reflect.Struct {
		return nil
	}
	files := make(map[string][]File)
	for _, f := range reflect.VisibleFields(v.Type()) {
		field, err := v.FieldByIndexErr(f.Index)
		if err != nil || !f.IsExported() {
			continue // of an embedded nil pointer
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch file := field.Interface().(type) {
		case File:
			files[name] = []File{file}
		case []File:
			files[name] = file
		case *File:
			if file != nil {
				files[name] = []File{*file}
			}
		case mcptool.Optional[File]:
			if file.Value != nil {
				files[name] = []File{*file.Value}
			}
		}
	}
	return files
}

// mediaType returns the type of a file. documented may be a list of types or image/*, which are not sent.
func (f File) mediaType(documented string) string {
	if strings.ContainsAny(documented, "*,") {
		documented = ""
	}
	return cmp.Or(f.ContentType, documented, mime.TypeByExtension(path.Ext(f.Name)), http.DetectContentType(f.Data))
}

// --- Authentication

// authorize adds the credentials of the first alternative whose secrets are all there. Without one, the request is sent without
// credentials, because documents require them of operations that do not need them; refused names the missing variables.
func (r *request) authorize(ctx context.Context) error {
	for _, alternative := range r.alternatives {
		secrets := make([]string, len(alternative))
		complete := len(alternative) > 0
		for i, name := range alternative {
			var err error
			if secrets[i], err = r.secret(ctx, name); err != nil {
				return err
			}
			complete = complete && secrets[i] != ""
		}
		if complete {
			for i, name := range alternative {
				r.authenticate(schemes[name], secrets[i])
			}
			r.missing = nil
			return nil
		}
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
	for i, variable := range s.variables() {
		value, set := os.LookupEnv(variable)
		value = strings.TrimSpace(value)
		if !set || value == "" && i == 0 { // some APIs take a key as the user, with an empty password
			r.missing = append(r.missing, variable)
			continue
		}
		r.conceal(value)
		values = append(values, value)
	}
	switch {
	case len(values) < len(s.variables()):
		return "", nil
	case s.kind == clientCredentials:
		token, err := s.token(ctx, r.httpClient(), values[0], values[1])
		if err != nil {
			return "", r.lost(ctx, fmt.Errorf("access token: %w", err))
		}
		return token, nil
	}
	return strings.Join(values, ":"), nil
}

// authenticate adds the secret of a scheme to the request.
func (r *request) authenticate(s scheme, secret string) {
	r.conceal(secret)
	switch {
	case s.kind == basic:
		_, password, _ := strings.Cut(secret, ":")
		r.conceal(password)
		secret = base64.StdEncoding.EncodeToString([]byte(secret))
		r.conceal(secret)
		r.headers.Set("Authorization", "Basic "+secret)
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

// conceal keeps a secret out of errors, in the forms in which they could repeat it.
func (r *request) conceal(secret string) {
	if secret != "" {
		quoted := strings.Trim(strconv.Quote(secret), `"`)
		r.secrets = append(r.secrets, secret, url.QueryEscape(secret), url.PathEscape(secret), quoted)
	}
}

// --- Sending

const (
	defaultTimeout          = 30 * time.Second
	defaultMaxResponseBytes = 8 << 20
	defaultRetries          = 2
	maxRetryAfter           = 10 * time.Second
	maxMessageLength        = 1000 // characters of an error of the API that the model gets
)

// A response has a body of at most MaxResponseBytes.
type response struct {
	request *request
	url     string // without the query, which may have a key
	code    int
	header  http.Header
	body    []byte
}

// send returns a response with a status of 2xx.
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
	case err != nil || base.RawQuery != "" || base.Fragment != "" || base.User != nil || base.IsAbs() && base.Scheme != "http" && base.Scheme != "https":
		return nil, mcptool.Errorf("BASE_URL must be an http or https URL without credentials, query and fragment; tell the user")
	case base.Host == "":
		return nil, mcptool.Errorf("the address of the API is not known: set the environment variable BASE_URL of this server, for example to https://HOST%s; tell the user", base.Path)
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
	client := http.Client{Timeout: defaultTimeout}
	if r.client.HTTP != nil {
		client = *r.client.HTTP
	}
	author := client.CheckRedirect
	client.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		first := via[0]
		sameHost := next.URL.Scheme == first.URL.Scheme && next.URL.Host == first.URL.Host
		if !sameHost {
			next.Header = http.Header{"Accept": first.Header["Accept"]}
		}
		// A redirected POST becomes a GET, which would look as if it had been carried out, unless the API asks for one.
		lost := next.Method != first.Method && next.Response.StatusCode != http.StatusSeeOther
		switch {
		case lost:
			return http.ErrUseLastResponse
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
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	if r.contentType != "" {
		request.Header.Set("Content-Type", r.contentType)
	}
	if len(r.cookies) > 0 {
		request.Header.Set("Cookie", strings.Join(r.cookies, "; "))
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	limit := cmp.Or(r.client.MaxResponseBytes, defaultMaxResponseBytes)
	body, err := io.ReadAll(http.MaxBytesReader(nil, answer.Body, limit))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); err != nil && !(tooLarge && answer.StatusCode >= 300) {
		return nil, err // the start of an error is enough
	}
	public := url.URL{Scheme: address.Scheme, Host: address.Host, Path: address.Path, RawPath: address.RawPath}
	return &response{request: r, url: public.String(), code: answer.StatusCode, header: answer.Header, body: body}, nil
}

func (r *request) idempotent() bool {
	switch r.method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

// again reports whether the request is repeated after this attempt, and after which pause.
func (r *request) again(ctx context.Context, answer *response, err error, attempt int) (time.Duration, bool) {
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	if tooLarge || ctx.Err() != nil || !r.idempotent() || attempt >= cmp.Or(r.client.Retries, defaultRetries) {
		return 0, false
	}
	pause := rand.N(time.Second << min(attempt, 4)) // random, so that clients do not repeat at the same time
	if answer != nil {
		switch answer.code {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		default:
			return 0, false
		}
		after := answer.retryAfter()
		if after > maxRetryAfter {
			return 0, false
		}
		pause += after
	}
	deadline, ok := ctx.Deadline()
	return pause, !ok || time.Until(deadline) > pause
}

// retryAfter returns how long the API asks to wait, 0 if it does not.
func (a *response) retryAfter() time.Duration {
	value := a.header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), 1e6)) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(time.Until(at), 0)
}

// --- Errors

// lost returns the error of a request without a response.
func (r *request) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return r.errorf("the response of the API has more than %d bytes; ask for less, for example with a filter or a smaller page", tooLarge.Limit)
	}
	if withURL, ok := errors.AsType[*url.Error](err); ok {
		err = withURL.Err // without the URL, whose query may have a key
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return r.errorf("the API cannot be reached: %v; the call may be repeated later", err)
	}
	return r.errorf("there is no response of the API: %v; %s", err, r.repeatable())
}

func (r *request) repeatable() string {
	if r.idempotent() {
		return "the call may be repeated"
	}
	return "the call may have been carried out, so check that before you repeat it"
}

// status returns the status, such as 404 Not Found.
func (a *response) status() string {
	return strings.TrimSpace(strconv.Itoa(a.code) + " " + http.StatusText(a.code))
}

// refused returns the error of a response whose status is not 2xx, for the model: what to change, or whether to try again.
func (a *response) refused() error {
	r := a.request
	said := a.status()
	if message := a.message(); message != "" {
		said += ": " + message
	}
	switch {
	case a.code >= 200 && a.code < 300:
		return nil
	case a.code < 400:
		location, err := url.Parse(a.header.Get("Location"))
		if err != nil || location.Host == "" {
			return r.errorf("the API answered %s, which is not followed; tell the user", a.status())
		}
		return r.errorf("the API redirects to %s://%s (%s), which is not followed; tell the user, who may set BASE_URL", location.Scheme, location.Host, a.status())
	case (a.code == http.StatusUnauthorized || a.code == http.StatusForbidden) && len(r.missing) > 0:
		return r.errorf("the API refused the call with %s\nThis server has no credentials for it, because these environment variables are not set: %s. Tell the user, and do not try again.", said, strings.Join(r.missing, ", "))
	case a.code == http.StatusUnauthorized || a.code == http.StatusForbidden:
		return r.errorf("the API refused the call with %s\nThe credentials of this server do not allow it. Tell the user, and do not try again.", said)
	case a.code == http.StatusTooManyRequests:
		return r.errorf("the API limits the number of calls: %s\nTry again %s.", said, a.later())
	case a.code < 500:
		return r.errorf("the API refused the call with %s", said)
	}
	return r.errorf("the API failed with %s\nTry again %s: %s.", said, a.later(), r.repeatable())
}

func (a *response) later() string {
	if after := a.retryAfter(); after > 0 {
		return "in " + after.Round(time.Second).String()
	}
	return "later"
}

// message returns the texts of the body of an error, one a line.
func (a *response) message() string {
	body := bytes.TrimSpace(a.utf8())
	var texts []string
	if mediaType, isJSON := jsonType(a.header.Get("Content-Type")); json.Valid(body) {
		texts = messages(body, 0)
	} else if !isJSON && mediaType != "text/html" && !bytes.HasPrefix(body, []byte("<")) {
		texts = strings.Split(string(body), "\n")
	}
	var lines []string
	for _, text := range texts {
		line := strings.Join(strings.Fields(a.request.redact(text)), " ")
		if line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	message := []rune(strings.Join(lines, "\n"))
	if len(message) > maxMessageLength {
		return string(message[:maxMessageLength]) + "…"
	}
	return string(message)
}

// messages returns the texts of an error in JSON: those of the members that usually have them, or else all of it.
func messages(data json.RawMessage, depth int) (texts []string) {
	switch {
	case !isObject(data) && !isArray(data):
		return []string{scalar(data)}
	case isArray(data):
		list, _ := members(data)
		for _, element := range list {
			texts = append(texts, messages(element.value, depth+1)...)
		}
		return texts
	}
	var object map[string]json.RawMessage
	if depth < 3 && json.Unmarshal(data, &object) == nil {
		for _, name := range []string{"message", "error", "error_description", "title", "detail", "details", "errors"} {
			if value, ok := object[name]; ok {
				texts = append(texts, messages(value, depth+1)...)
			}
		}
	}
	if texts == nil && string(data) != "{}" {
		texts = []string{string(data)}
	}
	return texts
}

// --- Responses

// receive sends the request and returns the JSON of the response. Members without a field are dropped, because APIs add them.
func receive[T any](ctx context.Context, r *request, accept string) (T, error) {
	var out, zero T
	answer, err := r.send(ctx, accept)
	if err != nil {
		return zero, err
	}
	if err := answer.decode(&out); err != nil {
		return zero, err
	}
	return out, nil
}

// receiveText sends the request and returns the text of the response.
func receiveText(ctx context.Context, r *request, accept string) (string, error) {
	answer, err := r.send(ctx, accept)
	if err != nil {
		return "", err
	}
	return string(answer.utf8()), nil
}

// receiveNothing sends the request and returns a sentence with the status of the response.
func receiveNothing(ctx context.Context, r *request) (string, error) {
	answer, err := r.send(ctx, "")
	if err != nil {
		return "", err
	}
	return answer.sentence(), nil
}

// receiveContent sends the request and returns the response as its media type says: an image, a recording, text, or the bytes.
func receiveContent(ctx context.Context, r *request, accept string) (mcptool.Content, error) {
	answer, err := r.send(ctx, accept)
	if err != nil {
		return nil, err
	}
	mediaType, isJSON := jsonType(cmp.Or(answer.header.Get("Content-Type"), http.DetectContentType(answer.body)))
	switch {
	case len(answer.body) == 0:
		return mcptool.Text{Text: answer.sentence()}, nil
	case isJSON, strings.HasPrefix(mediaType, "text/"), mediaType == "application/xml", strings.HasSuffix(mediaType, "+xml"):
		return mcptool.Text{Text: string(answer.utf8())}, nil // also SVG, which few clients show as an image
	case strings.HasPrefix(mediaType, "image/"):
		return mcptool.Image{Data: answer.body, MIMEType: mediaType}, nil
	case strings.HasPrefix(mediaType, "audio/"):
		return mcptool.Audio{Data: answer.body, MIMEType: mediaType}, nil
	}
	return mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: answer.url, MIMEType: mediaType, Blob: answer.body}}, nil
}

func (a *response) sentence() string { return "The API answered " + a.status() + "." }

// jsonType returns a media type without its parameters, and whether it is a kind of JSON.
func jsonType(header string) (mediaType string, isJSON bool) {
	mediaType, _, _ = strings.Cut(strings.ToLower(header), ";")
	mediaType = strings.TrimSpace(mediaType)
	return mediaType, mediaType == "application/json" || mediaType == "text/json" || strings.HasSuffix(mediaType, "+json")
}

// utf8 returns the body as UTF-8 without a byte order mark. It knows Latin-1; U+FFFD replaces what is not valid.
func (a *response) utf8() []byte {
	_, parameters, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	if charset := strings.ToLower(parameters["charset"]); charset == "iso-8859-1" || charset == "latin1" {
		text := make([]rune, len(a.body))
		for i, c := range a.body {
			text[i] = rune(c)
		}
		return []byte(string(text))
	}
	return bytes.ToValidUTF8(bytes.TrimPrefix(a.body, []byte("\ufeff")), []byte("\ufffd"))
}

// decode reads JSON into out, a pointer. Numbers in an any stay as they are written.
func (a *response) decode(out any) error {
	r := a.request
	body := bytes.TrimSpace(a.utf8())
	switch {
	case len(body) == 0 || string(body) == "null":
		switch reflect.TypeOf(out).Elem().Kind() {
		case reflect.Slice, reflect.Map, reflect.Interface:
			return nil
		}
		return r.errorf("the API accepted the call (%s) and returned nothing; do not repeat it", a.status())
	case body[0] == '<':
		return r.errorf("the API answered %s with a page instead of JSON, such as a login page; tell the user to check BASE_URL and the credentials", a.status())
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	err := decoder.Decode(out)
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("%s is a JSON %s, not a value of type %v", cmp.Or(mismatch.Field, "it"), mismatch.Value, mismatch.Type)
	} else if err == nil {
		if _, end := decoder.Token(); end != io.EOF {
			err = errors.New("there is more after the JSON value")
		}
	}
	if err != nil {
		return r.errorf("the API accepted the call (%s), but its response is not as documented: %v; do not repeat the call, and tell the user", a.status(), err)
	}
	return nil
}
