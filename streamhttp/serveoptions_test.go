package streamhttp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestServeMistakes checks that a server with mistakes is not started, and that the mistakes of all options are
// reported at once.
func TestServeMistakes(t *testing.T) {
	t.Parallel()
	configured := func(fn func(*http.Server)) streamhttp.ServeOption {
		return streamhttp.HTTPServer(func(server *http.Server, _ *http.ServeMux) { fn(server) })
	}
	adds := func(pattern string) streamhttp.ServeOption {
		return streamhttp.HTTPServer(func(_ *http.Server, mux *http.ServeMux) { mux.Handle(pattern, http.NotFoundHandler()) })
	}
	tests := []struct {
		name string
		srv  *runtime.Server
		opts []streamhttp.ServeOption
		want []string
	}{
		{"the server", &runtime.Server{Revisions: []string{"2020-01-01"}}, nil, []string{"2020-01-01"}},
		{"options", nil, []streamhttp.ServeOption{streamhttp.AllowOrigins("a"), streamhttp.AllowHosts("http://b", "fe80::1%eth0"), streamhttp.StaticTokens(nil)}, []string{
			`AllowOrigins: nothing can match "a"`, `AllowHosts: nothing can match "http://b"`, `nothing can match "fe80::1%eth0"`, "StaticTokens: there are no tokens",
		}},
		{"negative numbers", nil, []streamhttp.ServeOption{
			streamhttp.KeepAlive(-time.Second), streamhttp.Sessions(-1), streamhttp.Streams(-2), streamhttp.SessionIdle(-time.Hour), streamhttp.Replay(-3),
			streamhttp.Poll(-time.Minute, -time.Second), streamhttp.Grace(-time.Second), streamhttp.ShutdownDelay(-time.Second),
		}, []string{
			"KeepAlive is -1s, but must not be negative; 0 sends no comments\n" +
				"Sessions is -1, but must not be negative; 0 serves without sessions\n" +
				"Streams is -2, but must not be negative; 0 means the default, 10000\n" +
				"SessionIdle is -1h0m0s, but must not be negative; 0 keeps sessions indefinitely\n" +
				"Replay is -3, but must not be negative; 0 keeps no messages\n" +
				"the first argument of Poll is -1m0s, but must not be negative; 0 closes no stream\n" +
				"the second argument of Poll is -1s, but must not be negative; 0 lets clients reconnect at once\n" +
				"Grace is -1s, but must not be negative; 0 cancels calls and tasks at once\n" +
				"ShutdownDelay is -1s, but must not be negative; 0 means no delay",
		}},
		{"nil options", nil, []streamhttp.ServeOption{nil, streamhttp.Sessions(-1), nil}, []string{
			"option 1 is nil; leave it out\noption 3 is nil; leave it out\nSessions is -1",
		}},
		{"no protection", nil, []streamhttp.ServeOption{(*streamhttp.Protection)(nil)}, []string{"check the error of Protect"}},
		{"no protection, no tokens", nil, []streamhttp.ServeOption{(*streamhttp.Protection)(nil), streamhttp.StaticTokens(nil)}, []string{"check the error of Protect", "there are no tokens"}},
		{"a zero protection", nil, []streamhttp.ServeOption{&streamhttp.Protection{}}, []string{"check the error of Protect"}},
		{"a timeout", nil, []streamhttp.ServeOption{configured(func(s *http.Server) { s.WriteTimeout = 1 })}, []string{"WriteTimeout must be zero"}},
		{"no certificate", nil, []streamhttp.ServeOption{configured(func(s *http.Server) { s.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12} })}, []string{"TLSConfig must have"}},
		{"path of the handler", nil, []streamhttp.ServeOption{adds("/mcp")}, []string{`HTTPServer: pattern "/mcp"`, "serveoptions_test.go", `conflicts with pattern "/mcp"`}},
		{"path of a probe", nil, []streamhttp.ServeOption{adds("GET /healthz")}, []string{`HTTPServer: pattern "GET /healthz"`}},
		{"overlapping path", nil, []streamhttp.ServeOption{adds("GET /{page}")}, []string{`HTTPServer: pattern "/mcp"`}},
		{"all at once", &runtime.Server{Revisions: []string{"2020-01-01"}, StateKeys: [][32]byte{{}}}, []streamhttp.ServeOption{streamhttp.AllowOrigins("a"), configured(func(s *http.Server) { s.WriteTimeout = 1 })}, []string{
			"2020-01-01", "Server.StateKeys", `AllowOrigins: nothing can match "a"`, "WriteTimeout must be zero",
		}},
		{"path of the metadata", nil, []streamhttp.ServeOption{protection(t, nil), adds(streamhttp.MetadataPath)}, []string{"HTTPServer: pattern"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := &pipeListener{closed: make(chan struct{})}
			err := streamhttp.Serve(t.Context(), l, test.srv, test.opts...)
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %s", err, want)
				}
			}
			select {
			case <-l.closed:
			default:
				t.Error("the listener is still open")
			}
		})
	}
}

// TestServerMistakes checks that each mistake in a server stops every function that serves it over HTTP, and that all
// mistakes are reported at once.
func TestServerMistakes(t *testing.T) {
	t.Parallel()
	entries := map[string]func(srv *runtime.Server) error{
		"NewHandler":    func(srv *runtime.Server) error { _, err := streamhttp.NewHandler(srv); return err },
		"NewSSEHandler": func(srv *runtime.Server) error { _, err := streamhttp.NewSSEHandler(srv); return err },
		"Serve": func(srv *runtime.Server) error {
			return streamhttp.Serve(t.Context(), &pipeListener{closed: make(chan struct{})}, srv)
		},
		"ListenAndServe": func(srv *runtime.Server) error {
			return streamhttp.ListenAndServe(t.Context(), "127.0.0.1:0", srv)
		},
	}
	for name, serve := range entries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := &runtime.Server{Tools: &mcptool.Registry{}}
			for _, mistake := range fixture.Mistakes() {
				var log syncbuffer.Buffer
				srv := &runtime.Server{Tools: &mcptool.Registry{}, Logger: slog.New(slog.NewTextHandler(&log, nil))}
				mistake.Set(srv)
				mistake.Set(all)
				if err := serve(srv); err == nil || err.Error() != mistake.Want {
					t.Errorf("%s: got %v, want %s", mistake.Name, err, mistake.Want)
				}
				if log.String() != "" {
					t.Errorf("%s: the mistake is also logged: %s", mistake.Name, log.String())
				}
			}
			if err := serve(all); err == nil || err.Error() != all.Check().Error() {
				t.Errorf("got %v, want all mistakes:\n%v", err, all.Check())
			}
		})
	}
}

// TestNilHandlerOption checks that a nil option is a mistake of the functions that take the options of a handler.
func TestNilHandlerOption(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(*runtime.Server, ...streamhttp.Option) (*streamhttp.Handler, error){
		"NewHandler": streamhttp.NewHandler, "NewSSEHandler": streamhttp.NewSSEHandler,
	} {
		_, err := serve(&runtime.Server{Tools: &mcptool.Registry{}}, streamhttp.NoListening(), nil)
		if want := "option 2 is nil; leave it out"; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

// TestServeCertificates checks that a certificate chosen for each client is accepted.
func TestServeCertificates(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]*tls.Config{
		"GetCertificate":     {GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, nil }}, //nolint:nilnil // not called
		"GetConfigForClient": {GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return nil, nil }},  //nolint:nilnil // not called
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := begin(t, fixtureServer(t, nil), streamhttp.HTTPServer(func(s *http.Server, _ *http.ServeMux) { s.TLSConfig = config }))
				synctest.Wait()
				server.stop()
				if err := <-server.served; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestListenAndServeRefused checks that the error suggests another address.
func TestListenAndServeRefused(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for addr, want := range map[string]string{
		l.Addr().String(): "in use: stop the program that uses the port, or choose another port",
		"nowhere":         "missing port in address: choose another address, such as",
		"127.0.0.1:http:": "choose another address, such as",
	} {
		if err := streamhttp.ListenAndServe(t.Context(), addr, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", addr, err, want)
		}
	}
}

// failingListener accepts connections until it fails.
type failingListener struct {
	*pipeListener

	failed chan struct{}
}

var errAccept = errors.New("the listener has failed")

func (l failingListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.failed:
		return nil, errAccept
	}
}

// TestServeFails checks that Serve returns the error of a failed listener after it has waited for calls, without a
// delay.
func TestServeFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, l := listening(t, loopback)
		failing := failingListener{l, make(chan struct{})}
		served := make(chan error, 1)
		go func() {
			served <- streamhttp.Serve(t.Context(), failing, fixtureServer(t, nil), streamhttp.ShutdownDelay(time.Minute))
		}()
		answered := make(chan string, 1)
		go func() { answered <- bodyOf(t, server.call(t.Context(), "sleep", `{"ms":1000}`)) }()
		synctest.Wait()
		began := time.Now()
		close(failing.failed)
		if err := <-served; !errors.Is(err, errAccept) || time.Since(began).Round(100*time.Millisecond) != time.Second {
			t.Errorf("Serve returned %v after %v", err, time.Since(began))
		}
		if answer := <-answered; !strings.Contains(answer, "slept") {
			t.Errorf("response to the running call: %s", answer)
		}
	})
}

// TestHTTPServer serves HTTPS, another path, middleware and a context value on a real port.
func TestHTTPServer(t *testing.T) {
	t.Parallel()
	issuer := httptest.NewTLSServer(nil) // provides the certificate
	defer issuer.Close()
	type key struct{}
	srv := fixtureServer(t, nil)
	logged := &syncbuffer.Buffer{}
	srv.Logger = slog.New(slog.NewTextHandler(logged, nil))
	addTool(t, srv, "value", func(ctx context.Context) string { text, _ := ctx.Value(key{}).(string); return text })
	ctx, stop := context.WithCancel(context.WithValue(t.Context(), key{}, "of the context"))
	address, served := make(chan string, 1), make(chan error, 1)
	go func() {
		served <- streamhttp.ListenAndServe(ctx, "127.0.0.1:0", srv, streamhttp.HTTPServer(func(server *http.Server, mux *http.ServeMux) {
			server.TLSConfig = &tls.Config{Certificates: issuer.TLS.Certificates, MinVersion: tls.VersionTLS12}
			mux.HandleFunc("/other", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
			server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Middleware", "yes")
				mux.ServeHTTP(w, r)
			})
			base := server.BaseContext
			server.BaseContext = func(l net.Listener) context.Context {
				address <- l.Addr().String()
				return base(l)
			}
		}))
	}()
	url := "https://" + <-address
	send := func(path, body string, header map[string]string) (answer, string) {
		t.Helper()
		r := (&memory{t: t, path: path}).request(t.Context(), http.MethodPost, body, header)
		var err error
		if r.URL, err = r.URL.Parse(url + path); err != nil {
			t.Fatal(err)
		}
		response, err := issuer.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer{status: response.StatusCode, header: response.Header}, string(text)
	}
	if response, _ := send("/other", "", nil); response.status != http.StatusTeapot || response.header.Get("X-Middleware") != "yes" {
		t.Errorf("another path: status %d, %v", response.status, response.header)
	}
	if _, text := send("/mcp", modern("1", "tools/call", `,"name":"value"`), heading("tools/call", "value")); !strings.Contains(text, "of the context") {
		t.Errorf("call: %s", text)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	for _, want := range []string{"msg=serving url=" + url + "/mcp", `msg="shutting down" delay=0s grace=5s`} {
		if !strings.Contains(logged.String(), want) {
			t.Errorf("the log lacks %s: %s", want, logged.String())
		}
	}
}

// TestServeDefaults checks the limits of the server passed to HTTPServer, and that it logs to the logger of srv.
func TestServeDefaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		logged := &syncbuffer.Buffer{}
		srv.Logger = slog.New(slog.NewTextHandler(logged, nil))
		type limits struct {
			header, read, write, idle time.Duration
			headerBytes               int
		}
		var got limits
		server := begin(t, srv, streamhttp.HTTPServer(func(s *http.Server, mux *http.ServeMux) {
			got = limits{s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout, s.MaxHeaderBytes}
			mux.HandleFunc("/panics", func(http.ResponseWriter, *http.Request) { panic("of another path") })
		}))
		if _, err := server.client.Do(server.at("/panics").request(t.Context(), http.MethodGet, "", nil)); err == nil { //nolint:bodyclose // it fails
			t.Error("got a response after a panic, want an error")
		}
		if want := (limits{5 * time.Second, time.Minute, 0, 2 * time.Minute, 64 << 10}); got != want {
			t.Errorf("limits = %v, want %v", got, want)
		}
		if !strings.Contains(logged.String(), "level=WARN") || !strings.Contains(logged.String(), "of another path") {
			t.Errorf("the log lacks the panic: %s", logged)
		}
		server.stop()
		if err := <-server.served; err != nil {
			t.Error(err)
		}
	})
}

// TestServeMetadata checks that Serve mounts the metadata of Protect, and none for StaticTokens.
func TestServeMetadata(t *testing.T) {
	t.Parallel()
	static := streamhttp.StaticTokens(map[string]streamhttp.Token{"s3cret": {Principal: "ada"}})
	for name, test := range map[string]struct {
		option streamhttp.ServeOption
		want   int
	}{"Protect": {protection(t, nil), 200}, "StaticTokens": {static, 404}, "neither": {streamhttp.Streams(0), 404}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := begin(t, fixtureServer(t, nil), test.option)
				for _, path := range []string{streamhttp.MetadataPath, streamhttp.MetadataPath + "/mcp"} {
					if status, _ := server.get(path); status != test.want {
						t.Errorf("%s: status %d, want %d", path, status, test.want)
					}
				}
				server.stop()
				if err := <-server.served; err != nil {
					t.Error(err)
				}
			})
		})
	}
}
