package streamhttp

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// MetadataPath is the path at which clients request the metadata of a protected resource from its host (RFC 9728,
// section 3): at this path, or at this path followed by the path of the resource.
const MetadataPath = "/.well-known/oauth-protected-resource"

// Metadata returns a handler that serves the metadata document, with the URI of the resource and the issuers of tokens
// for it. Clients read it before they have a token, also from web pages of any origin. [Serve] mounts it; other programs
// mount it at [MetadataPath] and at MetadataPath+"/", on the host of the resource. If one host has several resources, mount
// the handler of each only at MetadataPath followed by the path of the resource.
func (p *Protection) Metadata() http.Handler { return http.HandlerFunc(p.serveMetadata) }

func (p *Protection) serveMetadata(w http.ResponseWriter, r *http.Request) {
	if path := strings.TrimSuffix(r.URL.EscapedPath(), "/"); path != MetadataPath && path != MetadataPath+p.path {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*") // it is public, and requests have no credentials
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		h.Set("Cache-Control", "max-age=300") // it changes only with a restart
		h.Set("Content-Type", typeJSON)
		h.Set("Content-Length", strconv.Itoa(len(p.metadata)))
		_, _ = w.Write(p.metadata) // net/http drops the body for HEAD
	case http.MethodOptions:
		// Clients also send MCP-Protocol-Version here, so browsers send a preflight.
		answerPreflight(w, "GET, HEAD, OPTIONS")
	default:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// renderMetadata renders the metadata document.
func (p *Protection) renderMetadata(r *ProtectedResource) ([]byte, error) {
	return json.Marshal(struct {
		Resource      string   `json:"resource"`
		Servers       []string `json:"authorization_servers"`
		Scopes        []string `json:"scopes_supported,omitempty"` // RFC 9728 omits empty lists
		Methods       []string `json:"bearer_methods_supported"`
		Name          string   `json:"resource_name,omitempty"`
		Documentation string   `json:"resource_documentation,omitempty"`
	}{p.resource, r.AuthorizationServers, p.scopes, []string{"header"}, r.Name, r.Documentation})
}
