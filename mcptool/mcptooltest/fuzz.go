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
	fuzz(f, tool, unwatched, opts...)
}

// fuzz is Fuzz, with something done before and after each execution.
func fuzz(f *testing.F, tool *mcptool.Tool, around func() func(), opts ...Option) {
	f.Helper()
	s := newSettings(f, subjects{tools: []*mcptool.Tool{tool}}, opts)
	ctx := context.Background() // that of f ends before the calls begin
	tr, err := newTrial(ctx, tool, s)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { tr.close(ctx) })
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

// maxFuzzDepth is how deep the arguments of a fuzzer may nest: a server takes no deeper messages.
const maxFuzzDepth = 200

// takes reports whether arguments fit the tool, and whether they are none.
func (t *trial) takes(args []byte) (fits, skip bool) {
	if !isSendable(t.tool.InputSchema(), args) {
		return false, true
	}
	return t.accepts(args), false
}

// accepts reports whether the tool accepts the arguments, which need not fit its schema as they are.
func (t *trial) accepts(args []byte) bool {
	coerce := t.tool.Coerce()
	return schemas.JudgeArguments(t.tool.InputSchema(), args, coerce != nil && *coerce) == nil
}

// isSendable reports whether text is an object that can be sent as arguments: what breaks the message around it is refused
// with that. Any schema will do.
func isSendable(schema *reflectschema.Schema, args []byte) bool {
	// Only what JSON takes for white space may be around it: a vertical tab breaks the message, too.
	if !bytes.HasPrefix(bytes.TrimLeft(args, " \t\r\n"), []byte("{")) || !json.Valid(args) || depth(args) > maxFuzzDepth {
		return false
	}
	bad, ok := errors.AsType[*reflectschema.InvalidError](schemas.Judge(schema, args))
	return !ok || bad.Violations[0].Keyword != "json"
}

// depth returns how deep JSON nests, at most; brackets in texts count.
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
