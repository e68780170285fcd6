package mcptooltest

import (
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
)

// deadLink returns why a client cannot read the target of a link; "" if it can, or may be able to. If a resource of the
// server has the scheme of the URI, one of them must match it. Clients fetch http and https URIs themselves.
func deadLink(registry *mcptool.Registry, uri string) string {
	scheme := schemeOf(uri)
	if registry == nil || scheme == "http" || scheme == "https" {
		return ""
	}
	if _, found := registry.LookupResource(uri); found {
		return ""
	}
	for r := range registry.Resources() {
		if schemeOf(r.URI()) == scheme {
			return fmt.Sprintf("a link to %s, which matches no resource, although %s has the same scheme", uri, r.URI())
		}
	}
	return ""
}

// schemeOf returns the scheme of a URI.
func schemeOf(uri string) string {
	scheme, _, _ := strings.Cut(uri, ":")
	return strings.ToLower(scheme)
}

// wantLink describes a correct link, for failures.
const wantLink = "a link that clients can read: correct the URI, or add a resource for it"
