package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/bench/terminal"
)

// listCmd is bench list.
type listCmd struct {
	target
	JSON bool `help:"Print the server and its tools as JSON, unchanged."`
}

// Run lists the tools.
func (l *listCmd) Run(ctx context.Context, con *console) (err error) {
	c, err := l.dial(ctx, con, client.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // what was to be known is known
	tools, err := c.Tools(ctx)
	if err != nil {
		return err
	}
	if l.JSON {
		return printJSON(con.out, listing(c.Server(), tools))
	}
	_, err = io.WriteString(con.out, listText(c.Server(), tools, con.width))
	return err
}

// listing is what bench list prints as JSON.
func listing(s client.Server, tools []client.Tool) any {
	type server struct {
		Name         string          `json:"name"`
		Title        string          `json:"title,omitempty"`
		Version      string          `json:"version"`
		Revision     string          `json:"revision"`
		Instructions string          `json:"instructions,omitempty"`
		Capabilities json.RawMessage `json:"capabilities,omitempty"`
	}
	raw := make([]json.RawMessage, len(tools))
	for i := range tools {
		raw[i] = tools[i].Raw
	}
	return struct {
		Server server            `json:"server"`
		Tools  []json.RawMessage `json:"tools"`
	}{server{s.Name, s.Title, s.Version, s.Revision, s.Instructions, s.Capabilities}, raw}
}

// printJSON prints v, laid out for people. Characters that steer terminals are escaped in it, so the value is exact.
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

// listText returns a table of tools, in lines of at most width characters unless it is 0.
func listText(s client.Server, tools []client.Tool, width int) string {
	var b strings.Builder
	head := fmt.Sprintf("%s, revision %s: %s", terminal.OneLine(s.Product()), s.Revision, count(len(tools), "tool"))
	b.WriteString(strings.Join(terminal.Wrap(head, width), "\n") + "\n")
	if len(tools) == 0 {
		return b.String()
	}
	rows := [][]string{{"NAME", "TITLE", "HINTS", "ARGUMENTS"}}
	for i := range tools {
		t := &tools[i]
		rows = append(rows, []string{terminal.OneLine(t.Name), terminal.OneLine(t.DisplayTitle()), hints(t), terminal.OneLine(signature(t.InputSchema))})
	}
	b.WriteByte('\n')
	b.WriteString(terminal.Fit(rows, width, nil))
	return b.String()
}

// count returns n things in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// hints returns a tool's annotations in short.
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
		say(a.DestructiveHint, "destructive", "additive")
		say(a.IdempotentHint, "idempotent", "")
		say(a.OpenWorldHint, "open world", "closed world")
	}
	if e := t.Execution; e != nil && e.TaskSupport != "" && e.TaskSupport != "forbidden" {
		words = append(words, "task "+e.TaskSupport)
	}
	return strings.Join(words, ", ")
}

// signature returns the arguments of an input schema in short, in the order of the schema:
// name, ? if it may be left out, and its type or its values.
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
