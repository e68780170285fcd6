package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"text/template"
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

// copyLocked returns the call as text, in the form that the request names.
func (c *call) copyLocked(r *http.Request) (any, error) {
	switch as := r.FormValue("as"); as {
	case "bench":
		return c.benchCommand()
	case "go":
		return c.goTest()
	default:
		return nil, fmt.Errorf("as is %q; it is bench or go", as)
	}
}

// benchCommand returns a command line of bench that repeats the call.
func (c *call) benchCommand() (plainText, error) {
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
		words = []string{"bench", "read", c.subject}
	default:
		if string(c.Arguments) != "{}" {
			words = append(words, compact(c.Arguments))
		}
		if c.AsTask {
			words = append(words, "--task")
		}
	}
	return plainText(strings.TrimSpace(shellWords(words) + " " + c.page.target())), nil
}

// target returns the TARGET of the server as a part of a command line, without secrets.
func (p *Page) target() string { return p.options.Redact(shellWords(p.options.Target)) }

// testFile is the file of a Go test that repeats a call.
var testFile = template.Must(template.New("").Funcs(template.FuncMap{"quote": goString}).Parse(`package main // or the package of your server

import (
{{- if .UsesJSON}}
	"encoding/json"
{{- end}}
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

func Test{{.Name}}(t *testing.T) {
	registry := mcptool.Default // or the registry of your server
	{{.Kind}}, ok := registry.{{.Lookup}}({{quote .Subject}})
	if !ok {
		t.Fatal({{print "the registry has no " .Kind " " .Subject | quote}})
	}
{{- if .IsError}}
	result, err := ({{.User}}).Call(t.Context(), tool, {{.Arguments}})
	if err == nil && !result.IsError {
		t.Errorf("got %v, want an error", result)
	}
{{- else}}
	got := mcptooltest.{{.Func}}(t, {{.User}}, {{.Kind}}, {{.Arguments}})
	if want := {{quote .Want}}; {{.Got}} != want {
		t.Errorf("got %s\nwant %s", {{.Got}}, want)
	}
{{- end}}
}
`))

// goTest returns the file of a Go test that repeats the call and expects the same result.
func (c *call) goTest() (plainText, error) {
	switch {
	case c.Result == nil:
		return "", errors.New("a test needs a call with a result")
	case c.ResultBytes > maxResult:
		return "", fmt.Errorf("the result has more than %d MiB, which is too large for a test", maxResult>>20)
	}
	var prompt client.PromptResult
	var resource client.ReadResult
	var tool struct {
		StructuredContent json.RawMessage `json:"structuredContent"`
		Content           json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(c.Result, map[string]any{"tool": &tool, "prompt": &prompt, "resource": &resource}[c.Kind]); err != nil {
		return "", err
	}
	data := struct {
		Name, Kind, Subject, User, Arguments string
		Lookup, Func                         string // the method of the registry, and the func that calls
		Got, Want                            string // the result as a string: an expression, and its value
		IsError, UsesJSON                    bool
	}{Name: goName(c.Name), Kind: c.Kind, Subject: c.subject, User: goClient(c.answers), Arguments: goJSON(c.Arguments), IsError: c.State == failed}
	switch {
	case c.Kind == "resource" && len(resource.Contents) == 1:
		text, err := resource.Contents[0].Bytes()
		if err != nil {
			return "", err
		}
		data.Lookup, data.Func, data.Arguments, data.Got, data.Want = "LookupResource", "ReadAs[[]byte]", goString(c.subject), "string(got)", string(text)
	case c.Kind == "resource":
		return "", errors.New("only a resource with one part can be copied as a test")
	case c.Kind == "prompt" && len(prompt.Messages) == 1 && prompt.Messages[0].Content.Type == "text":
		data.Lookup, data.Func, data.Got, data.Want = "LookupPrompt", "PromptAs[json.RawMessage, string]", "got", prompt.Messages[0].Content.Text
	case c.Kind == "prompt":
		return "", errors.New("only a prompt with one text can be copied as a test")
	case tool.StructuredContent != nil:
		data.Lookup, data.Func, data.Got, data.Want = "Lookup", "CallAs[json.RawMessage, json.RawMessage]", "string(got)", compact(tool.StructuredContent)
	default:
		data.Lookup, data.Func, data.Got, data.Want = "Lookup", "CallAs[json.RawMessage, *mcptool.Result]", "got.String()", `{"content":`+compact(tool.Content)+"}"
	}
	data.UsesJSON = strings.Contains(data.Func+data.User, "json.")
	var source strings.Builder
	err := testFile.Execute(&source, data)
	return plainText(source.String()), err
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
			values = append(values, goJSON(a.Content))
		}
	}
	if values == nil {
		return "&mcptooltest.Client{}"
	}
	return "&mcptooltest.Client{Answers: []any{" + strings.Join(values, ", ") + "}}"
}

// goJSON returns the expression of a JSON value.
func goJSON(text []byte) string { return "json.RawMessage(" + goString(compact(text)) + ")" }

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
	return cmp.Or(b.String(), "Call")
}

// compact returns JSON without insignificant white space.
func compact(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}
