package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/mcptool-go/mcptool/bench/internal/page"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/transcript"
)

// uiCmd is bench ui.
type uiCmd struct {
	target
	Addr string `help:"The address of the page; only this machine reaches it. Port 0 means a free one." default:"127.0.0.1:0" placeholder:"HOST:PORT"`
}

// Run serves the page until ctx ends.
func (u *uiCmd) Run(ctx context.Context, con *console) (err error) {
	to, err := u.prepare(con, &client.Options{}) // the secrets are known from here on
	if err != nil {
		return err
	}
	p := page.New(page.Options{
		Dial:   func(ctx context.Context, o client.Options) (*client.Client, error) { return u.dial(ctx, con, o) },
		Target: u.words(),
		Redact: con.redact,
		Save:   con.saveSession("# saved by bench ui: " + con.secrets.Text(to.String())),
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

// saveSession returns a func for [page.Options], which writes a transcript with a first comment. The page has hidden the secrets.
func (c *console) saveSession(comment string) func(io.Writer, []page.Message) error {
	return func(w io.Writer, messages []page.Message) error {
		if len(messages) == 0 || messages[0].Method != "initialize" && messages[0].Method != "server/discover" {
			return usageError("the page does not have the first messages of this session any more; bench record writes all messages")
		}
		to, err := transcript.NewWriter(w, nil, comment)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if m.Text == "" {
				return usageError("message %d has %d bytes, and the page does not keep such a message; bench record writes all messages", m.N, m.Bytes)
			}
			if err := to.Write(m.Direction == "toServer", json.RawMessage(m.Text)); err != nil {
				return err
			}
		}
		return nil
	}
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
	switch {
	case t.parsed.word != "":
		return append(words, t.parsed.word)
	case t.parsed.url != "":
		return append(words, t.parsed.url)
	}
	return append(append(words, "--"), t.parsed.command...)
}
