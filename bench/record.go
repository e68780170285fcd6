package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/bench/internal/atomicfile"
	"github.com/mcptool-go/mcptool/bench/internal/proxy"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/redact"
	"github.com/mcptool-go/mcptool/internal/transcript"
)

// recordCmd is bench record.
type recordCmd struct {
	targetArgument
	Out    string   `help:"The file. If it exists, it is kept, and the new one is named session.2.txt, and so on." placeholder:"FILE" required:"" short:"o" predictor:"file"`
	HTTP   string   `name:"http" help:"Where clients connect instead of to the URL: a loopback address. The default is a free port of 127.0.0.1." placeholder:"ADDR"`
	Secret []string `help:"Keep a value out of the file: that of an environment variable, which is needed to replay it, or the text itself; may be repeated." placeholder:"NAME|VALUE" sep:"none"`
	Header []string `help:"Add a header to each request to a URL; may be repeated." placeholder:"'NAME: VALUE'" sep:"none" short:"H"`
	Env    []string `help:"Set a variable for the command, which inherits the environment; may be repeated." placeholder:"KEY=VALUE" sep:"none"`
}

// Help adds details to the short help in the command list.
func (*recordCmd) Help() string {
	return `In the configuration of a client, write "bench record --out FILE --" before the command of the server. For a URL, let the client
connect to the address that is shown. Tokens, passwords and other known secrets become "(hidden)" in the file, but secrets of another
form are not found: read the file before you share it.`
}

// Run passes messages until the server or the client ends.
func (r *recordCmd) Run(ctx context.Context, con *console) error {
	t := target{targetArgument: r.targetArgument, Header: r.Header, Env: r.Env}
	var o client.Options
	to, err := t.prepare(con, &o)
	if err != nil {
		return err
	}
	if r.HTTP != "" && to.URL == "" {
		return usageError("--http is for a URL; clients use a command over stdio, so leave --http out, or start an HTTP server and name its URL")
	}
	names, edit, err := r.secrets(con)
	if err != nil {
		return err
	}
	f, err := createNext(r.Out)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // each message was written
	w, err := transcript.NewWriter(f, edit, append([]string{"# recorded by bench record: " + con.secrets.Text(to.String())}, names...)...)
	if err != nil {
		return err
	}
	rec := &recording{to: w, con: con}
	_, _ = fmt.Fprintf(con.err, "bench: the messages are written to %s\n", f.Name()) // best effort
	return through(ctx, con, to, cmp.Or(r.HTTP, "127.0.0.1:0"), rec.filter)
}

// secrets returns the directives for the variables among the secrets, and a func that removes all secrets from a message.
func (r *recordCmd) secrets(con *console) (names []string, edit func([]byte) []byte, err error) {
	var secrets transcript.Secrets
	for _, secret := range r.Secret {
		value, isName := os.LookupEnv(secret)
		for _, env := range r.Env {
			if name, own, _ := strings.Cut(env, "="); name == secret {
				value, isName = own, true
			}
		}
		if !isName {
			value = secret
		}
		if !con.secrets.Add(value) {
			return nil, nil, usageError("--secret: the value is so short that other text may contain it; use one of 8 characters, or 5 with letters and digits")
		}
		shown := redact.Hidden
		if isName {
			names, shown = append(names, "%secret "+secret), "${"+secret+"}"
		}
		secrets.Add(shown, value)
	}
	return names, func(message []byte) []byte { return con.secrets.JSON(secrets.Hide(message)) }, nil
}

// createNext creates a file. If there is one of this name, it adds a number to the name.
func createNext(path string) (*os.File, error) {
	ext := filepath.Ext(path)
	for n, name := 2, path; ; n++ {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, usageError("%s cannot be written: %w", name, atomicfile.Cause(err))
		}
		name = fmt.Sprintf("%s.%d%s", strings.TrimSuffix(path, ext), n, ext)
	}
}

// A recording writes messages to a transcript.
type recording struct {
	con *console

	mu sync.Mutex
	to *transcript.Writer // nil after an error
}

// filter is a [proxy.Filter].
func (r *recording) filter(d proxy.Direction, message json.RawMessage) json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to != nil {
		if err := r.to.Write(d == proxy.ToServer, message); err != nil {
			r.to = nil
			_, _ = fmt.Fprintf(r.con.err, "bench: no more messages are written: %v\n", err) // the session continues
		}
	}
	return message
}
