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
	words := []string{"bench", "call", c.Name}
	switch c.Kind {
	case "prompt":
		words[1] = "prompt"
		for _, name := range slices.Sorted(maps.Keys(c.texts)) {
			words = append(words, name+"="+c.texts[name])
		}
	case "resource":
		words = []string{"bench", "read", c.uri}
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

// testFile is the file of a Go test: imports, name, kind, function of the registry, subject, error, and the statements.
const testFile = `package main // or the package of your server

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
`

// goTest returns the file of a Go test that repeats the call and expects the same result.
func (c *call) goTest() (string, error) {
	c.page.mu.Lock()
	result, user, isError := c.result, goClient(c.answers), c.State == failed
	c.page.mu.Unlock()
	switch {
	case result == nil:
		return "", errors.New("a test needs a call with a result")
	case len(result) > maxResult:
		return "", fmt.Errorf("the result has more than %d MiB, which is too large for a test", maxResult>>20)
	}
	subject, args := c.Name, "json.RawMessage("+goString(compact(c.arguments))+")"
	var got, text, want, lookup string // expressions: the call, its result as a string, and the expected string
	var err error
	switch c.Kind {
	case "tool":
		lookup = "Lookup"
		got, text, want, err = goTool(user, args, result)
	case "prompt":
		lookup, text = "LookupPrompt", "got"
		got = fmt.Sprintf("mcptooltest.PromptAs[json.RawMessage, string](t, %s, prompt, %s)", user, args)
		want, err = promptText(result)
	default:
		subject, lookup, text = c.uri, "LookupResource", "string(got)"
		got = fmt.Sprintf("mcptooltest.ReadAs[[]byte](t, %s, resource, %s)", user, goString(subject))
		want, err = resourceText(result)
	}
	if err != nil {
		return "", err
	}
	statements := fmt.Sprintf("got := %s\nif want := %s; %s != want {\nt.Errorf(\"got %%s\\nwant %%s\", %[3]s, want)\n}\n", got, goString(want), text)
	if isError {
		statements = fmt.Sprintf("result, err := (%s).Call(t.Context(), tool, %s)\nif err == nil && !result.IsError {\nt.Errorf(\"got %%v, want an error\", result)\n}\n", user, args)
	}
	imports := "\"testing\"\n"
	if strings.Contains(statements, "json.RawMessage") {
		imports = "\"encoding/json\"\n" + imports
	}
	source, err := format.Source(fmt.Appendf(nil, testFile, imports, goName(c.Name), c.Kind, lookup, goString(subject), goString("the registry has no "+c.Kind+" "+subject), statements))
	return string(source), err
}

// goTool returns the expressions for a call of a tool: the call, its result as a string, and what that must be.
func goTool(user, args string, result []byte) (got, text, want string, err error) {
	var r struct {
		StructuredContent json.RawMessage `json:"structuredContent"`
		Content           json.RawMessage `json:"content"`
	}
	err = json.Unmarshal(result, &r)
	out, text, want := "json.RawMessage", "string(got)", compact(r.StructuredContent)
	if r.StructuredContent == nil {
		out, text, want = "*mcptool.Result", "got.String()", `{"content":`+compact(r.Content)+"}"
	}
	return fmt.Sprintf("mcptooltest.CallAs[json.RawMessage, %s](t, %s, tool, %s)", out, user, args), text, want, err
}

// promptText returns the text of a prompt.
func promptText(result []byte) (string, error) {
	var r client.PromptResult
	if err := json.Unmarshal(result, &r); err != nil || len(r.Messages) != 1 || r.Messages[0].Content.Type != "text" {
		return "", errors.Join(errors.New("only a prompt with one text can be copied as a test"), err)
	}
	return r.Messages[0].Content.Text, nil
}

// resourceText returns the contents of a resource.
func resourceText(result []byte) (string, error) {
	var r client.ReadResult
	if err := json.Unmarshal(result, &r); err != nil || len(r.Contents) != 1 {
		return "", errors.Join(errors.New("only a resource with one part can be copied as a test"), err)
	}
	data, err := r.Contents[0].Bytes()
	return string(data), err
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
