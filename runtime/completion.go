package runtime

import (
	"fmt"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// completions completes the arguments of prompts and the variables of resources.
type completions struct {
	prompts   *promptLists
	resources *resourceLists
}

// areOffered reports whether the server completes something.
func (c completions) areOffered(v wire.Version) bool {
	return c.prompts.isOffered(v) && c.prompts.catalog().completions || c.resources.isOffered(v) && c.resources.catalog().completions
}

// find finds the prompt or resource that has the argument to complete.
func (c completions) find(r *request) *wireError {
	ref := rawjson.Lookup(r.params.Raw, r.method.subject.param)
	if rawjson.KindOf(ref) != rawjson.Object {
		return invalidParams("params.ref must be an object")
	}
	if err := checkCompletion(r.params.Raw); err != nil {
		return err
	}
	switch kind := wire.TextOf(rawjson.Lookup(ref, "type")); kind {
	case "ref/prompt":
		return c.findPrompt(r, rawjson.Lookup(ref, "name"))
	case "ref/resource":
		return c.findTemplate(r, rawjson.Lookup(ref, "uri"))
	default:
		return invalidParams("params.ref.type must be ref/prompt or ref/resource")
	}
}

// checkCompletion checks the params, so that completers can rely on them.
func checkCompletion(params []byte) (err *wireError) {
	argument := rawjson.Lookup(params, "argument")
	if rawjson.KindOf(rawjson.Lookup(argument, "name")) != rawjson.String || rawjson.KindOf(rawjson.Lookup(argument, "value")) != rawjson.String {
		return invalidParams("params.argument must be an object with the strings name and value")
	}
	given := rawjson.Lookup(params, "context")
	if given == nil {
		return nil
	}
	others := rawjson.Lookup(given, "arguments")
	if rawjson.KindOf(given) != rawjson.Object || others != nil && rawjson.KindOf(others) != rawjson.Object {
		return invalidParams("params.context must be an object, and its arguments too")
	}
	wire.Entries(others, func(_ string, value []byte) {
		if rawjson.KindOf(value) != rawjson.String {
			err = invalidParams("params.context.arguments must be an object of strings")
		}
	})
	return err
}

// findPrompt finds the prompt with this name.
func (c completions) findPrompt(r *request, name []byte) *wireError {
	if rawjson.KindOf(name) != rawjson.String {
		return invalidParams("params.ref.name must be a string")
	}
	text, cat := string(rawjson.Unquote(name)), c.prompts.catalog()
	p, ok := c.prompts.core.tools.LookupPrompt(text)
	if !ok {
		return unknownItem(r, text, &cat.list)
	}
	r.target = cat.completion(r.method, internals.Runner(p))
	return r.authorize(c.prompts.absent)
}

// findTemplate finds the resource with this template or URI.
func (c completions) findTemplate(r *request, uri []byte) *wireError {
	if rawjson.KindOf(uri) != rawjson.String {
		return invalidParams("params.ref.uri must be a string")
	}
	text := string(rawjson.Unquote(uri))
	found, ok := internals.LookupTemplate(c.resources.core.tools, text)
	if !ok {
		return unknownTemplate(text)
	}
	r.target = c.resources.catalog().completion(r.method, internals.Runner(found))
	return r.authorize(c.resources.absent)
}

// completion returns the state for completing an argument. A prompt or resource without completer also runs like other
// calls, so that its scopes and condition apply, but returns no suggestions.
func (s *states) completion(row *method, runner *mcptool.Tool) *toolState {
	if completer := internals.Settings(runner).Completer; completer != nil {
		return s.state(completer, row, runCompleter)
	}
	made := &toolState{row: row, kind: s.kind, render: func(c *call, dst []byte) ([]byte, error) {
		return appendCompletion(c, dst, nil, 0), nil
	}}
	made.describe(runner)
	return made
}

// runCompleter runs the completer of the call and appends the result.
func runCompleter(c *call, dst []byte) ([]byte, error) {
	_, rest, err := invoke(c, nil)
	if err != nil {
		return dst, err
	}
	found := internals.Rendered(rest)
	return checkSize(c, appendCompletion(c, dst, found.Values, found.Total), len(dst))
}

// appendCompletion appends the result of a completion with the first of the total suggestions.
func appendCompletion(c *call, dst []byte, values []string, total int) []byte {
	dst = append(dst, `{"completion":{"values":[`...)
	for _, value := range values {
		dst = rawjson.AppendText(rawjson.AppendComma(dst), c.from.redactor.Clean(value)) // shown to people
	}
	dst = fmt.Appendf(dst, `],"total":%d,"hasMore":%t}`, total, total > len(values))
	return c.from.serverInfo.AppendTail(dst, wire.Complete, c.version, nil)
}
