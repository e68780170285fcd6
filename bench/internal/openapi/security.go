package openapi

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/pb33f/libopenapi/datamodel/high/base"
	high "github.com/pb33f/libopenapi/datamodel/high/v3"
)

// security translates requirements, and adds their schemes to the API. An alternative with a scheme that is not supported is left
// out.
func (t *translator) security(c *call, list []*base.SecurityRequirement) []Requirement {
	requirements := []Requirement{}
	for _, r := range list {
		requirement, usable := Requirement{}, true
		for name := range r.Requirements.KeysFromOldest() {
			requirement = append(requirement, name)
			usable = t.scheme(c, name) && usable
		}
		if usable {
			requirements = append(requirements, requirement)
		}
	}
	return requirements
}

// scheme adds a scheme to the API unless it has it, and reports whether the scheme is supported.
func (t *translator) scheme(c *call, name string) bool {
	if slices.ContainsFunc(t.api.Schemes, func(s Scheme) bool { return s.Name == name }) {
		return true
	}
	var described *high.SecurityScheme
	if schemes := t.components().SecuritySchemes; schemes != nil {
		described = schemes.GetOrZero(name)
	}
	if described == nil {
		t.note(c, "security", "the scheme %q is not described; requests go without it", name)
		return false
	}
	s := Scheme{Name: name}
	switch kind, scheme := described.Type, strings.ToLower(described.Scheme); {
	case kind == "apiKey" && described.In == "query" && described.Name != "",
		kind == "apiKey" && (described.In == "header" || described.In == "cookie") && isToken(described.Name):
		s.Kind, s.In, s.Key = SchemeAPIKey, described.In, described.Name
	case kind == "http" && scheme == "basic":
		s.Kind = SchemeBasic
	case kind == "http" && scheme == "bearer" || kind == "openIdConnect":
		s.Kind = SchemeBearer
	case kind == "oauth2":
		s.Kind = SchemeBearer
		if described.Flows != nil && described.Flows.ClientCredentials != nil {
			t.clientCredentials(&s, described.Flows.ClientCredentials)
		}
	default:
		t.note(c, "security", "the scheme %q (%s %s) is not supported; requests go without it, unless Client.HTTP adds it", name, kind, scheme)
		return false
	}
	t.api.Schemes = append(t.api.Schemes, s)
	return true
}

// addAuth adds the scheme of Options.Auth.
func (t *translator) addAuth() error {
	var s Scheme
	place, key, _ := strings.Cut(t.Auth, ":")
	switch {
	case t.Auth == "":
		return nil
	case len(t.api.Schemes) > 0:
		return fmt.Errorf("auth %q: the document describes how to authenticate, by the scheme %q; leave auth out", t.Auth, t.api.Schemes[0].Name)
	case t.Auth == "bearer":
		s = Scheme{Name: "token", Kind: SchemeBearer}
	case t.Auth == "basic":
		s = Scheme{Name: "login", Kind: SchemeBasic}
	case slices.Contains([]string{"header", "query", "cookie"}, place) && isToken(key):
		s = Scheme{Name: "key", Kind: SchemeAPIKey, In: place, Key: key}
	default:
		return fmt.Errorf("auth %q: want bearer, basic, or the place and name of an API key, such as header:X-API-Key", t.Auth)
	}
	t.api.Schemes, t.api.Security = []Scheme{s}, []Requirement{{s.Name}}
	for _, c := range t.calls {
		if c.Security != nil && len(*c.Security) == 0 && len(c.op.Security) > 0 { // schemes that are not supported
			c.Security = nil
		}
	}
	return nil
}

// clientCredentials makes s a scheme of OAuth 2 client credentials, if the address for tokens is usable.
func (t *translator) clientCredentials(s *Scheme, flow *high.OAuthFlow) {
	u, err := url.Parse(flow.TokenUrl)
	if err == nil && !u.IsAbs() {
		if base, baseErr := url.Parse(t.api.BaseURL); baseErr == nil {
			u = base.ResolveReference(u)
		}
	}
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil { // the note has no URL, which may have a password
		t.note(nil, "security", "the token URL of the scheme %q is not an http or https URL without credentials; the scheme needs a token that is given", s.Name)
		return
	}
	s.Kind, s.TokenURL = SchemeClientCredentials, u.String()
	s.Scopes = slices.Collect(flow.Scopes.KeysFromOldest())
}

// baseURL returns the address of the first server, resolved against an absolute base: absolute, or a path. "" is the root
// of a host that is not known.
func (t *translator) baseURL(c *call, servers []*high.Server, base string) string {
	address := ""
	if len(servers) > 0 && servers[0] != nil {
		address = servers[0].URL
		for name, v := range servers[0].Variables.FromOldest() {
			value := cmp.Or(append([]string{v.Default}, v.Enum...)...)
			address = strings.ReplaceAll(address, "{"+name+"}", value)
		}
	}
	u, err := url.Parse(address)
	switch {
	case err != nil && strings.Contains(address, "@"), err == nil && u.User != nil: // The note does not have the address, because it may have a password.
		t.note(c, "servers", "the address has credentials, which do not belong into code; the address is needed when the server runs, in BASE_URL")
		u = &url.URL{}
	case err != nil || strings.ContainsAny(address, "{}") || u.Scheme != "" && (u.Scheme != "http" && u.Scheme != "https" || u.Host == ""):
		t.note(c, "servers", "%q is not an http or https URL; the address is needed when the server runs, in BASE_URL", plainText(address, 200))
		u = &url.URL{}
	case u.RawQuery != "" || u.Fragment != "":
		t.note(c, "servers", "the address has a query or fragment, which was left out; Client.HTTP can add it")
	}
	own, baseErr := url.Parse(base)
	resolve := baseErr == nil && own.Host != ""
	switch {
	case c == nil && resolve && (u.Host != "" || strings.Trim(u.Path, "/") == ""):
		u = own // The given address replaces the one of the document.
	case u.Host == "" && resolve:
		u = own.ResolveReference(&url.URL{Path: path.Join("/", u.Path)})
	case u.Scheme == "" && u.Host != "":
		u.Scheme = "https"
	case u.Host == "" && u.Path != "":
		u.Path, u.RawPath = path.Join("/", u.Path), ""
	}
	u.RawQuery, u.Fragment = "", ""
	return strings.TrimRight(u.String(), "/")
}

// checkBaseURL returns an error if an address of an option is not usable. The error does not repeat credentials.
func checkBaseURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case address == "":
	case err != nil && strings.Contains(address, "@"), err == nil && u.User != nil:
		return errors.New("the base URL has credentials, which do not belong into code; security schemes of the document describe them")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("base URL %.200q: want an http or https URL without query and fragment, such as https://api.example.com/v1", address)
	}
	return nil
}
