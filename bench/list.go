package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/group"
	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// listCmd is bench list. Of CLIENT: without a name, it lists the servers in the configuration of that client.
type listCmd struct {
	target
	JSON bool `help:"Print the server and its lists as JSON, unchanged."`
}

// Run prints the tools, prompts, resources and templates.
func (l *listCmd) Run(ctx context.Context, con *console) (err error) {
	if l.parsed.client != "" && !l.parsed.given() {
		return l.listConfigured(con)
	}
	c, all, err := l.listFrom(ctx, con, client.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // errors on close do not matter
	con.noteFaults(c)
	if l.JSON {
		return printJSON(con.out, listing(c.Server(), all))
	}
	return con.print(listText(c.Server(), all, con.width), tableColors)
}

// listing returns the JSON output of bench list.
func listing(s client.Server, all *catalog) any {
	type server struct {
		Name         string          `json:"name"`
		Title        string          `json:"title,omitempty"`
		Version      string          `json:"version"`
		Revision     string          `json:"revision"`
		Instructions string          `json:"instructions,omitempty"`
		Capabilities json.RawMessage `json:"capabilities,omitempty"`
	}
	return struct {
		Server    server            `json:"server"`
		Tools     []json.RawMessage `json:"tools"`
		Prompts   []json.RawMessage `json:"prompts,omitzero"` // absent if the server does not declare any; same below
		Resources []json.RawMessage `json:"resources,omitzero"`
		Templates []json.RawMessage `json:"resourceTemplates,omitzero"`
		Groups    []group.Size      `json:"groups,omitempty"`
	}{
		server{s.Name, s.Title, s.Version, s.Revision, s.Instructions, s.Capabilities},
		entriesOf(all.tools, client.Tool.Received), entriesOf(all.prompts, client.Prompt.Received),
		entriesOf(all.resources, client.Resource.Received), entriesOf(all.templates, client.Resource.Received),
		all.groups(),
	}
}

// printJSON prints v as indented JSON. Terminal control characters are escaped, which keeps the value exact.
func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(terminal.JSON(b.Bytes()))
	return err
}

// listText returns a table of tools and of each other non-empty list. Lines have at most width characters; 0 means no
// limit.
func listText(s client.Server, all *catalog, width int) string {
	var b strings.Builder
	head := fmt.Sprintf("%s, revision %s: %s", terminal.OneLine(s.Product()), s.Revision, all.counts())
	b.WriteString(strings.Join(terminal.Wrap(head, width), "\n") + "\n")
	for _, rows := range [][][]string{
		withGroups(toolRows(all.tools), groupsOf(all.tools, toolMeta)), withGroups(promptRows(all.prompts), groupsOf(all.prompts, promptMeta)),
		withGroups(resourceRows(all.resources), groupsOf(all.resources, resourceMeta)), withGroups(templateRows(all.templates), groupsOf(all.templates, resourceMeta)),
	} {
		if len(rows) > 1 {
			b.WriteString("\n" + terminal.Fit(withoutEmptyColumn(rows), width, nil))
		}
	}
	if sizes := all.groups(); len(sizes) > 0 {
		b.WriteString("\n" + groupsText(sizes, width))
	}
	return b.String()
}

// withoutEmptyColumn removes the last column of a table, the descriptions, if it is empty.
func withoutEmptyColumn(rows [][]string) [][]string {
	last := len(rows[0]) - 1
	if slices.ContainsFunc(rows[1:], func(row []string) bool { return row[last] != "" }) {
		return rows
	}
	for i := range rows {
		rows[i] = rows[i][:last]
	}
	return rows
}

// toolRows returns the table of tools.
func toolRows(tools []client.Tool) [][]string {
	rows := [][]string{{"NAME", "TITLE", "HINTS", "ARGUMENTS", "DESCRIPTION"}}
	for i := range tools {
		t := &tools[i]
		rows = append(rows, []string{terminal.OneLine(t.Name), terminal.OneLine(t.DisplayTitle()), hints(t), terminal.OneLine(signature(t.InputSchema)), brief(t.Description)})
	}
	return rows
}

// promptRows returns the table of prompts.
func promptRows(prompts []client.Prompt) [][]string {
	rows := [][]string{{"PROMPT", "TITLE", "ARGUMENTS", "DESCRIPTION"}}
	for i := range prompts {
		p := &prompts[i]
		words := make([]string, len(p.Arguments))
		for j, a := range p.Arguments {
			if words[j] = a.Name; !a.Required {
				words[j] += "?"
			}
		}
		rows = append(rows, []string{terminal.OneLine(p.Name), terminal.OneLine(p.Title), terminal.OneLine(strings.Join(words, ", ")), brief(p.Description)})
	}
	return rows
}

// resourceRows returns the table of resources.
func resourceRows(resources []client.Resource) [][]string {
	rows := [][]string{{"RESOURCE", "NAME", "TYPE", "SIZE", "DESCRIPTION"}}
	for i := range resources {
		r := &resources[i]
		size := ""
		if r.Size != nil {
			size = bytesize.Text(*r.Size)
		}
		rows = append(rows, []string{terminal.OneLine(r.URI), terminal.OneLine(cmp.Or(r.Title, r.Name)), terminal.OneLine(r.MIMEType), size, brief(r.Description)})
	}
	return rows
}

// templateRows returns the table of templates.
func templateRows(templates []client.Resource) [][]string {
	rows := resourceRows(templates)
	rows[0][0] = "TEMPLATE"
	for i := range templates {
		rows[i+1][0] = terminal.OneLine(templates[i].URITemplate)
	}
	for i := range rows {
		rows[i] = slices.Delete(rows[i], 3, 4) // a template has no size
	}
	return rows
}

// maxBrief is the maximum width of a description in a table, in columns. JSON has the full text.
const maxBrief = 80

// brief returns the first line of a description, truncated to maxBrief.
func brief(description string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(description), "\n")
	first = terminal.OneLine(first)
	if terminal.Width(first) <= maxBrief {
		return first
	}
	return terminal.Wrap(first, maxBrief-1)[0] + "…"
}

// count returns n with a noun, as in "3 tools".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// hints returns a short form of a tool's annotations.
func hints(t *client.Tool) string {
	var words []string
	say := func(hint *bool, yes, no string) {
		switch {
		case hint == nil:
		case *hint && yes != "":
			words = append(words, yes)
		case !*hint && no != "":
			words = append(words, no)
		}
	}
	if a := t.Annotations; a != nil {
		say(a.ReadOnlyHint, "read-only", "writes")
		additive := "additive"
		if a.ReadOnlyHint != nil && *a.ReadOnlyHint {
			additive = "" // it does not even add
		}
		say(a.DestructiveHint, "destructive", additive)
		say(a.IdempotentHint, "idempotent", "")
		say(a.OpenWorldHint, "open world", "closed world")
	}
	if e := t.Execution; e != nil && e.TaskSupport != "" && e.TaskSupport != "forbidden" {
		words = append(words, "task "+e.TaskSupport)
	}
	return strings.Join(words, ", ")
}

// signature returns a short form of the arguments of an input schema, in schema order: the name, ? if it is optional,
// and its type or values.
func signature(schema json.RawMessage) string {
	args := argumentsOf(schema)
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.name
		if !a.required {
			words[i] += "?"
		}
		if kind := a.kind(); kind != "" {
			words[i] += ": " + kind
		}
	}
	return strings.Join(words, ", ")
}
