package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/bench/internal/terminal"
)

// A catalog holds everything that a server lists. A list is nil if the server does not declare it, except for tools.
type catalog struct {
	tools     []client.Tool
	prompts   []client.Prompt
	resources []client.Resource
	templates []client.Resource
	// broken describes the lists that the server declares but rejects, each with its error.
	broken []string
}

// codeMethodNotFound is the JSON-RPC error code for an unknown method.
const codeMethodNotFound = -32601

// listEverything requests all lists of a server. A declared method that the server rejects as unknown is not an error;
// it is recorded in broken.
func listEverything(ctx context.Context, c *client.Client) (catalog, error) {
	var all catalog
	for _, list := range []func() error{
		func() (err error) { all.tools, err = c.Tools(ctx); return err },
		func() (err error) { all.prompts, err = c.Prompts(ctx); return all.excuse("prompts", err) },
		func() (err error) { all.resources, err = c.Resources(ctx); return all.excuse("resources", err) },
		func() (err error) {
			all.templates, err = c.ResourceTemplates(ctx)
			return all.excuse("resource templates", err)
		},
	} {
		if err := list(); err != nil {
			return all, err
		}
	}
	return all, nil
}

// listFrom connects to the target, requests all its lists, and notes those that it rejects. The caller closes the client.
func (t *target) listFrom(ctx context.Context, con *console, o client.Options) (*client.Client, *catalog, error) {
	c, err := t.dial(ctx, con, o)
	if err != nil {
		return nil, nil, err
	}
	all, err := listEverything(ctx, c)
	if err != nil {
		_ = c.Close() // the other error is more useful
		return nil, nil, err
	}
	all.note(con)
	return c, &all, nil
}

// legacyTools returns the tools as listed for legacy clients; nil if the server does not support them.
func (t *target) legacyTools(ctx context.Context, con *console) ([]client.Tool, error) {
	legacy := *t
	legacy.Era = string(client.Legacy)
	c, err := legacy.dial(ctx, con, client.Options{})
	if err != nil {
		return nil, ctx.Err()
	}
	defer func() { _ = c.Close() }() // errors on close do not matter
	return c.Tools(ctx)
}

// excuse returns err, unless the server rejected the list method as unknown.
func (a *catalog) excuse(list string, err error) error {
	if refused := (*client.RPCError)(nil); errors.As(err, &refused) && refused.Code == codeMethodNotFound {
		a.broken = append(a.broken, fmt.Sprintf("the server declares %s, and does not list them: %s", list, terminal.OneLine(refused.Error())))
		return nil
	}
	return err
}

// counts returns the number of entries per list.
func (a *catalog) counts() string {
	return counts(len(a.tools), len(a.prompts), len(a.resources), len(a.templates))
}

// counts returns numbers of entries in words: always of tools, of the others only if there are any.
func counts(tools int, others ...int) string {
	words := []string{count(tools, "tool")}
	for i, thing := range []string{"prompt", "resource", "resource template"} {
		if others[i] > 0 {
			words = append(words, count(others[i], thing))
		}
	}
	return strings.Join(words, ", ")
}

// note writes the broken lists to stderr.
func (a *catalog) note(con *console) {
	for _, what := range a.broken {
		_, _ = fmt.Fprintf(con.err, "bench: %s\n", what) // best effort
	}
}

// entriesOf returns the JSON of each entry of a list; nil for nil. entry is a method of [client.Entry].
func entriesOf[T any](list []T, entry func(T) json.RawMessage) []json.RawMessage {
	if list == nil {
		return nil
	}
	all := make([]json.RawMessage, len(list))
	for i := range list {
		all[i] = entry(list[i])
	}
	return all
}
