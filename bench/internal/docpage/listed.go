package docpage

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/group"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// A Prompt is a listed prompt with a sample of its messages.
type Prompt struct {
	Entry json.RawMessage // its entry in the result of prompts/list
	Call  Call
}

// A Listing holds the resources or templates of the page.
type Listing struct {
	First string // heading of the first column
	Rows  []Row
	Total int // all entries, including those over the limit
}

// Rest describes the number of omitted entries; "" if none.
func (l Listing) Rest() string {
	if more := l.Total - len(l.Rows); more > 0 {
		return "and " + thousands(more) + " more"
	}
	return ""
}

// isPrompt is the badge of a prompt.
var isPrompt = Badge{"prompt", "plain", "A message template that the user selects."}

// promptOf returns the page entry of a prompt.
func promptOf(p Prompt, names anchors) Entry {
	e, v := newEntry("prompt", p.Entry, p.Call, names, "name", "title", "description", "arguments")
	e.IsPrompt, e.Badges = true, []Badge{isPrompt}
	if v == nil {
		return e
	}
	e.Badges = append(e.Badges, groupBadges(e.groups)...)
	table := Table{Anchor: names.name(e.Anchor, "arguments"), Type: []Span{prose("object")}}
	for _, a := range v.Get("arguments").Elements() {
		table.Rows = append(table.Rows, Row{
			Name: label(a.Get("name").Text()), Type: []Span{prose("text")}, Required: a.Get("required").IsTrue(),
			Title: label(a.Get("title").Text()), Description: spans(a.Get("description").Text()),
		})
	}
	e.Input.Tables = []Table{table}
	return e
}

// listingOf returns the page listing of resources or templates; member names the member with the URI, and first is its
// heading. It adds the groups of the entries to sum.
func listingOf(first string, entries []json.RawMessage, member string, sum *group.Sum) Listing {
	l := Listing{First: first, Total: len(entries)}
	for i, entry := range entries {
		v, err := parseJSON(entry)
		groups := groupNames(v)
		sum.AddResource(groups)
		if i >= maxRows {
			continue
		}
		if err != nil {
			l.Rows = append(l.Rows, Row{Name: "(unreadable)", Required: true, Description: spans("Invalid list entry: " + err.Error())})
			continue
		}
		uri, title := label(v.Get(member).Text()), label(cmp.Or(v.Get("title").Text(), v.Get("name").Text()))
		if title == uri {
			title = ""
		}
		l.Rows = append(l.Rows, Row{
			Name: uri, Required: true, Type: contentsType(v), Title: title, Description: spans(v.Get("description").Text()), Facts: append(hintsOf(v.Get("annotations")), groupFacts(groups)...),
		})
	}
	return l
}

// contentsType returns the MIME type and the size of a resource, as far as they are given.
func contentsType(v *jsondoc.Value) []Span {
	var out []Span
	if kind := v.Get("mimeType").Text(); kind != "" {
		out = append(out, code(label(kind)))
	}
	if size := v.Get("size"); size != nil && size.Kind == rawjson.Number {
		text := count(terminal.Shorten(string(size.Raw), maxLiteral), "byte")
		if len(out) > 0 {
			text = ", " + text
		}
		out = append(out, prose(text))
	}
	return out
}

// hintsOf returns the annotations of a resource in words.
func hintsOf(v *jsondoc.Value) [][]Span {
	var out [][]Span
	var who []string
	for _, a := range v.Get("audience").Elements() {
		who = append(who, "the "+label(a.Text()))
	}
	if len(who) > 0 {
		out = append(out, []Span{prose("for " + strings.Join(who, " and "))})
	}
	if p := v.Get("priority"); p != nil && p.Kind == rawjson.Number {
		out = append(out, []Span{prose("priority " + terminal.Shorten(string(p.Raw), maxLiteral))})
	}
	if when := v.Get("lastModified").Text(); when != "" {
		out = append(out, []Span{prose("last modified " + label(terminal.Shorten(when, maxLiteral)))})
	}
	return out
}
