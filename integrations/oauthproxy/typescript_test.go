package oauthproxy_test

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
)

// TestTypeScript logs in with the official clients, over real connections. internal/interop/run
// installs them and sets the variables.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	node := os.Getenv("MCPTOOL_THIRDPARTY_NODE")
	if node == "" || os.Getenv("MCPTOOL_THIRDPARTY_MODULES") == "" {
		t.Skip("needs node and the official clients: set MCPTOOL_THIRDPARTY_NODE and MCPTOOL_THIRDPARTY_MODULES, as internal/interop/run does")
	}
	for _, test := range []struct{ name, version, document string }{
		{"v2 with a document", "2", documentURL},
		{"v2 registers", "2", ""},
		{"v1 with a document", "1", documentURL},
		{"v1 registers", "1", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, provider := serveAll(t)
			cmd := exec.CommandContext(t.Context(), node, "testdata/login.mjs", server+"/mcp", test.version)
			if test.document != "" {
				cmd.Args = append(cmd.Args, test.document)
			}
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stderr = t.Output()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
			lines := bufio.NewScanner(stdout)
			next := func() (line struct {
				Authorize, Principal, Client, Scope string
				Rotated                             bool
			},
			) {
				if !lines.Scan() {
					t.Fatalf("the client has failed: %v", lines.Err())
				}
				if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
					t.Fatalf("%s: %v", lines.Text(), err)
				}
				return line
			}
			b := newBrowser(t, http.DefaultTransport, strings.TrimPrefix(server, "http://"), strings.TrimPrefix(provider, "http://"))
			query := b.connect(next().Authorize)
			if _, err := io.WriteString(stdin, query.Encode()+"\n"); err != nil {
				t.Fatal(err)
			}
			user := provider + "#id2"
			called := next()
			if called.Principal != user || called.Scope != "notes:read" || test.document != "" && called.Client != test.document || test.document == "" && strings.HasPrefix(called.Client, "https:") {
				t.Errorf("after the login: %+v", called)
			}
			if refreshed := next(); refreshed.Principal != user || !refreshed.Rotated {
				t.Errorf("after the refresh: %+v", refreshed)
			}
			if revoked := next(); revoked.Principal != "" || revoked.Authorize == "" {
				t.Errorf("after the revocation: %+v", revoked)
			}
		})
	}
}

// serveAll serves the server with the proxy, and the provider, and returns their URLs.
func serveAll(t *testing.T) (server, provider string) {
	t.Helper()
	listen := func() (net.Listener, string) {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l, "http://" + l.Addr().String()
	}
	serve := func(l net.Listener, h http.Handler) {
		s := httptest.NewUnstartedServer(h)
		_ = s.Listener.Close()
		s.Listener = l
		s.Start()
		t.Cleanup(s.Close)
	}
	own, server := listen()
	other, provider := listen()
	w := newWorld(t, nil)
	c := config(w)
	c.Issuer, c.Resources = server, []string{server + "/mcp"}
	c.Provider.Issuer, c.Provider.HTTPClient = provider, nil
	c.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	proxy, err := oauthproxy.New(c)
	if err != nil {
		t.Fatal(err)
	}
	serve(own, serverWith(t, proxy, server, c.Resources[0]))
	serve(other, newProvider(provider, server+"/callback"))
	return server, provider
}
