package compat

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// A Resource contains the published fields of a resource that are compared. Its size and modification time are data.
type Resource struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
}

// A Template contains the published fields of a resource template that are compared.
type Template struct {
	URITemplate string `json:"uriTemplate"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
}

// compareResources compares the lists of resources. A nil old list was not recorded.
func compareResources(old []Resource, now *Snapshot) []Change {
	if old == nil {
		return recorded(ResourceKind, len(now.Resources))
	}
	uri := func(r Resource) string { return r.URI }
	changes := compareLists(ResourceKind, keyed(old, uri), keyed(now.Resources, uri), func(was, is Resource) []Change {
		changes := compareWords(text{"name", was.Name, is.Name}, text{"title", was.Title, is.Title}, text{"description", was.Description, is.Description})
		return append(changes, compareMIMEType(was.MIMEType, is.MIMEType)...)
	})
	for i := range changes {
		c := &changes[i]
		if c.Class != Breaks || c.Keyword != "name" {
			continue
		}
		for _, t := range now.Templates {
			if parsed, err := uritemplate.Parse(t.URITemplate); err == nil {
				if _, ok := parsed.Match(c.Name); ok { // it may still be readable, although it is not listed
					c.Class, c.Was, c.Now = MayBreak, "listed", "only covered by the template "+t.URITemplate
					break
				}
			}
		}
	}
	return changes
}

// compareMIMEType compares the declared MIME types of contents, ignoring case.
func compareMIMEType(was, is string) []Change {
	c := Change{Class: Breaks, Party: Readers, Keyword: "mimeType", Was: cmp.Or(was, "without a MIME type"), Now: cmp.Or(is, "without a MIME type")}
	switch {
	case strings.EqualFold(was, is):
		return nil
	case was == "":
		c.Class = Compatible
	case is == "":
		c.Class = MayBreak // the contents may still be of that type
	}
	return []Change{c}
}

// compareTemplates compares the lists of templates. A nil old list was not recorded. Two different templates count as
// versions of one if they are the only ones with their name that are missing from the other list.
func compareTemplates(old, now []Template) []Change {
	if old == nil {
		return recorded(TemplateKind, len(now))
	}
	key := func(t Template) string { return t.URITemplate }
	was, is := keyed(old, key), keyed(now, key)
	named := func(list []Template, other map[string]Template, name string) []Template {
		return slices.DeleteFunc(slices.Clone(list), func(t Template) bool {
			_, both := other[t.URITemplate]
			return t.Name != name || both
		})
	}
	for _, t := range old {
		if _, ok := is[t.URITemplate]; ok || t.Name == "" {
			continue
		}
		before, after := named(old, is, t.Name), named(now, was, t.Name)
		if len(before) == 1 && len(after) == 1 {
			delete(is, after[0].URITemplate)
			is[t.URITemplate] = after[0]
		}
	}
	return compareLists(TemplateKind, was, is, compareTemplate)
}

func compareTemplate(was, is Template) []Change {
	changes := compareWords(text{"name", was.Name, is.Name}, text{"title", was.Title, is.Title}, text{"description", was.Description, is.Description})
	if was.URITemplate != is.URITemplate {
		changes = append(changes, compareURIs(was.URITemplate, is.URITemplate)...)
	}
	return append(changes, compareMIMEType(was.MIMEType, is.MIMEType)...)
}

// optional matches an expression that expands to nothing if its variables are undefined.
var optional = regexp.MustCompile(`\{[?&#][^{}]*\}`)

// compareURIs compares the URIs of two different templates. If only optional variables were added, every old URI still
// matches.
func compareURIs(was, is string) []Change {
	before, err := uritemplate.Parse(was)
	after, err2 := uritemplate.Parse(is)
	if err != nil || err2 != nil {
		return []Change{{Class: Breaks, Keyword: "uriTemplate", Was: was, Now: is}}
	}
	old, now := variables(before), variables(after)
	switch {
	case optional.ReplaceAllString(was, "") == optional.ReplaceAllString(is, "") && contains(now, old):
		return []Change{{Class: Compatible, Path: "variables", Keyword: "uriTemplate", Was: listedWords(old), Now: listedWords(now)}}
	case !slices.Equal(old, now):
		return []Change{{Class: Breaks, Path: "variables", Keyword: "uriTemplate", Was: listedWords(old), Now: listedWords(now)}}
	default:
		return []Change{{Class: Breaks, Keyword: "uriTemplate", Was: was, Now: is}}
	}
}

// variables returns the names of the variables of a template, with " (optional)" after those that a URI may omit.
func variables(t *uritemplate.Template) []string {
	var names []string
	for _, v := range t.Variables() {
		if name := v.Name; v.Optional() {
			names = append(names, name+" (optional)")
		} else {
			names = append(names, name)
		}
	}
	return names
}

// contains reports whether list has every element of another list.
func contains(list, of []string) bool {
	return !slices.ContainsFunc(of, func(s string) bool { return !slices.Contains(list, s) })
}

// listedWords joins words with commas and "and".
func listedWords(words []string) string {
	last := len(words) - 1
	switch {
	case last < 0:
		return "none"
	case last == 0:
		return words[0]
	default:
		return strings.Join(words[:last], ", ") + " and " + words[last]
	}
}
