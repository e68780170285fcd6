package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/bench/internal/terminal"
)

// A textQuestion prompts for text, with optional suggestions from the server.
type textQuestion struct {
	name, title, description string
	required                 bool
	// suggest returns values that begin with the typed text; nil if the server has no suggestions.
	suggest func(ctx context.Context, typed string) (*client.Completion, error)
}

// completePrompt prompts for required arguments that are missing. Without a user it returns args unchanged and leaves
// the error to the server.
func (d *dialogue) completePrompt(ctx context.Context, c *client.Client, prompt *client.Prompt, args map[string]string) (map[string]string, error) {
	if !d.people() {
		return args, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	args = maps.Clone(args)
	if args == nil {
		args = map[string]string{}
	}
	for _, a := range prompt.Arguments {
		if _, given := args[a.Name]; given || !a.Required {
			continue
		}
		q := textQuestion{name: a.Name, title: a.Title, description: a.Description, required: true}
		q.suggest = suggestions(c, client.Reference{Prompt: prompt.Name}, a.Name, args)
		value, _, err := d.askText(ctx, &q)
		if err != nil {
			return nil, err
		}
		args[a.Name] = value
	}
	return args, nil
}

// suggestions returns a func that requests completions from the server, which may depend on the other arguments. An
// error response means no suggestions.
func suggestions(c *client.Client, of client.Reference, name string, others map[string]string) func(context.Context, string) (*client.Completion, error) {
	if !c.Declares("completions") {
		return nil
	}
	return func(ctx context.Context, typed string) (*client.Completion, error) {
		found, err := c.Complete(ctx, of, name, typed, others)
		if refused := (*client.RPCError)(nil); errors.As(err, &refused) {
			return &client.Completion{}, nil
		}
		return found, err
	}
}

// askText prompts for text. It returns false if the user leaves it out, and an error at the end of the input. A tab
// after typed text shows the values with that prefix.
func (d *dialogue) askText(ctx context.Context, q *textQuestion) (value string, given bool, err error) {
	if q.description != "" {
		d.say("%s\n", terminal.OneLine(q.description))
	}
	shown, err := d.showSuggestions(ctx, q, "")
	if err != nil {
		return "", false, err
	}
	offers := len(shown) > 0
	for {
		d.say("%s: ", terminal.OneLine(q.label(shown, offers)))
		line, err := d.rawLine(ctx)
		if errors.Is(err, io.EOF) {
			d.say("\n")
			return "", false, noError("%w", errCancelled)
		}
		if err != nil {
			return "", false, err
		}
		if typed, tab := strings.CutSuffix(line, "\t"); tab && offers {
			if shown, err = d.showSuggestions(ctx, q, strings.TrimSpace(typed)); err != nil {
				return "", false, err
			}
			if len(shown) == 0 {
				d.complain(errors.New("the server suggests nothing that begins so"))
			}
			continue
		}
		value := strings.TrimSpace(line)
		n, notNumber := strconv.Atoi(value)
		switch {
		case value == "" && q.required:
			d.complain(errors.New("it is required; Ctrl-D cancels"))
		case notNumber == nil && numbered(shown) && n >= 1 && n <= len(shown):
			return shown[n-1], true, nil
		default:
			return value, value != "", nil
		}
	}
}

// maxSuggestions is the maximum number of values shown.
const maxSuggestions = 10

// showSuggestions shows and returns the first suggestions of the server. The caller holds d.mu.
func (d *dialogue) showSuggestions(ctx context.Context, q *textQuestion, typed string) ([]string, error) {
	if q.suggest == nil {
		return nil, nil
	}
	d.mu.Unlock() // the server may send an elicitation before it answers
	found, err := q.suggest(ctx, typed)
	d.mu.Lock()
	if err != nil {
		return nil, err
	}
	shown := found.Values[:min(len(found.Values), maxSuggestions)]
	for i, value := range shown {
		number := ""
		if numbered(shown) {
			number = strconv.Itoa(i+1) + ") "
		}
		d.say("  %s%s\n", number, terminal.OneLine(value))
	}
	more := len(found.Values) - len(shown)
	if found.Total != nil {
		more = max(more, *found.Total-len(shown))
	}
	switch {
	case more > 0:
		d.say("  … and %d more\n", more)
	case found.HasMore:
		d.say("  … and more\n")
	}
	return shown, nil
}

// numbered reports whether values can be chosen by number. They cannot if a value is a number itself.
func numbered(values []string) bool {
	for _, value := range values {
		if _, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
			return false
		}
	}
	return len(values) > 0
}

// label returns the prompt of a question.
func (q *textQuestion) label(shown []string, offers bool) string {
	note := "text"
	if numbered(shown) {
		note = "a number, or a text"
	}
	if offers {
		note += "; its beginning and Tab, Enter for suggestions"
	}
	if !q.required {
		note += "; may be left out"
	}
	name := q.name
	if q.title != "" && q.title != q.name {
		name += ", " + q.title
	}
	return fmt.Sprintf("%s (%s)", name, note)
}
