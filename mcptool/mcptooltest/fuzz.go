package mcptooltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Fuzz is the body of a fuzz test that calls a tool with random arguments:
//
//	func FuzzGetWeather(f *testing.F) { mcptooltest.Fuzz(f, weather) }
//
// Its seeds are the calls of [Check], and it fails for the same reasons, except that it does not make each call twice.
// The command go test runs the seeds; go test -fuzz=FuzzGetWeather generates further arguments from them.
func Fuzz(f *testing.F, tool *mcptool.Tool, opts ...Option) {
	f.Helper()
	new(Client).Fuzz(f, tool, opts...)
}

// Fuzz is [Fuzz] with calls by the client, as in [Client.Check].
func (c *Client) Fuzz(f *testing.F, tool *mcptool.Tool, opts ...Option) {
	f.Helper()
	fuzz(f, c, tool, unwatched, opts...)
}

// FuzzPrompt is the body of a fuzz test that renders a prompt with random arguments, as [Fuzz] is for tools:
//
//	func FuzzReview(f *testing.F) { mcptooltest.FuzzPrompt(f, review) }
//
// The arguments are a JSON object, as clients send it. Its seeds are the calls of [Check], and it fails for the same
// reasons.
func FuzzPrompt(f *testing.F, prompt *mcptool.Prompt, opts ...Option) {
	f.Helper()
	new(Client).FuzzPrompt(f, prompt, opts...)
}

// FuzzPrompt is [FuzzPrompt] with calls by the client, as in [Client.Check].
func (c *Client) FuzzPrompt(f *testing.F, prompt *mcptool.Prompt, opts ...Option) {
	f.Helper()
	fuzzPrompt(f, c, prompt, unwatched, opts...)
}

// FuzzResource is the body of a fuzz test that reads random URIs from a resource, most useful for one with a template:
//
//	func FuzzOrders(f *testing.F) { mcptooltest.FuzzResource(f, orders) }
//
// Its seeds are the calls of [Check] and the first of the listed resources, and it fails for the same reasons: a URI
// that matches is answered with contents, or with the error that it is not found or does not fit, or an error of the
// func; one that does not match is not found. With [mcptool.ListWith] it also requests pages with random cursors: each
// is answered with an error, or with a page whose resources can be read.
func FuzzResource(f *testing.F, resource *mcptool.Resource, opts ...Option) {
	f.Helper()
	new(Client).FuzzResource(f, resource, opts...)
}

// FuzzResource is [FuzzResource] with calls by the client, as in [Client.Check].
func (c *Client) FuzzResource(f *testing.F, resource *mcptool.Resource, opts ...Option) {
	f.Helper()
	fuzzResource(f, c, resource, unwatched, opts...)
}

// unwatched is the around of a fuzz test without anything to do.
func unwatched() func() { return func() {} }

// fuzz is [Client.Fuzz]; around is called before each execution, and the func that it returns after it.
func fuzz(f *testing.F, c *Client, tool *mcptool.Tool, around func() func(), opts ...Option) {
	f.Helper()
	s := newSettings(f, c, subjects{tools: []*mcptool.Tool{tool}}, opts)
	ctx := context.Background() // f.Context ends before the calls begin
	tr, err := newTrial(ctx, tool, s)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { tr.close(ctx) })
	tr.skip(f)
	calls, err := tr.plan()
	if err != nil {
		f.Fatal(err)
	}
	tr.tell(f)
	for _, c := range calls {
		f.Add(c.args)
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		defer around()()
		fits, skip := tr.takes(args)
		if skip {
			t.Skip("not a JSON object")
		}
		tr.report = report{noun: tr.noun, name: tr.name}
		for k := range tr.peers {
			tr.try(t.Context(), k, &call{args: args, about: foundByFuzzer, fits: fits}, false)
		}
		for _, text := range tr.failures {
			t.Error(text)
		}
	})
}

// maxFuzzDepth is the maximum nesting depth of fuzzed arguments. A server rejects messages that are nested more deeply.
const maxFuzzDepth = 200

// isSendable reports whether args is an object that can be sent as arguments. Other texts would break the message
// around them, which is not a test of the tool. The schema can be any.
func isSendable(schema *reflectschema.Schema, args []byte) bool {
	// Only the white space of JSON may surround the object: a vertical tab would break the message.
	if !bytes.HasPrefix(bytes.TrimLeft(args, " \t\r\n"), []byte("{")) || !json.Valid(args) || depth(args) > maxFuzzDepth {
		return false
	}
	bad, ok := errors.AsType[*reflectschema.InvalidError](schemas.Judge(schema, args))
	return !ok || bad.Violations[0].Keyword != "json"
}

// depth returns the maximum nesting depth of JSON; brackets in strings also count.
func depth(raw []byte) (deepest int) {
	open := 0
	for _, b := range raw {
		switch b {
		case '{', '[':
			open++
			deepest = max(deepest, open)
		case '}', ']':
			open--
		}
	}
	return deepest
}
