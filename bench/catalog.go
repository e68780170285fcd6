package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/bench/terminal"
)

// A catalog is everything that a server lists. Lists of what it does not declare are nil, but for the tools.
type catalog struct {
	tools     []client.Tool
	prompts   []client.Prompt
	resources []client.Resource
	templates []client.Resource
	// broken are the lists that the server declares and does not have, each with its refusal.
	broken []string
}

// codeMethodNotFound is the JSON-RPC error of a server that does not know a method.
const codeMethodNotFound = -32601

// listEverything asks a server for all that it lists. A method that it declares and does not know is no error: it is noted
// as broken.
func listEverything(ctx context.Context, c *client.Client) (catalog, error) {
	var all catalog
	var err error
	if all.tools, err = c.Tools(ctx); err != nil {
		return all, err
	}
	prompts, err := c.Prompts(ctx)
	if all.prompts, err = prompts, all.excuse("prompts", err); err != nil {
		return all, err
	}
	resources, err := c.Resources(ctx)
	if all.resources, err = resources, all.excuse("resources", err); err != nil {
		return all, err
	}
	templates, err := c.ResourceTemplates(ctx)
	if all.templates, err = templates, all.excuse("resource templates", err); err != nil {
		return all, err
	}
	return all, nil
}

// excuse returns err, unless it is that the server does not know the method of a list.
func (a *catalog) excuse(list string, err error) error {
	if refused := (*client.RPCError)(nil); errors.As(err, &refused) && refused.Code == codeMethodNotFound {
		a.broken = append(a.broken, fmt.Sprintf("the server declares %s, and does not list them: %s", list, terminal.OneLine(refused.Error())))
		return nil
	}
	return err
}

// counts says how many there are of each: tools always, the rest if there are any.
func (a *catalog) counts() string {
	words := []string{count(len(a.tools), "tool")}
	for _, list := range []struct {
		n     int
		thing string
	}{{len(a.prompts), "prompt"}, {len(a.resources), "resource"}, {len(a.templates), "resource template"}} {
		if list.n > 0 {
			words = append(words, count(list.n, list.thing))
		}
	}
	return strings.Join(words, ", ")
}

// note writes what is broken to stderr.
func (a *catalog) note(con *console) {
	for _, what := range a.broken {
		_, _ = fmt.Fprintf(con.err, "bench: %s\n", what) // the lists are what counts
	}
}

// rawTools, rawPrompts and rawResources return entries as they came; nil for nil.
func rawTools(list []client.Tool) []json.RawMessage {
	return entriesOf(list, func(t *client.Tool) json.RawMessage { return t.Raw })
}

func rawPrompts(list []client.Prompt) []json.RawMessage {
	return entriesOf(list, func(p *client.Prompt) json.RawMessage { return p.Raw })
}

func rawResources(list []client.Resource) []json.RawMessage {
	return entriesOf(list, func(r *client.Resource) json.RawMessage { return r.Raw })
}

// entriesOf returns the JSON of each entry of a list; nil for nil.
func entriesOf[T any](list []T, entry func(*T) json.RawMessage) []json.RawMessage {
	if list == nil {
		return nil
	}
	all := make([]json.RawMessage, len(list))
	for i := range list {
		all[i] = entry(&list[i])
	}
	return all
}
