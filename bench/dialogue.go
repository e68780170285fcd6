package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// A dialogue prompts the user on a terminal. Without a terminal it asks nothing.
type dialogue struct {
	con *console
	// answers and yes are the flags that answer questions of the server; nil and false without them. used has the fields
	// that the server has asked for, and wrong is the error of a question that the flags do not answer.
	answers map[string]string
	yes     bool
	used    map[string]bool
	wrong   error

	mu      sync.Mutex // held during a question
	reading sync.Once
	wanted  chan struct{} // signals that a line should be read
	lines   chan string   // closed at end of input
}

func newDialogue(con *console) *dialogue {
	return &dialogue{con: con, used: map[string]bool{}, wanted: make(chan struct{}, 1), lines: make(chan string)}
}

// people reports whether there is a user who sees questions and can answer them: stdin and stderr are terminals.
func (d *dialogue) people() bool { return d.con.inTerminal && d.con.errTerminal }

// say prints a message for the user to stderr, formatted as by [fmt.Printf].
func (d *dialogue) say(format string, args ...any) {
	_, _ = fmt.Fprintf(d.con.err, format, args...) // best effort: without stderr the user cannot answer
}

// line reads a line, without the line break. The error is io.EOF at the end of the input, or ctx's.
func (d *dialogue) line(ctx context.Context) (string, error) {
	d.reading.Do(func() {
		go func() { // a blocked read cannot be interrupted; the goroutine ends with the process
			defer close(d.lines)
			in := bufio.NewReader(d.con.in)
			for range d.wanted {
				line, err := in.ReadString('\n')
				if err != nil && line == "" {
					return
				}
				d.lines <- strings.TrimRight(line, "\r\n")
			}
		}()
	})
	select {
	case d.wanted <- struct{}{}:
	default: // an abandoned request for a line is still pending
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

// complete prompts for arguments that do not match the schema, and for required ones that are missing. Without a user, or
// if the schema does not describe its properties, it returns args unchanged and leaves the error to the server.
func (d *dialogue) complete(ctx context.Context, tool *client.Tool, args json.RawMessage) (json.RawMessage, error) {
	if !d.people() {
		return args, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	given := map[string]json.RawMessage{}
	if args != nil {
		if err := json.Unmarshal(args, &given); err != nil {
			return nil, err
		}
	}
	form := newForm(tool.InputSchema)
	if err := form.checkOthers(tool.InputSchema, given); err != nil {
		return nil, usageError("the arguments: %v; nothing was called", err)
	}
	changed := false
	for i := range form.fields {
		f := &form.fields[i]
		if value, ok := given[f.name]; ok {
			wrong := form.check(&f.argument, value)
			if wrong == nil {
				continue
			}
			d.complain(wrong)
		} else if !f.required {
			continue
		}
		value, err := d.ask(ctx, form, f)
		if errors.Is(err, io.EOF) {
			return nil, noError("%w", errCancelled)
		}
		if err != nil {
			return nil, err
		}
		changed = true
		if given[f.name] = value; value == nil {
			delete(given, f.name)
		}
	}
	if !changed {
		return args, nil
	}
	return json.Marshal(given)
}

// complain prints why an answer is invalid, with all lines indented.
func (d *dialogue) complain(err error) { d.say("  %s\n", indented(err.Error())) }

// indented returns text for the terminal, with all lines but the first indented.
func indented(text string) string {
	return strings.ReplaceAll(strings.TrimRight(terminal.Printable(text), "\n"), "\n", "\n  ")
}

// ask prompts for a value until one is valid; nil means that the user left it out.
func (d *dialogue) ask(ctx context.Context, form *form, f *field) (json.RawMessage, error) {
	d.say("%s", f.describe())
	return question(ctx, d, terminal.OneLine(f.label()), func(line string) (json.RawMessage, error) { return f.parse(form, line) })
}

// question prompts until parse accepts a line, without white space around it.
func question[T any](ctx context.Context, d *dialogue, prompt string, parse func(line string) (T, error)) (value T, err error) {
	for {
		d.say("%s: ", prompt)
		line, err := d.line(ctx)
		if err != nil {
			d.say("\n")
			return value, err
		}
		if value, err = parse(strings.TrimSpace(line)); err == nil {
			return value, nil
		}
		d.complain(err)
	}
}

// elicit answers an elicitation request of the server.
func (d *dialogue) elicit(ctx context.Context, q client.Elicitation) (client.ElicitResult, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	form := newForm(q.Schema)
	accepted := d.accepts(form)
	if !d.people() && !accepted {
		d.say("bench: the server asks %q; nobody is at a terminal to answer, so it is declined; %s\n", terminal.OneLine(q.Message), questionHint(form))
		return client.ElicitResult{Action: "decline"}, nil
	}
	if d.people() {
		d.say("\n")
	}
	d.say("The server asks: %s\n", indented(q.Message))
	if q.Mode == "url" {
		return d.visit(ctx, q.URL)
	}
	if !accepted {
		if form.isConfirmation() {
			return d.confirm(ctx, &form.fields[0])
		}
		if action, err := d.choose(ctx, "Answer it? ", consents); err != nil || action != "accept" {
			return client.ElicitResult{Action: action}, err
		}
	}
	cancelled := client.ElicitResult{Action: "cancel"}
	content := map[string]json.RawMessage{}
	for i := range form.fields {
		f := &form.fields[i]
		value, err := d.value(ctx, form, f)
		switch usage := (*exitError)(nil); {
		case errors.Is(err, io.EOF):
			return cancelled, nil
		case errors.As(err, &usage):
			d.wrong = err
			return cancelled, nil
		case err != nil:
			return cancelled, err
		case value != nil:
			content[f.name] = value
		}
	}
	object, err := json.Marshal(content)
	return client.ElicitResult{Action: "accept", Content: object}, err
}

// visit answers a question that is a URL to open. Acceptance means consent, not that the page was visited.
func (d *dialogue) visit(ctx context.Context, address string) (client.ElicitResult, error) {
	if at, err := url.Parse(address); err != nil || (at.Scheme != "https" && at.Scheme != "http") || at.Host == "" {
		d.say("bench: its URL is not one of http or https, so it is declined: %s\n", terminal.OneLine(address))
		return client.ElicitResult{Action: "decline"}, nil //nolint:nilerr // the user cannot visit it
	}
	d.say("Open this in a browser, if you trust it:\n  %s\n", terminal.OneLine(address))
	if d.yes {
		return client.ElicitResult{Action: "accept"}, nil
	}
	action, err := d.choose(ctx, "Done? ", consents)
	return client.ElicitResult{Action: action}, err
}

// A reply is a possible answer to a prompt.
type reply struct {
	prompt string   // as displayed: [y]es
	words  []string // accepted input, in lower case, shortest first
	action string
}

// consents are the replies to the question whether the user wants to answer.
var consents = []reply{
	{"[y]es", []string{"y", "yes", ""}, "accept"},
	{"[d]ecline", []string{"d", "decline", "n", "no"}, "decline"},
	{"[c]ancel", []string{"c", "cancel"}, "cancel"},
}

// confirm answers a form that consists of one boolean. It does not ask separately whether the user wants to answer.
func (d *dialogue) confirm(ctx context.Context, f *field) (client.ElicitResult, error) {
	replies := []reply{{"[y]es", yes, "true"}, {"[n]o", no, "false"}, {"[d]ecline", []string{"d", "decline"}, "decline"}, consents[2]}
	for i, r := range replies {
		if r.action == string(f.Default) {
			replies[i] = reply{r.prompt + " (default)", append(slices.Clone(r.words), ""), r.action}
		}
	}
	prompt := ""
	if title := strings.ToLower(f.Title); title != "yes" && title != "confirm" { // redundant with [y]es
		prompt = terminal.OneLine(f.heading()) + ": "
	}
	d.say("%s", f.describe())
	action, err := d.choose(ctx, prompt, replies)
	if err != nil || action == "decline" || action == "cancel" {
		return client.ElicitResult{Action: action}, err
	}
	return client.ElicitResult{Action: "accept", Content: fmt.Appendf(nil, "{%s:%s}", quoted(f.name), action)}, nil
}

// choose prompts until a reply is typed and returns its action; "cancel" at end of input.
func (d *dialogue) choose(ctx context.Context, prompt string, replies []reply) (action string, err error) {
	var offered, letters []string
	for _, r := range replies {
		offered, letters = append(offered, r.prompt), append(letters, r.words[0])
	}
	last := len(letters) - 1
	advice := "type " + strings.Join(letters[:last], ", ") + " or " + letters[last]
	action, err = question(ctx, d, prompt+strings.Join(offered, ", "), func(line string) (string, error) {
		for _, r := range replies {
			if slices.Contains(r.words, strings.ToLower(line)) {
				return r.action, nil
			}
		}
		if line == "" {
			return "", errors.New("an answer is needed; " + advice)
		}
		return "", fmt.Errorf("%q is not an answer to this; %s", line, advice)
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return cmp.Or(action, "cancel"), err
}
