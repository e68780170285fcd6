// Package modelview computes what a client shows its model of a server: tools that the client leaves out, names that it
// rewrites, texts that it cuts, and keywords of schemas that it removes.
//
// Each client is a list of rules (clients.go), with what the client does, the public source of that and the day on which the
// source was read. A rule is one function, in the file of its client or in names.go and results.go; where package
// reflectschema/lint has the rule, it is used from there. Show applies the rules one after the other and compares the tools
// before and after each, so a rule does not report its changes.
package modelview

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/suggest"
)

// A Client is a program with a model, such as Codex.
type Client struct {
	Name  string `json:"name"`  // codex
	Title string `json:"title"` // Codex
	// About is the version that the rules describe.
	About string `json:"about"`
	// Legacy is set if the client does not support revision 2026-07-28.
	Legacy bool `json:"-"`
	// ByTitle is set if the client calls a server by its title, if it has one, and not by its name in the configuration.
	ByTitle bool `json:"-"`
	// Notes are facts that do not depend on the tools, such as where the client shows resources.
	Notes []Rule `json:"notes,omitempty"`

	steps []step
}

// Clients returns the names of all clients.
func Clients() []string {
	names := make([]string, len(clients))
	for i := range clients {
		names[i] = clients[i].Name
	}
	return names
}

// Named returns the client with a name. If there is none, it returns the nearest name, or "".
func Named(name string) (c *Client, nearest string) {
	if i := slices.IndexFunc(clients, func(c Client) bool { return c.Name == name }); i >= 0 {
		return &clients[i], ""
	}
	return nil, suggest.Nearest(name, Clients())
}

// A Rule is known behavior of a client.
type Rule struct {
	Name   string `json:"name"` // unique within a client
	Why    string `json:"why"`  // the behavior, in a sentence
	Source string `json:"source"`
	Seen   string `json:"seen"` // day on which the source was read: 2026-11-29
}

// A step is a rule with the function that applies it. One of the functions is set.
type step struct {
	Rule
	// names returns the names for the model of the tools with the given names, "" for a tool that is left out.
	names func(server string, tools []string) []string
	// refuses returns what is wrong with a tool that is left out, "" for others.
	refuses func(tool *jsondoc.Value) string
	all     bool // if one tool is refused, all are left out
	// meant is set if a tool is left out because it asks for that.
	meant bool
	// changes returns the definition of a tool for the model.
	changes func(tool *jsondoc.Value) *jsondoc.Value
	// result returns the result of a call for the model, and what it lacks, "" for nothing.
	result func(result *jsondoc.Value) (*jsondoc.Value, string)
	// firstPage is set if the client reads only the first page of the list.
	firstPage bool
	// instructions is the largest number of characters of the instructions.
	instructions int
}

// An Effect is the consequence of a change for the model. Greater effects are worse.
type Effect uint8

// Effects.
const (
	Changed Effect = iota + 1 // the model sees the same in another form
	Cut                       // the model lacks a text or a constraint
	Lost                      // the model lacks a tool or an argument
)

// String returns changed, cut or lost.
func (e Effect) String() string { return [...]string{"", "changed", "cut", "lost"}[e] }

// MarshalText returns String.
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// A Change is a difference between what the server sends and what the model sees.
type Change struct {
	Effect Effect `json:"effect"`
	Rule   string `json:"rule"`
	Tool   string `json:"tool,omitempty"` // as the server names it; "" for the server itself
	Path   string `json:"path,omitempty"` // arguments.items[].qty; "" for the tool
	Found  string `json:"found"`
}

// A Tool is a tool for the model.
type Tool struct {
	Name       string          `json:"name"`                 // as the server names it
	Shown      string          `json:"shown,omitempty"`      // the name for the model; "" if the tool is left out
	Definition json.RawMessage `json:"definition,omitempty"` // as in tools/list
	Tokens     int             `json:"estimatedTokens,omitempty"`

	entry *jsondoc.Value // the definition while the rules are applied; nil if the tool is left out
}

// A View is the part of a server that a client shows its model.
type View struct {
	Client       *Client  `json:"client"`
	Tools        []Tool   `json:"tools"` // in the order of the server
	Instructions string   `json:"instructions,omitempty"`
	Changes      []Change `json:"changes"`         // worst first
	Rules        []Rule   `json:"rules,omitempty"` // the rules of the changes, in the order of the changes
}

// A Listing is a server's description of itself.
type Listing struct {
	Server       string // its name in the configuration of the client
	Title        string // its own title
	Instructions string
	Tools        []json.RawMessage // entries of tools/list
	FirstPage    int               // number of tools on the first page; 0 means all
	// Results are results of sample calls, by the name of the tool.
	Results map[string]json.RawMessage
}

// Show returns what the client shows its model.
func (c *Client) Show(l Listing) *View {
	v := &View{Client: c, Changes: []Change{}, Instructions: l.Instructions}
	for _, raw := range l.Tools {
		entry := jsondoc.Object(jsondoc.Parse(raw).Entries()...)
		if !entry.Get("inputSchema").IsObject() { // which bench lint reports
			entry = entry.With("inputSchema", jsondoc.Object())
		}
		v.Tools = append(v.Tools, Tool{Name: entry.Get("name").Text(), entry: entry})
	}
	if c.ByTitle {
		l.Server = cmp.Or(l.Title, l.Server)
	}
	for i := range c.steps {
		v.apply(&c.steps[i], l)
	}
	for i := range v.Tools {
		t := &v.Tools[i]
		if t.entry != nil {
			t.Shown = t.entry.Get("name").Text()
			t.Definition = t.entry.AppendTo(nil)
			t.Tokens = lint.Tokens(len(t.entry.Without("annotations", "execution").AppendTo(nil))) // those are for the client
		}
		if sample, ok := l.Results[t.Name]; ok {
			_, changes := c.result(t.Name, sample)
			v.Changes = append(v.Changes, changes...)
		}
	}
	slices.SortStableFunc(v.Changes, func(a, b Change) int { return -cmp.Compare(a.Effect, b.Effect) })
	for _, change := range v.Changes {
		if !slices.ContainsFunc(v.Rules, func(r Rule) bool { return r.Name == change.Rule }) {
			v.Rules = append(v.Rules, c.steps[slices.IndexFunc(c.steps, func(s step) bool { return s.Name == change.Rule })].Rule)
		}
	}
	return v
}

// apply applies a rule.
func (v *View) apply(s *step, l Listing) {
	switch {
	case s.firstPage && l.FirstPage > 0:
		for i := l.FirstPage; i < len(v.Tools); i++ {
			v.leaveOut(s, &v.Tools[i], "the tool is not on the first page")
		}
	case s.names != nil:
		v.rename(s, l.Server)
	case s.refuses != nil:
		v.refuse(s)
	case s.changes != nil:
		for _, t := range v.left() {
			before := t.entry
			t.entry = s.changes(before)
			v.compare(s, t.Name, before, t.entry)
		}
	case s.instructions > 0:
		if text := cutText(v.Instructions, s.instructions); text != v.Instructions {
			v.add(Cut, s, "", "instructions", lengths(v.Instructions, text))
			v.Instructions = text
		}
	}
}

// left returns the tools that are not left out so far.
func (v *View) left() (tools []*Tool) {
	for i := range v.Tools {
		if v.Tools[i].entry != nil {
			tools = append(tools, &v.Tools[i])
		}
	}
	return tools
}

func (v *View) add(e Effect, s *step, tool, path, found string) {
	v.Changes = append(v.Changes, Change{e, s.Name, tool, path, found})
}

func (v *View) leaveOut(s *step, t *Tool, found string) {
	effect := Lost
	if s.meant {
		effect = Changed
	}
	v.add(effect, s, t.Name, "", found)
	t.entry = nil
}

// rename applies a rule about names.
func (v *View) rename(s *step, server string) {
	tools := v.left()
	old := make([]string, len(tools))
	for i, t := range tools {
		old[i] = t.entry.Get("name").Text()
	}
	for i, name := range s.names(server, old) {
		if name == "" {
			v.leaveOut(s, tools[i], "the tool is left out")
			continue
		}
		if !strings.HasSuffix(name, old[i]) {
			v.add(Changed, s, tools[i].Name, "", "the name becomes "+name)
		}
		tools[i].entry = tools[i].entry.With("name", jsondoc.String(name))
	}
}

// refuse applies a rule about tools that the client does not accept.
func (v *View) refuse(s *step) {
	refused := false
	for _, t := range v.left() {
		if found := s.refuses(t.entry); found != "" {
			v.leaveOut(s, t, found)
			refused = true
		}
	}
	if s.all && refused {
		for _, t := range v.left() {
			v.leaveOut(s, t, "the tool is left out, because of another")
		}
	}
}

// Result returns a result of a call as the client shows it to its model.
func (c *Client) Result(result json.RawMessage) json.RawMessage {
	shown, _ := c.result("", result)
	return shown
}

func (c *Client) result(tool string, raw json.RawMessage) (shown json.RawMessage, changes []Change) {
	result := jsondoc.Parse(raw)
	for i := range c.steps {
		if s := &c.steps[i]; s.result != nil {
			made, found := s.result(result)
			if result = made; found != "" {
				changes = append(changes, Change{Cut, s.Name, tool, "result", found})
			}
		}
	}
	return result.AppendTo(nil), changes
}
