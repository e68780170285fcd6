package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/bench/terminal"
)

// A dialogue asks a person at a terminal. Where there is none it asks nothing.
type dialogue struct {
	con     *console
	mu      sync.Mutex // held while one question is answered
	reading sync.Once
	wanted  chan struct{} // a line is to be read
	lines   chan string   // closed at the end of the input
}

func newDialogue(con *console) *dialogue {
	return &dialogue{con: con, wanted: make(chan struct{}, 1), lines: make(chan string)}
}

// people reports whether somebody is there: who can read the questions, and answer.
func (d *dialogue) people() bool { return d.con.inTerminal && d.con.errTerminal }

// say writes to the person.
func (d *dialogue) say(format string, args ...any) {
	_, _ = fmt.Fprintf(d.con.err, format, args...) // who cannot read cannot answer
}

// line reads a line. The error is io.EOF when the person has ended the input, or ctx's.
func (d *dialogue) line(ctx context.Context) (string, error) {
	d.reading.Do(func() {
		go func() { // it cannot be stopped while it reads, and ends with the process
			defer close(d.lines)
			in := bufio.NewReader(d.con.in)
			for range d.wanted {
				line, err := in.ReadString('\n')
				if err != nil && line == "" {
					return
				}
				d.lines <- strings.TrimSpace(line)
			}
		}()
	})
	select {
	case d.wanted <- struct{}{}:
	default: // it was asked for before, by somebody who has given up
	}
	select {
	case line, ok := <-d.lines:
		if !ok {
			return "", io.EOF
		}
		return line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// complete returns the arguments with those that the tool requires and that were not given,
// as the person says. Without a person, or for a schema that says nothing, they stay as they
// are: the server's own error is then what is shown.
func (d *dialogue) complete(ctx context.Context, tool *client.Tool, args json.RawMessage) (json.RawMessage, error) {
	if !d.people() {
		return args, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var given map[string]json.RawMessage
	if args != nil {
		if err := json.Unmarshal(args, &given); err != nil {
			return nil, err
		}
	}
	form := newForm(tool.InputSchema)
	added := map[string]json.RawMessage{}
	for i := range form.fields {
		f := &form.fields[i]
		if _, ok := given[f.name]; ok || !f.required {
			continue
		}
		value, err := d.ask(ctx, form, f)
		if errors.Is(err, io.EOF) {
			return nil, noError("%w", errCancelled)
		}
		if err != nil {
			return nil, err
		}
		if value != nil {
			added[f.name] = value
		}
	}
	if len(added) == 0 {
		return args, nil
	}
	return form.object(given, added)
}

// ask asks for one value until one fits; nil means that the person leaves it out.
func (d *dialogue) ask(ctx context.Context, form *form, f *field) (json.RawMessage, error) {
	d.say("%s", f.describe())
	for {
		d.say("%s: ", terminal.OneLine(f.label()))
		line, err := d.line(ctx)
		if err != nil {
			d.say("\n")
			return nil, err
		}
		value, err := f.read(line)
		if err == nil && value == nil {
			return nil, nil
		}
		if err == nil {
			err = form.check(f, value)
		}
		if err == nil {
			return value, nil
		}
		d.say("  %s\n", terminal.Printable(err.Error()))
	}
}

// elicit answers a question of the server.
func (d *dialogue) elicit(ctx context.Context, q client.Question) (client.Answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.people() {
		d.say("bench: the server asks %q; nobody is at a terminal to answer, so it is declined\n", terminal.OneLine(q.Message))
		return client.Answer{Action: "decline"}, nil
	}
	d.say("\nThe server asks: %s\n", terminal.Printable(q.Message))
	cancelled := client.Answer{Action: "cancel"}
	if q.Mode == "url" {
		d.say("Open this in a browser, if you trust it:\n  %s\n", terminal.OneLine(q.URL))
	}
	action, err := d.consent(ctx, q.Mode == "url")
	if err != nil || action != "accept" || q.Mode == "url" {
		return client.Answer{Action: action}, err
	}
	form := newForm(q.Schema)
	content := map[string]json.RawMessage{}
	for i := range form.fields {
		f := &form.fields[i]
		value, err := d.ask(ctx, form, f)
		if errors.Is(err, io.EOF) {
			return cancelled, nil
		}
		if err != nil {
			return cancelled, err
		}
		if value != nil {
			content[f.name] = value
		}
	}
	object, err := form.object(nil, content)
	return client.Answer{Action: "accept", Content: object}, err
}

// consent asks whether the person wants to answer at all.
func (d *dialogue) consent(ctx context.Context, done bool) (action string, err error) {
	prompt := "Answer it? [y]es, [d]ecline, [c]ancel"
	if done {
		prompt = "Done? [y]es, [d]ecline, [c]ancel"
	}
	for {
		d.say("%s: ", prompt)
		line, err := d.line(ctx)
		if errors.Is(err, io.EOF) {
			d.say("\n")
			return "cancel", nil
		}
		if err != nil {
			return "cancel", err
		}
		switch strings.ToLower(line) {
		case "", "y", "yes":
			return "accept", nil
		case "d", "n", "no", "decline":
			return "decline", nil
		case "c", "cancel":
			return "cancel", nil
		}
	}
}

// object returns an object of what was given and what was added, in the order of the form.
func (f *form) object(given, added map[string]json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	put := func(name string, value json.RawMessage) error {
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.Write(append(append(key, ':'), value...))
		return nil
	}
	for name, value := range sorted(given) {
		if err := put(name, value); err != nil {
			return nil, err
		}
	}
	for i := range f.fields {
		if value := added[f.fields[i].name]; value != nil {
			if err := put(f.fields[i].name, value); err != nil {
				return nil, err
			}
		}
	}
	return json.RawMessage("{" + b.String() + "}"), nil
}
