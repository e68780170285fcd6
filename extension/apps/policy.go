package apps

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ViewOption is a request of a view to the host: see [View]. Options for the same thing add up.
type ViewOption interface{ apply(*policy) }

type viewOption func(*policy)

func (o viewOption) apply(p *policy) { o(p) }

// Connect asks that scripts of the view may connect to these origins, such as "https://api.example.com" or
// "wss://live.example.com", with fetch, XMLHttpRequest, WebSocket and EventSource. An origin is a scheme, a host and an
// optional port; "https://*.example.com" means all subdomains. Origins without encryption, http and ws, are for
// development: only localhost and 127.0.0.1 are accepted. By default a view may not connect to anything.
func Connect(origins ...string) ViewOption { return originOption("Connect", origins) }

// Resources asks that the view may load scripts, styles, pictures, fonts and media from these origins: see [Connect]
// for their form. By default it may not load anything.
func Resources(origins ...string) ViewOption { return originOption("Resources", origins) }

// Frames asks that the view may have frames with pages of these origins: see [Connect] for their form. By default it may
// have none.
func Frames(origins ...string) ViewOption { return originOption("Frames", origins) }

// BaseURIs asks that the view's base element may name these origins: see [Connect] for their form. By default it may name
// none.
func BaseURIs(origins ...string) ViewOption { return originOption("BaseURIs", origins) }

// Permission is access to a device or service of the user that a view may request.
type Permission string

// The permissions that a host can grant.
const (
	PermissionCamera         Permission = "camera"
	PermissionMicrophone     Permission = "microphone"
	PermissionGeolocation    Permission = "geolocation"
	PermissionClipboardWrite Permission = "clipboardWrite"
)

// Permit asks for permissions. The view must test whether it has them. By default it asks for none.
func Permit(permissions ...Permission) ViewOption {
	return viewOption(func(p *policy) {
		for _, permission := range permissions {
			switch permission {
			case PermissionCamera, PermissionMicrophone, PermissionGeolocation, PermissionClipboardWrite:
				if p.meta.Permissions == nil {
					p.meta.Permissions = map[Permission]struct{}{}
				}
				p.meta.Permissions[permission] = struct{}{}
			default:
				p.mistake(fmt.Sprintf("the option apps.Permit names %q", permission), "pass apps.PermissionCamera, apps.PermissionMicrophone, apps.PermissionGeolocation or apps.PermissionClipboardWrite")
			}
		}
	})
}

// Border asks the host to draw a border and a background around the view, or not to. By default the host decides.
func Border(yes bool) ViewOption {
	return viewOption(func(p *policy) { p.meta.PrefersBorder = new(yes) })
}

// Domain asks for a fixed origin of the view, which servers that it connects to can recognize. It is a host name,
// optionally with a port and with "https://" in front. Each host requires another form, so a server for several hosts
// cannot use it. By default the host chooses an origin.
func Domain(domain string) ViewOption {
	return viewOption(func(p *policy) {
		switch {
		case strings.TrimSpace(domain) == "":
			p.mistake("the option apps.Domain sets an empty text", "leave the option out")
		case !domainForm.MatchString(domain) || strings.Contains(domain, ".."):
			p.mistake(fmt.Sprintf("the option apps.Domain: %q is not a domain", domain), `write a host name as the documentation of the host requires: "example.hostcontent.com"`)
		}
		p.meta.Domain = domain
	})
}

// policy collects the requests of a view, and the mistakes in them.
type policy struct {
	meta     contentsMeta
	mistakes []mistake
}

// mistake is a mistake of the author, without the name of the tool.
type mistake struct{ reason, fix string }

func (p *policy) mistake(reason, fix string) { p.mistakes = append(p.mistakes, mistake{reason, fix}) }

// contentsMeta is the member ui in the _meta of the contents of the view.
type contentsMeta struct {
	CSP           *csp                    `json:"csp,omitempty"`
	Permissions   map[Permission]struct{} `json:"permissions,omitempty"`
	Domain        string                  `json:"domain,omitempty"`
	PrefersBorder *bool                   `json:"prefersBorder,omitempty"`
}

// csp is the member csp of contentsMeta.
type csp struct {
	Connect   []string `json:"connectDomains,omitempty"`
	Resources []string `json:"resourceDomains,omitempty"`
	Frames    []string `json:"frameDomains,omitempty"`
	BaseURIs  []string `json:"baseUriDomains,omitempty"`
}

// of returns the origins that are set by the option with this name.
func (c *csp) of(option string) *[]string {
	switch option {
	case "Connect":
		return &c.Connect
	case "Resources":
		return &c.Resources
	case "Frames":
		return &c.Frames
	default:
		return &c.BaseURIs
	}
}

// originOption returns the option with this name.
func originOption(option string, origins []string) ViewOption {
	return viewOption(func(p *policy) {
		if len(origins) == 0 {
			p.mistake("the option apps."+option+" names no origin", "leave the option out")
			return
		}
		if p.meta.CSP == nil {
			p.meta.CSP = &csp{}
		}
		list := p.meta.CSP.of(option)
		for _, origin := range origins {
			if reason, fix := originProblem(option, origin); reason != "" {
				p.mistake(fmt.Sprintf("the option apps.%s: %q %s", option, origin, reason), fix)
			} else if !slices.Contains(*list, origin) {
				*list = append(*list, origin)
			}
		}
	})
}

// Hosts write an origin into a header, so the whole text must match: a space or a semicolon in it would change the
// policy.
var originForm = regexp.MustCompile(`^(https?|wss?)://(\*\.)?([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::([0-9]{1,5}))?$`)

// Hosts may also write a domain into a header.
var domainForm = regexp.MustCompile(`^(?:https://)?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?$`)

// originProblem returns what is wrong with an origin of the option and the fix; "" if nothing.
func originProblem(option, origin string) (reason, fix string) {
	const form = `write a scheme, a host and perhaps a port: "https://api.example.com"`
	match := originForm.FindStringSubmatch(origin)
	if match == nil {
		return "is not an origin", form
	}
	scheme, wildcard, host, port := match[1], match[2] != "", match[3], match[4]
	if n, err := strconv.Atoi(port); port != "" && (err != nil || n < 1 || n > 65535) {
		return "has a port above 65535", form
	}
	switch {
	case strings.Contains(host, ".."):
		return "is not an origin", form
	case wildcard && !strings.Contains(host, "."):
		return "stands for too many hosts", `write the domain after "*.": "https://*.example.com"`
	case option != "Connect" && strings.HasPrefix(scheme, "ws"):
		return "is a WebSocket origin, which is only for apps.Connect", "write https"
	case (scheme == "http" || scheme == "ws") && host != "localhost" && host != "127.0.0.1":
		return "is not encrypted, so hosts block it", "write " + scheme + "s"
	}
	return "", ""
}

// json returns the value of _meta.ui; nil if the view requests nothing.
func (p *policy) json() json.RawMessage {
	data, err := json.Marshal(p.meta)
	if err != nil || string(data) == "{}" { // encoding does not fail for these types
		return nil
	}
	return data
}

// allows reports whether the policy lets an element load an absolute address.
func (p *policy) allows(tag string, address *url.URL) bool {
	asked := p.meta.CSP
	if asked == nil {
		return false
	}
	var origins []string
	switch tag {
	case "iframe", "frame":
		origins = asked.Frames
	case "base":
		origins = asked.BaseURIs
	case "object", "embed": // never allowed in views
	default:
		origins = asked.Resources
	}
	return slices.ContainsFunc(origins, func(origin string) bool { return covers(origin, address) })
}

// covers reports whether an origin, which may have a wildcard, includes the address.
func covers(origin string, address *url.URL) bool {
	scheme, host, _ := strings.Cut(origin, "://")
	if !strings.EqualFold(scheme, address.Scheme) {
		return false
	}
	actual := strings.ToLower(address.Host)
	host = strings.ToLower(host)
	if defaultPort := map[string]string{"http": ":80", "https": ":443"}[strings.ToLower(scheme)]; defaultPort != "" {
		actual, host = strings.TrimSuffix(actual, defaultPort), strings.TrimSuffix(host, defaultPort)
	}
	if domain, wildcard := strings.CutPrefix(host, "*"); wildcard {
		return strings.HasSuffix(actual, domain) && actual != strings.TrimPrefix(domain, ".")
	}
	return actual == host
}
