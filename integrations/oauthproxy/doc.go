// Package oauthproxy puts an authorization server for MCP clients in front of an identity provider
// that does not let clients register, such as Google, Microsoft Entra ID, Okta or GitHub.
//
// To clients the [Proxy] is an OAuth 2.1 authorization server: with metadata (RFC 8414), Client ID
// Metadata Documents, whose clients may authenticate with private_key_jwt (RFC 7523), registration
// for older clients (RFC 7591), PKCE, resource indicators (RFC 8707), refresh tokens that are
// rotated, and revocation (RFC 7009). To the provider it is one client. Users consent on a page of
// the proxy to each client, at each login, and then log in at the provider.
//
//	proxy, err := oauthproxy.New(oauthproxy.Config{
//		Issuer:    "https://mcp.example.com",
//		Resources: []string{"https://mcp.example.com/mcp"},
//		Provider: oauthproxy.Provider{
//			Issuer: "https://accounts.google.com", ClientID: id, ClientSecret: secret,
//		},
//	})
//	…
//	guard, err := streamhttp.Protect(proxy.Verify, …)
//	handler, err := streamhttp.NewHandler(srv, guard)
//	…
//	mux.Handle("/", proxy)
//	mux.Handle("/mcp", handler)
//
// The proxy issues its own tokens to clients. A token is valid for one resource. The tokens of the
// provider do not leave the process.
//
// The proxy does not limit rates: the reverse proxy in front of it should, by address, on all paths
// of the issuer.
package oauthproxy
