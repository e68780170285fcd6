package oauthproxy

import (
	"crypto/rand"
	_ "embed" // for the page
	"html/template"
	"net/http"
	"net/url"
	"strings"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"host": hostOf}).Parse(pageText))

// page is the data of the template.
type page struct {
	Config  *Config
	Nonce   string // of the style
	Message string // an error; the others are for the consent page

	Request *authRequest
	Host    string // of the document of the client
	Sealed  string
}

// Local reports whether the client is a program on the device of the user.
func (p *page) Local() bool { return !strings.HasPrefix(p.Request.Redirect, "https:") }

// showError shows an error to the user.
func (p *Proxy) showError(w http.ResponseWriter, r *http.Request, err error) {
	known, status := p.asOAuthError(r, err), http.StatusBadRequest
	if known.Code == "temporarily_unavailable" {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", retryAfter)
	}
	p.show(w, status, &page{Message: "The request of the application failed: " + known.Description + " (" + known.Code + ")."})
}

// show sends a page. Its policy allows the style and nothing else, and no frames. It does not
// restrict form-action, which browsers apply to the redirects after the form as well: to the
// provider and the client.
func (p *Proxy) show(w http.ResponseWriter, status int, data *page) {
	data.Config, data.Nonce = &p.config, rand.Text()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'nonce-"+data.Nonce+"'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	w.WriteHeader(status)
	_ = pageTemplate.Execute(w, data) // an error means that the browser is gone
}

// hostOf returns the host of a URL, or a URI of another scheme without its query.
func hostOf(uri string) string {
	u, err := url.Parse(uri)
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		return u.Host
	}
	uri, _, _ = strings.Cut(uri, "?")
	return uri
}
