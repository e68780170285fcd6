package client

import (
	"encoding/json"
	"slices"
	"strings"
)

// Change notifications.
const (
	noteTools     = "notifications/tools/list_changed"
	notePrompts   = "notifications/prompts/list_changed"
	noteResources = "notifications/resources/list_changed"
	noteUpdated   = "notifications/resources/updated"
)

// Changes is a set of changes of a server: those that a [Subscription] requests, or those that occurred.
type Changes struct {
	Tools     bool // the list of tools
	Prompts   bool // the list of prompts
	Resources bool // the list of resources, or of templates
	// Updated holds the URIs of resources with changed contents.
	Updated []string
}

// none reports whether c is empty.
func (c Changes) none() bool { return !c.Tools && !c.Prompts && !c.Resources && len(c.Updated) == 0 }

// String lists the kinds, as in "tools and the resource note://7".
func (c Changes) String() string {
	var kinds []string
	for _, kind := range []struct {
		is   bool
		name string
	}{{c.Tools, "tools"}, {c.Prompts, "prompts"}, {c.Resources, "the list of resources"}} {
		if kind.is {
			kinds = append(kinds, kind.name)
		}
	}
	for _, uri := range c.Updated {
		kinds = append(kinds, "the resource "+uri)
	}
	if last := len(kinds) - 1; last > 0 {
		return strings.Join(kinds[:last], ", ") + " and " + kinds[last]
	}
	return strings.Join(kinds, "")
}

// filter is the JSON form of changes in a subscription request and its acknowledgment.
type filter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	Updated   []string `json:"resourceSubscriptions,omitempty"`
}

// and returns the intersection of c and other.
func (c Changes) and(other Changes) Changes {
	both := Changes{Tools: c.Tools && other.Tools, Prompts: c.Prompts && other.Prompts, Resources: c.Resources && other.Resources}
	for _, uri := range c.Updated {
		if slices.Contains(other.Updated, uri) {
			both.Updated = append(both.Updated, uri)
		}
	}
	return both
}

// maxUpdated is the maximum number of URIs kept for the next Take. A server may report any number of resources below a
// subscribed one; further URIs are dropped, since a consumer of that many is expected to read all of them again.
const maxUpdated = 1000

// with returns the union of c and other.
func (c Changes) with(other Changes) Changes {
	c.Tools, c.Prompts, c.Resources = c.Tools || other.Tools, c.Prompts || other.Prompts, c.Resources || other.Resources
	for _, uri := range other.Updated {
		if len(c.Updated) < maxUpdated && !slices.Contains(c.Updated, uri) {
			c.Updated = append(c.Updated, uri)
		}
	}
	return c
}

// wants reports whether a subscription for c receives a change: of a list, of a resource, or of one below it.
func (c Changes) wants(change Changes) bool {
	if change.Tools && c.Tools || change.Prompts && c.Prompts || change.Resources && c.Resources {
		return true
	}
	return slices.ContainsFunc(change.Updated, func(uri string) bool {
		return slices.ContainsFunc(c.Updated, func(wanted string) bool { return isBelow(uri, wanted) })
	})
}

// isBelow reports whether uri is of, or part of it.
func isBelow(uri, of string) bool {
	rest, ok := strings.CutPrefix(uri, of)
	return ok && (rest == "" || strings.HasSuffix(of, "/") || strings.ContainsAny(rest[:1], "/?#"))
}

// changesOf returns the changes that a notification announces; empty for other notifications.
func changesOf(method string, params json.RawMessage) Changes {
	var p struct {
		URI string `json:"uri"`
	}
	switch method {
	case noteTools:
		return Changes{Tools: true}
	case notePrompts:
		return Changes{Prompts: true}
	case noteResources:
		return Changes{Resources: true}
	case noteUpdated:
		if json.Unmarshal(params, &p) == nil && p.URI != "" {
			return Changes{Updated: []string{p.URI}}
		}
	}
	return Changes{}
}
