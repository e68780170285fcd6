package streamhttp

import "strings"

// warnUnauthenticated logs, at the first request of an unauthenticated caller, which tools, prompts and resources are
// hidden from such callers. Before that it is not known whether the program uses [WithAccess].
func (h *handler) warnUnauthenticated() {
	h.unauthenticated.Do(func() {
		var hidden []string
		registry := h.srv.Registry()
		for _, t := range registry.Tools() {
			if len(t.Scopes()) > 0 {
				hidden = append(hidden, t.Name())
			}
		}
		for _, p := range registry.Prompts() {
			if len(p.Scopes()) > 0 {
				hidden = append(hidden, p.Name())
			}
		}
		for _, r := range registry.Resources() {
			if len(r.Scopes()) > 0 {
				hidden = append(hidden, r.URI())
			}
		}
		if len(hidden) > 0 {
			h.log.Warn("callers are not authenticated and do not see what has scopes: pass the option of streamhttp.Protect to the handler, "+
				"authenticate callers in middleware with streamhttp.WithAccess, or remove the scopes",
				"count", len(hidden), "hidden", strings.Join(hidden[:min(len(hidden), maxHidden)], ", "))
		}
	})
}

// maxHidden is the maximum number of names in a warning.
const maxHidden = 10
