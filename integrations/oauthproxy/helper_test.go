package oauthproxy_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

const (
	issuer      = "https://mcp.example.com"
	resource    = "https://mcp.example.com/mcp"
	idp         = "https://idp.example.com"
	documentURL = "https://app.example.org/client.json"
	redirectURI = "https://app.example.org/callback"
	localURI    = "http://127.0.0.1:3000/callback"
)

// network is the internet in memory: the hosts and their handlers. It notes every exchange.
type network struct {
	hosts map[string]http.Handler

	mu    sync.Mutex
	trace []*exchange // in the order of requests
}

type exchange struct {
	method, url, request, response string // with headers and bodies
}

// RoundTrip implements [http.RoundTripper].
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	handler, ok := n.hosts[r.URL.Host]
	if !ok {
		return nil, fmt.Errorf("no such host: %s", r.URL.Host)
	}
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	e := &exchange{method: r.Method, url: r.URL.String(), request: fmt.Sprintf("%v %s", r.Header, body)}
	n.mu.Lock()
	n.trace = append(n.trace, e)
	n.mu.Unlock()
	served := httptest.NewRequest(r.Method, r.URL.String(), bytes.NewReader(body)).WithContext(r.Context())
	served.Header = r.Header.Clone()
	if from, ok := r.Context().Value(addressKey{}).(string); ok {
		served.RemoteAddr = from + ":4711"
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, served)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	e.response = fmt.Sprintf("%v %s", w.Header(), w.Body)
	response := w.Result()
	response.Request = r
	return response, nil
}

// addressKey is the key for the address of a client in the context of its requests. The default is 192.0.2.1.
type addressKey struct{}

// from is a network as a client at an address uses it.
type from struct {
	*network

	address string
}

func (f from) RoundTrip(r *http.Request) (*http.Response, error) {
	return f.network.RoundTrip(r.WithContext(context.WithValue(r.Context(), addressKey{}, f.address)))
}

// to returns the exchanges whose URL has a prefix.
func (n *network) to(prefix string) []*exchange {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(n.trace), func(e *exchange) bool { return !strings.HasPrefix(e.url, prefix) })
}

// newProvider returns the example provider of zitadel/oidc, with the client "proxy".
func newProvider(issuer, callback string) http.Handler {
	clients := map[string]*storage.Client{"proxy": storage.WebClient("proxy", "proxy-secret", callback)}
	return exampleop.SetupServer(issuer, storage.NewStorageWithClients(storage.NewUserStore(issuer), clients), nil, false)
}

// zitadel is the provider of all tests, since its key takes long to generate.
var zitadel = sync.OnceValue(func() http.Handler { return newProvider(idp, issuer+"/callback") })

// world is a server with a proxy and a provider.
type world struct {
	t     *testing.T
	net   *network
	proxy *oauthproxy.Proxy
	log   *syncbuffer.Buffer
}

func config(w *world) oauthproxy.Config {
	return oauthproxy.Config{
		Issuer: issuer, Resources: []string{resource},
		Scopes: map[string]string{"notes:read": "Read your notes", "notes:write": ""},
		Provider: oauthproxy.Provider{
			Issuer: idp, ClientID: "proxy", ClientSecret: "proxy-secret", Scopes: []string{"openid", "email"},
			HTTPClient: &http.Client{Transport: w.net},
		},
		DocumentTransport: w.net, Keys: [][32]byte{{1}}, Logger: slog.New(slog.NewTextHandler(w.log, nil)),
	}
}

// newWorld returns a world whose configuration change has changed.
func newWorld(t *testing.T, change func(*oauthproxy.Config)) *world {
	t.Helper()
	w := &world{t: t, net: &network{hosts: map[string]http.Handler{}}, log: &syncbuffer.Buffer{}}
	c := config(w)
	if change != nil {
		change(&c)
	}
	w.start(c)
	w.net.hosts["idp.example.com"] = zitadel()
	w.net.hosts["app.example.org"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"client_id": documentURL, "client_name": "Editor", "redirect_uris": []string{redirectURI, localURI},
			"grant_types": []string{"authorization_code", "refresh_token"}, "token_endpoint_auth_method": "none",
		})
	})
	return w
}

// start starts the proxy, in place of the one before.
func (w *world) start(c oauthproxy.Config) {
	w.t.Helper()
	proxy, err := oauthproxy.New(c)
	if err != nil {
		w.t.Fatal(err)
	}
	w.proxy, w.net.hosts["mcp.example.com"] = proxy, serverWith(w.t, proxy, c.Issuer, c.Resources[0])
}

// serverWith returns a server with the tool whoami, at the path /mcp, that a proxy protects.
func serverWith(t *testing.T, proxy *oauthproxy.Proxy, issuer, resource string) http.Handler {
	t.Helper()
	guard, err := streamhttp.Protect(proxy.Verify, streamhttp.ProtectedResource{
		Resource: resource, AuthorizationServers: []string{issuer}, Scopes: []string{"notes:read"},
	})
	if err != nil {
		t.Fatal(err)
	}
	whoami, err := mcptool.New(func(ctx context.Context, _ struct{}) (map[string]string, error) {
		return map[string]string{"principal": mcptool.Caller(ctx).Principal}, nil
	}, mcptool.Name("whoami"), mcptool.Description("Who you are"), mcptool.Scopes("notes:read"))
	if err != nil {
		t.Fatal(err)
	}
	tools := &mcptool.Registry{}
	if err := tools.Add(whoami); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", proxy)
	handler, err := streamhttp.NewHandler(&runtime.Server{Name: "notes", Version: "1.0.0", Tools: tools, Logger: slog.New(slog.DiscardHandler)}, guard)
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/mcp", handler)
	mux.Handle(streamhttp.MetadataPath, guard.Metadata())
	mux.Handle(streamhttp.MetadataPath+"/", guard.Metadata())
	return mux
}

// browser is a browser with cookies. It follows redirects to the hosts of the issuer and the
// provider, and stops at others, which belong to clients.
type browser struct {
	t      *testing.T
	client *http.Client
	stays  []string // hosts
}

func newBrowser(t *testing.T, transport http.RoundTripper, hosts ...string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t, stays: hosts}
	b.client = &http.Client{Transport: transport, Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if !slices.Contains(b.stays, r.URL.Host) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	return b
}

func (w *world) browser() *browser {
	return newBrowser(w.t, w.net, "mcp.example.com", "idp.example.com")
}

// browserAt returns the browser of a client at an address.
func (w *world) browserAt(address string) *browser {
	return newBrowser(w.t, from{w.net, address}, "mcp.example.com", "idp.example.com")
}

// page is the page in a browser, or the URL of a client that it was redirected to.
type page struct {
	status   int
	url      *url.URL
	header   http.Header
	text     string
	location string // outside
}

func (b *browser) get(url string) page {
	b.t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, http.NoBody)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(r)
}

func (b *browser) do(r *http.Request) page {
	b.t.Helper()
	response, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return page{response.StatusCode, response.Request.URL, response.Header, string(text), response.Header.Get("Location")}
}

var (
	formTag  = regexp.MustCompile(`<form[^>]* action="([^"]*)"`)
	inputTag = regexp.MustCompile(`<input[^>]*>`)
	attrTag  = regexp.MustCompile(`([a-z]+)="([^"]*)"`)
)

// form returns the request that submits the form of a page with more fields.
func (b *browser) form(p page, fields map[string]string) *http.Request {
	b.t.Helper()
	action := formTag.FindStringSubmatch(p.text)
	if action == nil {
		b.t.Fatalf("no form on the page: %d %s", p.status, p.text)
	}
	values := url.Values{}
	for _, tag := range inputTag.FindAllString(p.text, -1) {
		attrs := map[string]string{}
		for _, attr := range attrTag.FindAllStringSubmatch(tag, -1) {
			attrs[attr[1]] = html.UnescapeString(attr[2])
		}
		values.Set(attrs["name"], attrs["value"])
	}
	for name, value := range fields {
		values.Set(name, value)
	}
	target, err := p.url.Parse(html.UnescapeString(action[1]))
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, target.String(), strings.NewReader(values.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", p.url.Scheme+"://"+p.url.Host)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// decide submits the consent page.
func (b *browser) decide(p page, decision string) page {
	b.t.Helper()
	return b.do(b.form(p, map[string]string{"decision": decision}))
}

// login submits the login page of the provider.
func (b *browser) login(p page) page {
	b.t.Helper()
	return b.do(b.form(p, map[string]string{"username": "test-user2", "password": "verysecure"}))
}

// connect consents and logs in, and returns the parameters that the client gets.
func (b *browser) connect(authorize string) url.Values {
	b.t.Helper()
	done := b.login(b.decide(b.get(authorize), "allow"))
	location, err := url.Parse(done.location)
	if err != nil || done.location == "" {
		b.t.Fatalf("no redirect to the client: %d %s", done.status, done.text)
	}
	return location.Query()
}

const verifier = "a-code-verifier-of-more-than-43-characters-0123456789"

func challenge() string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// with returns params with changes; an empty value deletes.
func with(params, changes map[string]string) url.Values {
	values := url.Values{}
	for name, value := range params {
		values.Set(name, value)
	}
	for name, value := range changes {
		if values.Del(name); value != "" {
			values.Set(name, value)
		}
	}
	return values
}

// authorizeURL returns the URL of an authorization request of the client with the document.
func authorizeURL(changes map[string]string) string {
	return issuer + "/authorize?" + with(map[string]string{
		"client_id": documentURL, "redirect_uri": redirectURI, "response_type": "code", "code_challenge": challenge(),
		"code_challenge_method": "S256", "state": "client-state", "resource": resource, "scope": "notes:read",
	}, changes).Encode()
}

// answer is a JSON response.
type answer struct {
	status int
	header http.Header
	body   map[string]any
}

func (a answer) string(name string) string {
	text, _ := a.body[name].(string)
	return text
}

// post sends a form to an endpoint of the proxy, as a client does.
func (w *world) post(path string, values url.Values) answer {
	w.t.Helper()
	r, err := http.NewRequest(http.MethodPost, issuer+path, strings.NewReader(values.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return w.send(r)
}

func (w *world) send(r *http.Request) answer {
	w.t.Helper()
	response, err := (&http.Client{Transport: w.net}).Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	a := answer{status: response.StatusCode, header: response.Header}
	text, _ := io.ReadAll(response.Body)
	if len(text) > 0 {
		if err := json.Unmarshal(text, &a.body); err != nil {
			w.t.Fatalf("%s: %s", r.URL, text)
		}
	}
	return a
}

// redeem exchanges a code of the client with the document.
func (w *world) redeem(code string, changes map[string]string) answer {
	w.t.Helper()
	return w.post("/token", with(map[string]string{
		"grant_type": "authorization_code", "code": code, "client_id": documentURL, "redirect_uri": redirectURI,
		"code_verifier": verifier, "resource": resource,
	}, changes))
}

func (w *world) refresh(token string, changes map[string]string) answer {
	w.t.Helper()
	return w.post("/token", with(map[string]string{
		"grant_type": "refresh_token", "refresh_token": token, "client_id": documentURL, "resource": resource,
	}, changes))
}

// connected logs in, and returns the response with the tokens.
func (w *world) connected() answer {
	w.t.Helper()
	a := w.redeem(w.browser().connect(authorizeURL(nil)).Get("code"), nil)
	if a.status != http.StatusOK {
		w.t.Fatalf("no tokens: %v", a)
	}
	return a
}

// whoami calls the tool with a token, and returns the status and the principal.
func (w *world) whoami(token string) (int, string) {
	w.t.Helper()
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	r, err := http.NewRequest(http.MethodPost, resource, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{},"_meta":`+meta+`}}`))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + token},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"whoami"},
	}
	a := w.send(r)
	result, _ := a.body["result"].(map[string]any)
	structured, _ := result["structuredContent"].(map[string]any)
	principal, _ := structured["principal"].(string)
	return a.status, principal
}

// wantStatus checks the status and error code of a response.
func wantStatus(t *testing.T, a answer, status int, code string) {
	t.Helper()
	if a.status != status || a.string("error") != code {
		t.Errorf("got status %d, error %q (%s), want %d, %q", a.status, a.string("error"), a.string("error_description"), status, code)
	}
}

// keys returns the names in a form, sorted.
func keys(values url.Values) []string { return slices.Sorted(maps.Keys(values)) }
