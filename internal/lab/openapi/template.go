package main

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
)

// A template is a path of a document. The routers of the validator are not used, because they refuse documents in which two
// templates match the same paths with different methods. The document of GitHub is one.
type template struct {
	path      string
	matches   *regexp.Regexp
	variables []string
	item      *openapi3.PathItem
	spec      *openapi3.T
}

var variable = regexp.MustCompile(`\{[^{}]*\}`)

// templates returns the paths of a document, those with fewer variables first.
func templates(d *openapi3.T) (all []template) {
	for path, item := range d.Paths.Map() {
		t := template{path: path, item: item, spec: d}
		pattern := "(?:" + strings.Join(bases(item), "|") + ")"
		rest, _, _ := strings.Cut(path, "#") // some documents distinguish paths by fragments
		for rest != "" {
			at := variable.FindStringIndex(rest)
			if at == nil {
				pattern += regexp.QuoteMeta(rest)
				break
			}
			pattern += regexp.QuoteMeta(rest[:at[0]]) + "([^/]*)"
			t.variables = append(t.variables, strings.Trim(rest[at[0]:at[1]], "{}"))
			rest = rest[at[1]:]
		}
		t.matches = regexp.MustCompile("^" + pattern + "(%23.*)?$")
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b template) int {
		return cmp.Or(cmp.Compare(len(a.variables), len(b.variables)), strings.Compare(a.path, b.path))
	})
	return all
}

// bases returns patterns of the paths before that of an item. Servers of single operations keep their paths, whatever the address
// of the API is.
func bases(item *openapi3.PathItem) []string {
	all := []string{regexp.QuoteMeta(basePath)}
	servers := item.Servers
	for _, o := range item.Operations() {
		if o.Servers != nil {
			servers = append(slices.Clone(servers), *o.Servers...)
		}
	}
	for _, s := range servers {
		if u, err := url.Parse(s.URL); err == nil {
			all = append(all, regexp.QuoteMeta(strings.TrimSuffix(u.Path, "/")))
		}
	}
	return all
}

// A candidate is an operation that a request may be for, with the values of the variables of its path.
type candidate struct {
	*routers.Route
	variables map[string]string
}

// find returns the operations that a request may be for. There are several if the templates are ambiguous.
func (a *api) find(r *http.Request) (all []candidate) {
	for _, t := range a.paths {
		found := t.matches.FindStringSubmatch(r.URL.EscapedPath())
		operation := t.item.GetOperation(r.Method)
		if found == nil || operation == nil {
			continue
		}
		values := map[string]string{}
		for i, name := range t.variables {
			value, err := url.PathUnescape(found[i+1])
			if err != nil {
				value = found[i+1]
			}
			values[name] = value
		}
		route := &routers.Route{Spec: t.spec, Path: t.path, PathItem: t.item, Method: r.Method, Operation: operation}
		all = append(all, candidate{route, values})
	}
	return all
}
