package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// A failure describes a call that failed, or was not possible.
type failure struct {
	document, tool string
	operation      string // as in the document; "" if no request arrived
	kind           failureKind
	text           string
	arguments      json.RawMessage
	exchange       *exchange // nil if there was none
	result         json.RawMessage
}

// A failureKind is the part of a call that failed.
type failureKind string

// The kinds of failures.
const (
	noArguments   failureKind = "no arguments"   // none could be made of the input schema
	noRequest     failureKind = "no request"     // or more than one
	badRequest    failureKind = "bad request"    // the document does not allow it
	lostArgument  failureKind = "lost argument"  // the request does not have it
	noResponse    failureKind = "no response"    // the lab has none
	errorResult   failureKind = "error result"   // for a successful response
	badResult     failureKind = "bad result"     // the output schema does not allow it
	lostInResult  failureKind = "lost in result" // a member of the response
	brokenSession failureKind = "broken session"
)

// A caller calls the tools of a server.
type caller struct {
	document string
	api      *api
	client   *client.Client
	calls    int // of each tool

	operations map[string]bool // that received a valid request
	total      int             // calls
	requests   int             // valid ones
	results    int             // that are complete and fit
	failures   []failure
}

// run calls each tool several times, with different arguments and responses.
func (c *caller) run(ctx context.Context) error {
	tools, err := c.client.Tools(ctx)
	if err != nil {
		return err
	}
	c.operations = map[string]bool{}
	for i := range tools {
		t := &tools[i]
		output, err := compile(t.OutputSchema)
		if err != nil {
			c.failures = append(c.failures, failure{document: c.document, tool: t.Name, kind: badResult, text: "output schema: " + err.Error()})
			continue
		}
		all := arguments(t.InputSchema, c.calls)
		if len(all) == 0 {
			c.failures = append(c.failures, failure{document: c.document, tool: t.Name, kind: noArguments})
		}
		for turn, args := range all {
			c.call(ctx, t.Name, args, turn, output)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// compile returns nil for no schema.
func compile(schema json.RawMessage) (*jsonschema.Schema, error) {
	if schema == nil {
		return nil, nil
	}
	d, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("output.json", d); err != nil {
		return nil, err
	}
	return c.Compile("output.json")
}

// huge matches integers that an int64 may not hold, which tools refuse though a schema without bounds allows them.
var huge = regexp.MustCompile(`\d{18}`)

// arguments returns different arguments that fit a schema: the example, then those with all properties, then samples.
func arguments(schema json.RawMessage, count int) []json.RawMessage {
	s, err := reflectschema.ParseSchema(schema)
	if err != nil {
		return nil
	}
	var fitting []json.RawMessage
	for _, sample := range samples.Of(s) {
		if sample.Fits && s.Check(sample.JSON) == nil && !huge.Match(sample.JSON) {
			fitting = append(fitting, sample.JSON)
		}
	}
	if len(fitting) == 0 {
		return nil
	}
	chosen := []json.RawMessage{fitting[0]}
	if all := complete(s, fitting); all != nil && !bytes.Equal(all, fitting[0]) {
		chosen = append(chosen, all)
	}
	for left := count - len(chosen); left > 0 && len(fitting) > 1; left-- {
		chosen = append(chosen, fitting[1+(left*7919)%(len(fitting)-1)])
	}
	return chosen[:min(len(chosen), count)]
}

// complete returns arguments with the properties of all of these, or nil if they do not fit together.
func complete(s *reflectschema.Schema, fitting []json.RawMessage) json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, one := range fitting {
		var members map[string]json.RawMessage
		if json.Unmarshal(one, &members) != nil {
			return nil
		}
		for name, value := range members {
			if all[name] == nil && string(value) != "null" {
				all[name] = value
			}
		}
	}
	data, err := json.Marshal(all)
	if err != nil || s.Check(data) != nil {
		return nil
	}
	return data
}

// call calls a tool and checks the request and the result.
func (c *caller) call(ctx context.Context, tool string, args json.RawMessage, turn int, output *jsonschema.Schema) {
	c.api.expect(turn%2 == 0, turn)
	c.total++
	result, err := c.client.Call(ctx, tool, args)
	f := failure{document: c.document, tool: tool, arguments: args}
	fail := func(kind failureKind, text string) {
		f.kind, f.text = kind, text
		c.failures = append(c.failures, f)
	}
	if err != nil {
		fail(brokenSession, err.Error())
		return
	}
	f.result = result.Raw
	exchanges := c.api.take()
	if len(exchanges) != 1 {
		fail(noRequest, fmt.Sprintf("%d requests: %s", len(exchanges), resultText(result)))
		return
	}
	e := &exchanges[0]
	f.exchange, f.operation = e, e.operation
	if e.invalid != nil {
		fail(badRequest, e.invalid.Error())
		return
	}
	if lost := e.lacks(args); len(lost) > 0 {
		fail(lostArgument, strings.Join(lost, ", "))
		return
	}
	c.requests++
	c.operations[e.operation] = true
	if e.unanswered != nil {
		fail(noResponse, e.unanswered.Error())
		return
	}
	if kind, text := judge(result, e, output); kind != "" {
		fail(kind, text)
		return
	}
	c.results++
}

// judge returns the mistake in the result for a successful response; the kind is "" if there is none.
func judge(result *client.Result, e *exchange, output *jsonschema.Schema) (kind failureKind, text string) {
	if result.IsError {
		return errorResult, resultText(result)
	}
	if output != nil {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(result.StructuredContent))
		if err != nil {
			return badResult, err.Error()
		}
		if err := output.Validate(v); err != nil {
			return badResult, err.Error()
		}
	}
	if result.StructuredContent == nil || !isJSON(e.mediaType) {
		return "", ""
	}
	var sent, got any
	if err := decode(e.response, &sent); err != nil {
		return badResult, err.Error()
	}
	if err := decode(result.StructuredContent, &got); err != nil {
		return badResult, err.Error()
	}
	if lost := missing(sent, got, ""); len(lost) > 0 {
		if o, isObject := got.(map[string]any); isObject && len(o) == 1 { // lists and scalars are wrapped in an object
			for _, only := range o {
				if _, isObject := sent.(map[string]any); !isObject {
					lost = missing(sent, only, "")
				}
			}
		}
		if len(lost) > 0 {
			return lostInResult, strings.Join(lost, ", ")
		}
	}
	return "", ""
}

func resultText(r *client.Result) string {
	var texts []string
	for _, c := range r.Content {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "\n")
}

// decode decodes JSON, with numbers as they are written.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(v)
}

// missing returns the pointers of values that got does not have, or has in another way. A null may be missing.
func missing(sent, got any, pointer string) (lost []string) {
	switch sent := sent.(type) {
	case map[string]any:
		o, isObject := got.(map[string]any)
		if !isObject {
			return []string{pointer + ": not an object"}
		}
		for name, v := range sent {
			if other, ok := o[name]; ok || v != nil {
				lost = append(lost, missing(v, other, pointer+"/"+name)...)
			}
		}
		slices.Sort(lost)
		return lost
	case []any:
		list, isList := got.([]any)
		if !isList || len(list) != len(sent) {
			return []string{pointer + ": not a list of the same length"}
		}
		for i, v := range sent {
			lost = append(lost, missing(v, list[i], fmt.Sprintf("%s/%d", pointer, i))...)
		}
		return lost
	case json.Number:
		if n, isNumber := got.(json.Number); isNumber && sameNumber(sent.String(), n.String()) {
			return nil
		}
	default:
		if sent == got {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: %v became %v", pointer, sent, got)}
}

func sameNumber(a, b string) bool {
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	return okX && okY && x.Cmp(y) == 0
}

// lacks returns the pointers of strings and numbers in the arguments that the request has nowhere.
func (e *exchange) lacks(args json.RawMessage) []string {
	var v any
	if err := decode(args, &v); err != nil {
		return []string{err.Error()}
	}
	return absent(v, "", e.values())
}

// ownHeaders are headers that no argument is sent in.
var ownHeaders = []string{"Accept", "Accept-Encoding", "Content-Length", "User-Agent"}

// values returns the texts that a request consists of, decoded.
func (e *exchange) values() (texts []string) {
	path, query, _ := strings.Cut(e.url, "?")
	body := string(e.body)
	texts = []string{path, query, body}
	for _, escaped := range []string{path, query, body} {
		if text, err := url.QueryUnescape(escaped); err == nil {
			texts = append(texts, text)
		}
		if text, err := url.PathUnescape(escaped); err == nil {
			texts = append(texts, text)
		}
	}
	for name, values := range e.header {
		if slices.Contains(ownHeaders, name) {
			continue
		}
		for _, value := range values {
			texts = append(texts, value)
			if text, err := url.PathUnescape(value); err == nil {
				texts = append(texts, text)
			}
		}
	}
	var v any
	if decode(e.body, &v) == nil {
		texts = append(texts, leaves(v)...)
	}
	return texts
}

// leaves returns the strings and numbers of a value.
func leaves(v any) (texts []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, m := range v {
			texts = append(append(texts, name), leaves(m)...)
		}
	case []any:
		for _, item := range v {
			texts = append(texts, leaves(item)...)
		}
	case string:
		texts = []string{v}
	case json.Number:
		texts = []string{v.String()}
	}
	return texts
}

// absent returns the pointers of strings and numbers that occur in none of the texts.
func absent(v any, pointer string, texts []string) (lost []string) {
	in := func(part string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return hasWord(text, part) })
	}
	switch v := v.(type) {
	case map[string]any:
		for name, m := range v {
			lost = append(lost, absent(m, pointer+"/"+name, texts)...)
		}
		slices.Sort(lost)
	case []any:
		for i, item := range v {
			lost = append(lost, absent(item, fmt.Sprintf("%s/%d", pointer, i), texts)...)
		}
	case string:
		if bytes, err := base64.StdEncoding.DecodeString(v); !in(v) && (err != nil || !in(string(bytes))) { // base64 of a file
			lost = append(lost, fmt.Sprintf("%s: %q", pointer, v))
		}
	case json.Number:
		if !slices.ContainsFunc(texts, func(text string) bool { return hasNumber(text, v.String()) }) {
			lost = append(lost, fmt.Sprintf("%s: %s", pointer, v))
		}
	}
	return lost
}

var numbers = regexp.MustCompile(`-?\d+(\.\d+)?([eE][+-]?\d{1,3})?`)

// hasNumber reports whether a text has a number, in any form.
func hasNumber(text, number string) bool {
	return hasWord(text, number) || slices.ContainsFunc(numbers.FindAllString(text, -1), func(n string) bool { return sameNumber(n, number) })
}

// hasWord reports whether a text has a part that is not inside of a longer word or number.
func hasWord(text, part string) bool {
	if part == "" {
		return true
	}
	for start := 0; ; {
		at := strings.Index(text[start:], part)
		if at < 0 {
			return false
		}
		at += start
		end := at + len(part)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[end:])
		first, _ := utf8.DecodeRuneInString(part)
		last, _ := utf8.DecodeLastRuneInString(part)
		inside := isWord(before) && isWord(first) || isWord(last) && isWord(after)
		if !inside {
			return true
		}
		start = at + utf8.RuneLen(first)
	}
}

func isWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
