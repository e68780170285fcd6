package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// shellWords returns words quoted for bash and zsh. Invisible characters are written as escapes.
func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		text, err := syntax.Quote(word, syntax.LangBash)
		if err != nil { // it contains a NUL character, which no argument can have
			text = strconv.Quote(word)
		}
		quoted[i] = text
	}
	return strings.Join(quoted, " ")
}

// benchCommand returns a command line of bench that repeats a call.
func (p *Page) benchCommand(c *call) (string, error) {
	if strings.HasPrefix(c.Name, "-") {
		return "", fmt.Errorf("bench reads the name %q as a flag", c.Name)
	}
	var texts map[string]string
	if c.Kind != "tool" {
		if err := json.Unmarshal(c.arguments, &texts); err != nil {
			return "", err
		}
	}
	words := []string{"bench", "call", c.Name}
	switch c.Kind {
	case "prompt":
		words[1] = "prompt"
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			words = append(words, name+"="+texts[name])
		}
	case "resource":
		uri, err := c.uri()
		if err != nil {
			return "", err
		}
		words = []string{"bench", "read", uri}
	default:
		if string(c.arguments) != "{}" {
			words = append(words, compact(c.arguments))
		}
		if c.AsTask {
			words = append(words, "--task")
		}
	}
	line := shellWords(words)
	if target := p.options.Redact(shellWords(p.options.Target)); target != "" {
		line += " " + target
	}
	return line, nil
}

// goTest returns the file of a Go test that repeats a call and expects the same result.
func (p *Page) goTest(c *call) (string, error) {
	p.mu.Lock()
	result, answers, state := c.result, c.answers, c.State
	p.mu.Unlock()
	switch {
	case result == nil:
		return "", errors.New("a test needs a call with a result")
	case len(result) > maxResult:
		return "", fmt.Errorf("the result has more than %d MiB, which is too large for a test", maxResult>>20)
	}
	t := goTest{lookup: "Lookup", subject: c.Name, user: goClient(answers), args: "json.RawMessage(" + goString(compact(c.arguments)) + ")"}
	var statements string
	var err error
	switch c.Kind {
	case "tool":
		statements, err = t.tool(result, state == failed)
	case "prompt":
		t.lookup = "LookupPrompt"
		statements, err = t.prompt(result)
	default:
		t.lookup = "LookupResource"
		if t.subject, err = c.uri(); err == nil {
			statements, err = t.resource(result)
		}
	}
	if err != nil {
		return "", err
	}
	imports := "\"testing\"\n"
	if strings.Contains(statements, "json.RawMessage") {
		imports = "\"encoding/json\"\n" + imports
	}
	source, err := format.Source(fmt.Appendf(nil, `package main // or the package of your server

import (
	%s
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

func Test%s(t *testing.T) {
	registry := mcptool.Default // or the registry of your server
	%s, ok := registry.%s(%s)
	if !ok {
		t.Fatal(%s)
	}
%s}
`, imports, goName(c.Name), c.Kind, t.lookup, goString(t.subject), goString("the registry has no "+c.Kind+" "+t.subject), statements))
	return string(source), err
}

// uri returns the URI that the call of a resource reads.
func (c *call) uri() (string, error) {
	var variables map[string]string
	if err := json.Unmarshal(c.arguments, &variables); err != nil {
		return "", err
	}
	return expand(c.Name, variables)
}

// A goTest has parts of a test as Go source.
type goTest struct{ lookup, subject, user, args string }

// tool returns the statements that call a tool and compare the result.
func (t *goTest) tool(result []byte, isError bool) (string, error) {
	var r struct {
		StructuredContent json.RawMessage   `json:"structuredContent"`
		Content           []json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return "", err
	}
	switch {
	case isError:
		return fmt.Sprintf(`	result, err := (%s).Call(t.Context(), tool, %s)
	if err == nil && !result.IsError {
		t.Errorf("got %%v, want an error", result)
	}
`, t.user, t.args), nil
	case r.StructuredContent != nil:
		return fmt.Sprintf(`	got := mcptooltest.CallAs[json.RawMessage, json.RawMessage](t, %s, tool, %s)
	if want := %s; string(got) != want {
		t.Errorf("got %%s\nwant %%s", got, want)
	}
`, t.user, t.args, goString(compact(r.StructuredContent))), nil
	default:
		var blocks []string
		for _, block := range r.Content {
			blocks = append(blocks, compact(block))
		}
		return fmt.Sprintf(`	got := mcptooltest.CallAs[json.RawMessage, *mcptool.Result](t, %s, tool, %s)
	if want := %s; got.String() != want {
		t.Errorf("got %%v\nwant %%s", got, want)
	}
`, t.user, t.args, goString(`{"content":[`+strings.Join(blocks, ",")+`]}`)), nil
	}
}

// prompt returns the statements that render a prompt and compare its messages.
func (t *goTest) prompt(result []byte) (string, error) {
	var r client.PromptResult
	if err := json.Unmarshal(result, &r); err != nil {
		return "", err
	}
	if len(r.Messages) == 1 && r.Messages[0].Content.Type == "text" {
		return fmt.Sprintf(`	got := mcptooltest.PromptAs[json.RawMessage, string](t, %s, prompt, %s)
	if want := %s; got != want {
		t.Errorf("got %%q\nwant %%q", got, want)
	}
`, t.user, t.args, goString(r.Messages[0].Content.Text)), nil
	}
	return fmt.Sprintf(`	got := mcptooltest.PromptAs[json.RawMessage, []mcptool.Message](t, %s, prompt, %s)
	if len(got) != %d {
		t.Errorf("got %%d messages, want %[3]d: %%v", len(got), got)
	}
`, t.user, t.args, len(r.Messages)), nil
}

// resource returns the statements that read a resource and compare its contents.
func (t *goTest) resource(result []byte) (string, error) {
	var r client.ReadResult
	if err := json.Unmarshal(result, &r); err != nil {
		return "", err
	}
	if len(r.Contents) == 1 && r.Contents[0].Text != nil {
		return fmt.Sprintf(`	got := mcptooltest.ReadAs[string](t, %s, resource, %s)
	if want := %s; got != want {
		t.Errorf("got %%q\nwant %%q", got, want)
	}
`, t.user, goString(t.subject), goString(*r.Contents[0].Text)), nil
	}
	return fmt.Sprintf(`	got := mcptooltest.ReadAs[[]mcptool.ResourceContents](t, %s, resource, %s)
	if len(got) != %d {
		t.Errorf("got %%d contents, want %[3]d", len(got))
	}
`, t.user, goString(t.subject), len(r.Contents)), nil
}

// goClient returns the client of a test, with the answers of the user.
func goClient(answers []client.ElicitResult) string {
	var values []string
	for _, a := range answers {
		switch {
		case a.Action == "decline":
			values = append(values, "mcptooltest.RefusalDecline")
		case a.Action == "cancel":
			values = append(values, "mcptooltest.RefusalDismiss")
		case a.Content == nil: // a URL was visited
			values = append(values, "true")
		default:
			values = append(values, "json.RawMessage("+goString(compact(a.Content))+")")
		}
	}
	if values == nil {
		return "&mcptooltest.Client{}"
	}
	return "&mcptooltest.Client{Answers: []any{" + strings.Join(values, ", ") + "}}"
}

// goString returns a string literal. Invisible characters are written as escapes.
func goString(text string) string {
	if strconv.CanBackquote(text) && !strings.ContainsFunc(text, terminal.Hidden) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// goName returns the name of a tool, prompt or resource in the form of a Go identifier, for the name of a test.
func goName(name string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		first, size := utf8.DecodeRuneInString(word)
		b.WriteString(string(unicode.ToUpper(first)) + word[size:])
	}
	if b.Len() == 0 {
		return "Call"
	}
	return b.String()
}

// compact returns JSON without insignificant white space.
func compact(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}
