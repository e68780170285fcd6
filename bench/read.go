package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/suggest"
)

// readCmd is bench read.
type readCmd struct {
	URI string `arg:"" help:"The URI of the resource, or a template such as orders://{id}; on a terminal, its variables are asked for, with the values that the server suggests."`
	target
	Var   []string `help:"Set a variable of the template; may be repeated." placeholder:"NAME=VALUE" sep:"none"`
	Watch bool     `help:"Subscribe to the resource, and read it again after each update, until interrupted." short:"w"`
	JSON  bool     `help:"Print the whole result as JSON."`
	answerFlags
	saveFlag
}

// setTarget sets the target, as [targetArgument.setTarget] does.
func (r *readCmd) setTarget(command string, parsed parsedTarget) error {
	if err := r.target.setTarget(command, parsed); err != nil {
		return err
	}
	return r.checkSubject(command, "URI", r.URI)
}

// Run reads the resource and shows its contents.
func (r *readCmd) Run(ctx context.Context, con *console) error {
	if _, err := r.server(); err != nil {
		return err
	}
	if err := r.check(con, r.JSON); err != nil {
		return err
	}
	vars, err := namedValues(r.Var)
	if err != nil {
		return usageError("--var: %w", err)
	}
	d, err := r.dialogue(con)
	if err != nil {
		return err
	}
	c, err := r.dial(ctx, con, client.Options{Notify: con.note, Elicit: d.elicit})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // errors on close do not matter
	uri, err := d.expand(ctx, c, r.URI, vars)
	if err != nil {
		return err
	}
	defer con.noteFaults(c)
	if r.Watch {
		return d.end(r.watch(ctx, con, c, uri))
	}
	return d.end(r.read(ctx, con, c, uri))
}

// read reads the resource once, and prints or writes its contents.
func (r *readCmd) read(ctx context.Context, con *console, c *client.Client, uri string) error {
	result, err := c.ReadResource(ctx, uri)
	if refused := (*client.RPCError)(nil); errors.As(err, &refused) && slices.Contains(notFound, refused.Code) {
		return nearResource(ctx, c, uri, err)
	}
	if err != nil {
		return err
	}
	switch {
	case r.JSON:
		return printJSON(con.out, result.Raw)
	case r.Save != "":
		return r.write(con, result.Contents)
	default:
		_, err = io.WriteString(con.out, contentsText(result))
		return err
	}
}

// notFound are the codes of servers for a resource that does not exist: resource not found, and invalid params. With any
// other code, the resource may exist.
var notFound = []int{-32002, -32602}

// nearResource adds the nearest listed URI to err, the error response of a server.
func nearResource(ctx context.Context, c *client.Client, uri string, err error) error {
	listed, listErr := c.Resources(ctx)
	if listErr != nil {
		return err
	}
	var uris []string
	for i := range listed {
		if listed[i].URI == uri {
			return err
		}
		uris = append(uris, listed[i].URI)
	}
	near := suggest.Nearest(uri, uris)
	if near == "" {
		return err
	}
	return fmt.Errorf("%w; did you mean %s?", err, terminal.OneLine(near))
}

// watch reads the resource now and after each update, until ctx ends.
func (r *readCmd) watch(ctx context.Context, con *console, c *client.Client, uri string) error {
	s, err := c.Subscribe(ctx, uri) // before reading, so that no update is missed
	if errors.Is(err, client.ErrNoSubscriptions) {
		if err := r.read(ctx, con, c, uri); err != nil {
			return err
		}
		return noError("%w: this was read once, and --watch cannot follow it", err)
	}
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // errors on close do not matter
	for {
		if err := r.read(ctx, con, c, uri); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case _, ok := <-s.Changed():
			if err := s.Err(); err != nil {
				return err
			}
			if !ok {
				return noError("the server has ended the subscription")
			}
		}
		_, _ = fmt.Fprintf(con.err, "updated: %s\n", terminal.OneLine(uri)) // best effort
	}
}

// contentsText formats contents for display: text unchanged, binary data as a one-line description. If there are
// several contents, each follows its URI.
func contentsText(r *client.ReadResult) string {
	if len(r.Contents) == 0 {
		return "(no contents)\n"
	}
	parts := make([]string, len(r.Contents))
	for i := range r.Contents {
		c := &r.Contents[i]
		switch {
		case c.Text == nil:
			parts[i] = described(c.URI, c.MIMEType, sizeOf(*c.Blob)) + "\n"
		case len(r.Contents) == 1:
			parts[i] = endOfLine(*c.Text)
		default:
			parts[i] = described(c.URI, c.MIMEType) + "\n" + endOfLine(*c.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// endOfLine returns text with exactly one trailing line break added.
func endOfLine(text string) string { return strings.TrimSuffix(text, "\n") + "\n" }
