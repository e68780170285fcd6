package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// A catalog holds everything that a server lists. A list is nil if the server does not declare it, except for tools.
type catalog struct {
	tools     []client.Tool
	prompts   []client.Prompt
	resources []client.Resource
	templates []client.Resource
}

// codeMethodNotFound is the JSON-RPC error code for an unknown method.
const codeMethodNotFound = -32601

// listFrom connects to the target and requests all its lists. A list that the server declares, but rejects as unknown, is
// noted and stays nil. The caller closes the client.
func (t *target) listFrom(ctx context.Context, con *console, o client.Options) (*client.Client, *catalog, error) {
	c, err := t.dial(ctx, con, o)
	if err != nil {
		return nil, nil, err
	}
	all := new(catalog)
	for _, list := range []func() error{
		func() (err error) { all.tools, err = c.Tools(ctx); return err },
		func() (err error) { all.prompts, err = c.Prompts(ctx); return con.excuse("prompts", err) },
		func() (err error) { all.resources, err = c.Resources(ctx); return con.excuse("resources", err) },
		func() (err error) {
			all.templates, err = c.ResourceTemplates(ctx)
			return con.excuse("resource templates", err)
		},
	} {
		if err := list(); err != nil {
			_ = c.Close() // the other error is more useful
			return nil, nil, err
		}
	}
	return c, all, nil
}

// excuse returns err, unless the server rejected the list method as unknown, which it notes instead.
func (c *console) excuse(list string, err error) error {
	if refused := (*client.RPCError)(nil); errors.As(err, &refused) && refused.Code == codeMethodNotFound {
		_, _ = fmt.Fprintf(c.err, "bench: the server declares %s, and does not list them: %s\n", list, terminal.OneLine(refused.Error())) // best effort
		return nil
	}
	return err
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
