package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/bench/internal/page"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// uiCmd is bench ui.
type uiCmd struct {
	target
	Addr string `help:"The address of the page; only this machine reaches it. Port 0 means a free one." default:"127.0.0.1:0" placeholder:"HOST:PORT"`
}

// Run serves the page until ctx ends.
func (u *uiCmd) Run(ctx context.Context, con *console) (err error) {
	var base client.Options
	to, err := u.prepare(con, &base)
	if err != nil {
		return err
	}
	p := page.New(page.Options{
		Dial: func(ctx context.Context, o client.Options) (*client.Client, error) {
			o.Era, o.Timeout, o.Transport, o.Stderr = base.Era, base.Timeout, base.Transport, base.Stderr
			return client.Dial(ctx, to, o)
		},
		Target: u.words(),
		Redact: con.redact,
	})
	defer func() { _ = p.Close() }() // nothing is left to save
	if err := p.Connect(ctx); err != nil {
		return err
	}
	url, err := p.Listen(u.Addr)
	if err != nil {
		return usageError("--addr: %w", err)
	}
	_, _ = fmt.Fprintf(con.err, "bench: open %s in a browser; it can call all tools of %s until bench is interrupted\n", url, terminal.OneLine(to.String())) // best effort
	<-ctx.Done()
	return ctx.Err()
}

// redact hides secrets in text, which may be JSON.
func (c *console) redact(text string) string {
	if json.Valid([]byte(text)) {
		return string(c.secrets.JSON([]byte(text)))
	}
	return c.secrets.Text(text)
}

// words returns the target with its flags as words of a command line.
func (t *target) words() []string {
	var words []string
	if t.Era != string(client.Auto) {
		words = append(words, "--era", t.Era)
	}
	if t.Timeout != 0 {
		words = append(words, "--timeout", t.Timeout.String())
	}
	for _, header := range t.Header {
		words = append(words, "--header", header)
	}
	for _, env := range t.Env {
		words = append(words, "--env", env)
	}
	if t.parsed.url != "" {
		return append(words, t.parsed.url)
	}
	return append(append(words, "--"), t.parsed.command...)
}
