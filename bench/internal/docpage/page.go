package docpage

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/group"
	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// A Server is the self-description of a server, with its lists other than tools.
type Server struct {
	Name, Title, Instructions string

	Prompts   []Prompt
	Resources []json.RawMessage // entries of resources/list
	Templates []json.RawMessage // entries of resources/templates/list
}

// A Tool is a listed tool with its sample call.
type Tool struct {
	Entry json.RawMessage // its entry in the result of tools/list
	Call  Call
}

// A Page is the documentation of a server. It is immutable.
type Page struct {
	Heading      string
	Name         string // name of the server, if the heading is its title
	Instructions []Paragraph
	Tools        []Entry
	Groups       Groups
	Prompts      []Entry
	Resources    Listing
	Templates    Listing
	Bytes        int // size of all tool entries
	Tokens       int // an estimate, see [lint.Tokens]
}

// An Entry is a tool or a prompt on the page.
type Entry struct {
	IsPrompt    bool
	Name        string
	Title       string // "" if it only repeats the name
	Anchor      string
	Summary     string // description in one line
	Description []Paragraph
	Badges      []Badge
	Input       *Sheet
	Output      *Sheet // nil without an output schema
	Example     Example
	Bytes       int
	Tokens      int
	Share       int    // in percent of the largest tool
	Meta        string // other members of the entry, as JSON; "" if none
	groups      []string
}

// A Paragraph is a list of lines.
type Paragraph []Line

// A Line is a line of text.
type Line []Span

// An Example is a sample call with its result.
type Example struct {
	Arguments string // JSON; "" if none
	Skipped   string
	Ending    Ending
	Varies    bool
	Blocks    []Shown
}

// Shown is a block of an outcome, ready for display.
type Shown struct {
	Label, Text, Rest string
	JSON              bool
}

// New creates the page of a server and its tools, in the given order.
func New(s Server, tools []Tool) *Page {
	p := &Page{Heading: cmp.Or(label(s.Title), label(s.Name), "Unnamed server"), Name: label(s.Name), Instructions: paragraphs(s.Instructions)}
	if p.Heading == p.Name {
		p.Name = ""
	}
	names := anchors{"tools": true, "about": true, "prompts": true, "resources": true, "templates": true, "groups": true}
	var sum group.Sum
	largest := 1
	for _, t := range tools {
		e := entryOf(t, names)
		p.Bytes += e.Bytes
		sum.AddTool(e.groups, e.Bytes)
		largest = max(largest, e.Bytes)
		p.Tools = append(p.Tools, e)
	}
	for i := range p.Tools {
		p.Tools[i].Share = max(1, p.Tools[i].Bytes*100/largest)
	}
	p.Tokens = lint.Tokens(p.Bytes)
	for _, prompt := range s.Prompts {
		e := promptOf(prompt, names)
		sum.AddPrompt(e.groups)
		p.Prompts = append(p.Prompts, e)
	}
	p.Resources, p.Templates = listingOf("URI", s.Resources, "uri", &sum), listingOf("Template", s.Templates, "uriTemplate", &sum)
	p.Groups = groupsOf(&sum)
	return p
}

// entryOf returns the page entry of a tool.
func entryOf(t Tool, names anchors) Entry {
	e, v := newEntry("tool", t.Entry, t.Call, names, "name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution")
	if v == nil {
		return e
	}
	e.Badges = append(badges(v), groupBadges(e.groups)...)
	e.Input = sheetOf(rawOf(v, "inputSchema"), e.Anchor+"-input", names)
	if v.Get("outputSchema") != nil {
		e.Output = sheetOf(rawOf(v, "outputSchema"), e.Anchor+"-output", names)
		e.Output.Sent = true
	}
	return e
}

// newEntry returns the parts that tools and prompts have in common, and the parsed entry; nil if it cannot be read.
// shown are the members that the page shows elsewhere.
func newEntry(kind string, entry json.RawMessage, call Call, names anchors, shown ...string) (Entry, *jsondoc.Value) {
	e := Entry{Input: new(Sheet), Bytes: lint.Size(entry), Example: exampleOf(call)}
	e.Tokens = lint.Tokens(e.Bytes)
	v, err := parseJSON(entry)
	if err != nil {
		e.Name, e.Anchor = "(unreadable)", names.name(kind, "unreadable")
		e.Description = paragraphs("Invalid entry in the list of " + kind + "s: " + err.Error())
		return e, nil
	}
	e.Name = label(v.Get("name").Text())
	e.Title = cmp.Or(label(v.Get("title").Text()), label(v.Get("annotations").Get("title").Text()))
	if e.Title == e.Name {
		e.Title = ""
	}
	e.Anchor = names.name(kind, e.Name)
	e.Description = paragraphs(v.Get("description").Text())
	e.Summary = firstSentence(v.Get("description").Text(), 160)
	if e.groups = groupNames(v); len(e.groups) > 0 && len(e.groups) <= maxGroupBadges && len(v.Get("_meta").Entries()) == 1 {
		shown = append(shown, "_meta")
	}
	if rest := v.Without(shown...); len(rest.Members) > 0 {
		e.Meta = whole(rest)
	}
	return e, v
}

// parseJSON parses a JSON value from a server.
func parseJSON(raw []byte) (*jsondoc.Value, error) { return strictjson.Parse(raw, strictjson.MaxDepth) }

// rawOf returns a member as JSON; {} if absent.
func rawOf(v *jsondoc.Value, name string) []byte {
	if member := v.Get(name); member != nil {
		return []byte(compact(member))
	}
	return []byte("{}")
}

func exampleOf(c Call) Example {
	e := Example{Skipped: label(c.Skipped), Ending: c.Outcome.Ending, Varies: c.Outcome.Varies}
	if v, err := parseJSON(c.Arguments); err == nil {
		e.Arguments = whole(v)
	}
	if c.Skipped != "" {
		return e
	}
	for _, b := range c.Outcome.Blocks {
		text, rest := b.cut()
		e.Blocks = append(e.Blocks, Shown{Label: label(b.Label), Text: text, Rest: rest, JSON: b.JSON})
	}
	return e
}

// whole formats a value, with a note on the omitted part if it is too long.
func whole(v *jsondoc.Value) string {
	text, rest := Block{Text: pretty(v)}.cut()
	if rest != "" {
		text += "\n… " + rest
	}
	return text
}

// paragraphs splits text at blank lines.
func paragraphs(text string) []Paragraph {
	var out []Paragraph
	for part := range strings.SplitSeq(strings.TrimSpace(visible(text)), "\n\n") {
		var p Paragraph
		for line := range strings.SplitSeq(strings.Trim(part, "\n"), "\n") {
			p = append(p, spans(strings.TrimRight(line, " \t")))
		}
		if len(p) > 1 || len(p[0]) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// A Badge is a label for the effects of a tool.
type Badge struct {
	Word  string
	Tone  string // good, bad, plain or unsaid
	Means string // a sentence
}

// badges returns the annotations of a tool, with the defaults that clients assume for absent ones.
func badges(v *jsondoc.Value) []Badge {
	hints := v.Get("annotations")
	var out []Badge
	if hints.Get("readOnlyHint").IsTrue() {
		out = append(out, Badge{"read-only", "good", "Annotated as read-only."})
	} else {
		out = append(out, writing(hints)...)
	}
	switch {
	case hints.Get("openWorldHint").IsTrue():
		out = append(out, Badge{"open world", "plain", "Annotated as open-world: it interacts with external systems, such as the web."})
	case hints.Get("openWorldHint").IsFalse():
		out = append(out, Badge{"closed world", "plain", "Annotated as closed-world: it does not interact with external systems."})
	}
	switch v.Get("execution").Get("taskSupport").Text() {
	case "required":
		out = append(out, Badge{"runs as a task", "plain", "Calls must run as tasks."})
	case "optional":
		out = append(out, Badge{"can run as a task", "plain", "Calls may run as tasks."})
	}
	return out
}

func writing(hints *jsondoc.Value) []Badge {
	var out []Badge
	switch destructive := hints.Get("destructiveHint"); {
	case destructive.IsTrue():
		out = append(out, Badge{"destructive", "bad", "Annotated as destructive: it may change or delete existing data."})
	case destructive.IsFalse():
		out = append(out, Badge{"adds only", "plain", "Annotated as not destructive: it adds data, and does not delete or overwrite any."})
	case hints.Get("readOnlyHint").IsFalse():
		out = append(out, Badge{"writes", "bad", "Annotated as not read-only, without a destructive hint; clients assume that it may delete data."})
	default:
		out = append(out, Badge{"may change things", "unsaid", "Not annotated as read-only; clients assume that it may change and delete data."})
	}
	if hints.Get("idempotentHint").IsTrue() {
		out = append(out, Badge{"idempotent", "good", "Annotated as idempotent: repeated calls with the same arguments have no further effect."})
	}
	return out
}

// InputTitle is the heading of the arguments of a tool or a prompt.
func (e Entry) InputTitle() string {
	if e.IsPrompt {
		return "Arguments"
	}
	return "Input"
}

// Cost returns the size of a tool in bytes and tokens.
func (e Entry) Cost() string {
	return thousands(e.Bytes) + " bytes, about " + thousands(e.Tokens) + " tokens"
}

// Counts returns the number of tools and their total size.
func (p *Page) Counts() string {
	return count(strconv.Itoa(len(p.Tools)), "tool") + ", " + thousands(p.Bytes) + " bytes, about " + thousands(p.Tokens) + " tokens"
}

// Others returns the numbers of prompts, resources and templates, without those that are zero.
func (p *Page) Others() []string {
	var out []string
	for _, list := range []struct {
		n     int
		thing string
	}{{len(p.Prompts), "prompt"}, {p.Resources.Total, "resource"}, {p.Templates.Total, "resource template"}} {
		if list.n > 0 {
			out = append(out, count(thousands(list.n), list.thing))
		}
	}
	return out
}
