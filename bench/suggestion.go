package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// A suggester returns values that begin with the typed text.
type suggester func(ctx context.Context, typed string) (*client.Completion, error)

// askTexts returns the given values, and prompts for the values of the other fields of a prompt or a template. Without a
// user it returns the given values unchanged, and leaves the error to the caller or the server.
func (d *dialogue) askTexts(ctx context.Context, c *client.Client, of client.Reference, fields []field, given map[string]string) (map[string]string, error) {
	if !d.people() {
		return given, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	values := map[string]string{}
	maps.Copy(values, given)
	for i := range fields {
		f := &fields[i]
		if _, ok := values[f.name]; ok {
			continue
		}
		value, err := d.askText(ctx, f, suggestions(c, of, f.name, values))
		if err != nil {
			return nil, err
		}
		if value != "" {
			values[f.name] = value
		}
	}
	return values, nil
}

// suggestions returns a suggester that requests completions from the server, which may depend on the other arguments. An
// error response means no suggestions.
func suggestions(c *client.Client, of client.Reference, name string, others map[string]string) suggester {
	return func(ctx context.Context, typed string) (*client.Completion, error) {
		found, err := c.Complete(ctx, of, name, typed, others)
		if refused := (*client.RPCError)(nil); errors.As(err, &refused) {
			return &client.Completion{}, nil
		}
		return found, err
	}
}

// askText prompts for text. It returns "" if the user leaves it out, and an error at the end of the input. A tab after
// typed text shows the values with that prefix.
func (d *dialogue) askText(ctx context.Context, f *field, suggest suggester) (string, error) {
	d.say("%s", f.describe())
	shown, err := d.showSuggestions(ctx, suggest, "")
	if err != nil {
		return "", err
	}
	offers := len(shown) > 0
	for {
		d.say("%s: ", terminal.OneLine(f.textLabel(shown, offers)))
		line, err := d.line(ctx)
		if errors.Is(err, io.EOF) {
			d.say("\n")
			return "", noError("%w", errCancelled)
		}
		if err != nil {
			return "", err
		}
		if typed, tab := strings.CutSuffix(line, "\t"); tab && offers {
			if shown, err = d.showSuggestions(ctx, suggest, strings.TrimSpace(typed)); err != nil {
				return "", err
			}
			if len(shown) == 0 {
				d.complain(errors.New("the server suggests nothing that begins so"))
			}
			continue
		}
		value := strings.TrimSpace(line)
		n, notNumber := strconv.Atoi(value)
		switch {
		case value == "" && f.required:
			d.complain(errors.New("it is required; Ctrl-D cancels"))
		case notNumber == nil && numbered(shown) && n >= 1 && n <= len(shown):
			return shown[n-1], nil
		default:
			return value, nil
		}
	}
}

// maxSuggestions is the maximum number of values shown.
const maxSuggestions = 10

// showSuggestions shows and returns the first suggestions of the server. The caller holds d.mu.
func (d *dialogue) showSuggestions(ctx context.Context, suggest suggester, typed string) ([]string, error) {
	d.mu.Unlock() // the server may send an elicitation before it answers
	found, err := suggest(ctx, typed)
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

// textLabel returns the prompt of a field for text with suggestions.
func (f *field) textLabel(shown []string, offers bool) string {
	note := "text"
	if numbered(shown) {
		note = "a number, or a text"
	}
	if offers {
		note += "; its beginning and Tab, Enter for suggestions"
	}
	if !f.required {
		note += "; may be left out"
	}
	return fmt.Sprintf("%s (%s)", f.heading(), note)
}
