package mcptool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// before returns an invoke that asks the question of [AskFirst] and then runs the func of a tool.
func (q question) before(run invoke, tool string, input *reflectschema.Schema, coerce *bool) invoke {
	return func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
		args, err := fitArguments(ctx, tool, input, args, coerce)
		if err != nil {
			return dst, nil, err
		}
		message, err := q.about(args)
		if err == nil {
			err = Confirm(ctx, message)
		}
		if server := callctx.Of(ctx).Server; err == nil && server != nil {
			err = server.Admit()
		}
		if err != nil {
			return dst, nil, err
		}
		return run(ctx, args, dst)
	}
}

// A question is a text with arguments in it: literal, name, literal, name, literal.
type question struct {
	parts    []string
	defaults map[string]json.RawMessage // of arguments that may be left out
}

// parseQuestion reads a text with the names of arguments in braces, and reports mistakes in it.
func parseQuestion(text string, input *reflectschema.Schema, mistake func(reason, fix string)) question {
	q := question{defaults: map[string]json.RawMessage{}}
	var names []string
	for _, m := range jsondoc.Parse(input.JSON()).Get("properties").Entries() {
		names = append(names, m.Name)
		if value := m.Value.Get("default"); value != nil {
			q.defaults[m.Name] = value.AppendTo(nil)
		}
	}
	slices.Sort(names)
	rest := text
	for {
		literal, after, ok := strings.Cut(rest, "{")
		q.parts = append(q.parts, literal)
		if !ok {
			break
		}
		name, after, ok := strings.Cut(after, "}")
		switch {
		case !ok:
			mistake("a brace is not closed", "write the name of an argument in braces, {path}")
			return q
		case !slices.Contains(names, name):
			fix := "the arguments are " + strings.Join(names, " ")
			if near := suggest.Nearest(name, names); near != "" {
				fix = "write {" + near + "}"
			}
			mistake(fmt.Sprintf("unknown argument %q", name), fix)
		}
		q.parts = append(q.parts, name)
		rest = after
	}
	if strings.TrimSpace(text) == "" {
		mistake("the question is empty", "write what the user is to agree to")
	}
	return q
}

// maxAsked is how many characters of an argument a question contains at most.
const maxAsked = 2000

// about returns the question with the arguments of a call filled in. It returns an error if an argument is too long to
// show completely: the user must not agree to something that is not shown.
func (q question) about(args []byte) (string, error) {
	given := ask.Members(args)
	var b strings.Builder
	for i, part := range q.parts {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		value := given[part]
		if value == nil {
			value = q.defaults[part]
		}
		text := legible(value)
		if n := utf8.RuneCountInString(text); n > maxAsked {
			return "", Errorf("the user must confirm this call and can be shown at most %d characters of the argument %s, which has %d: pass a shorter value", maxAsked, part, n)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// legible formats an argument for the user: on one line, and without characters that change how the text around it
// reads. The model has chosen the argument, and could otherwise disguise it.
func legible(value json.RawMessage) string {
	text := string(value)
	switch {
	case value == nil:
		return "(none)"
	case rawjson.KindOf(value) == rawjson.String:
		_ = json.Unmarshal(value, &text) // cannot fail for a string
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\u00b7'
		}
		return r
	}, text)
}
