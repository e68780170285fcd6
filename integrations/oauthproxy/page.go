package oauthproxy

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the page
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strings"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"host": hostOf, "style": func() template.CSS { return template.CSS(pageStyle) }, //nolint:gosec // a file of ours
}).Parse(pageText))

// pagePolicy allows the style and nothing else, and no frames. It does not restrict form-action,
// which browsers apply to the redirects after the form as well: to the provider and the client.
var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; frame-ancestors 'none'"
}()

// page is the data of the template.
type page struct {
	Title   string
	Message string // an error; the others are for the consent page

	Request        *authRequest
	Host           string // of the document of the client
	Scopes         map[string]string
	Provider       Provider
	Action, Sealed string
}

// Local reports whether the client is a program on the device of the user.
func (p *page) Local() bool { return !strings.HasPrefix(p.Request.Redirect, "https:") }

// showError shows an error to the user.
func (p *Proxy) showError(w http.ResponseWriter, r *http.Request, err error) {
	known := p.asOAuthError(r, err)
	p.show(w, r, http.StatusBadRequest, &page{
		Title: "No access to " + hostOf(p.config.Issuer), Message: "The request of the application failed: " + known.Description + " (" + known.Code + ").",
	})
}

// show sends a page.
func (p *Proxy) show(w http.ResponseWriter, r *http.Request, status int, data *page) {
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, data); err != nil {
		p.respondError(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Frame-Options", "DENY")
	w.WriteHeader(status)
	_, _ = text.WriteTo(w) // an error means that the browser is gone
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
