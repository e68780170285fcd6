package oauthproxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// employees admits the users of one domain. It is called at each login and at each refresh.
func employees(_ context.Context, login *oauthproxy.Login) error {
	if login.Refresh { // ask your directory whether login.Principal still works here
		return nil
	}
	var claims struct {
		Domain string `json:"hd"`
	}
	if err := json.Unmarshal(login.Claims, &claims); err != nil {
		return err
	}
	if claims.Domain != "example.com" {
		return fmt.Errorf("a user of %q: %w", claims.Domain, oauthproxy.ErrDenied)
	}
	return nil
}

// newServer returns a server whose users log in at Google.
func newServer(srv *runtime.Server, store oauthproxy.Store, keys [][32]byte) (http.Handler, error) {
	proxy, err := oauthproxy.New(oauthproxy.Config{
		Issuer:    "https://mcp.example.com",
		Resources: []string{"https://mcp.example.com/mcp"},
		Scopes:    map[string]string{"notes:read": "Read your notes"},
		Provider: oauthproxy.Provider{
			Issuer: "https://accounts.google.com", ClientID: os.Getenv("CLIENT_ID"), ClientSecret: os.Getenv("CLIENT_SECRET"),
			Scopes: []string{"openid", "email"},
		},
		Admit: employees,
		Store: store,
		Keys:  keys,
	})
	if err != nil {
		return nil, err
	}
	guard, err := streamhttp.Protect(proxy.Verify, streamhttp.ProtectedResource{
		Resource:             "https://mcp.example.com/mcp",
		AuthorizationServers: []string{"https://mcp.example.com"},
		Scopes:               []string{"notes:read"},
	})
	if err != nil {
		return nil, err
	}
	handler, err := streamhttp.NewHandler(srv, guard)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", proxy)
	mux.Handle("/mcp", handler)
	mux.Handle(streamhttp.MetadataPath, guard.Metadata())
	mux.Handle(streamhttp.MetadataPath+"/", guard.Metadata())
	return mux, nil
}

// Clients find out by themselves where users log in.
func Example() {
	dir, err := os.MkdirTemp("", "grants")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := oauthproxy.OpenFile(filepath.Join(dir, "grants.db"), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = store.Close() }()
	_ = os.Setenv("CLIENT_ID", "notes")
	key := [32]byte{1} // from a secret of 32 random bytes
	server, err := newServer(&runtime.Server{Name: "notes", Version: "1.0.0", Tools: &mcptool.Registry{}}, store, [][32]byte{key})
	if err != nil {
		fmt.Println(err)
		return
	}
	get := func(url string) map[string]any {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, url, nil))
		var document map[string]any
		_ = json.Unmarshal(w.Body.Bytes(), &document)
		return document
	}
	fmt.Println(get("https://mcp.example.com/.well-known/oauth-protected-resource/mcp")["authorization_servers"])
	metadata := get("https://mcp.example.com/.well-known/oauth-authorization-server")
	fmt.Println(metadata["authorization_endpoint"], metadata["client_id_metadata_document_supported"])
	// Output:
	// [https://mcp.example.com]
	// https://mcp.example.com/authorize true
}
