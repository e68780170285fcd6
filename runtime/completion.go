package runtime

import (
	"bytes"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// lookUpReference finds the prompt or resource that has the argument to complete.
func (r *request) lookUpReference() *wireError {
	ref := wire.Member(r.params.Raw, r.method.subject.param)
	if rawjson.KindOf(ref) != rawjson.Object {
		return invalidParams("params.ref must be an object")
	}
	if err := checkCompletion(r.params.Raw); err != nil {
		return err
	}
	switch kind := wire.TextOf(wire.Member(ref, "type")); kind {
	case "ref/prompt":
		return lookUpPromptReference(r, wire.Member(ref, "name"))
	case "ref/resource":
		return lookUpTemplateReference(r, wire.Member(ref, "uri"))
	default:
		return invalidParams("params.ref.type must be ref/prompt or ref/resource")
	}
}

// checkCompletion checks the params, so that completers can rely on them.
func checkCompletion(params []byte) (err *wireError) {
	argument := wire.Member(params, "argument")
	if rawjson.KindOf(wire.Member(argument, "name")) != rawjson.String || rawjson.KindOf(wire.Member(argument, "value")) != rawjson.String {
		return invalidParams("params.argument must be an object with the strings name and value")
	}
	given := wire.Member(params, "context")
	if given == nil {
		return nil
	}
	others := wire.Member(given, "arguments")
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

// lookUpPromptReference finds the prompt with this name.
func lookUpPromptReference(r *request, name []byte) *wireError {
	if rawjson.KindOf(name) != rawjson.String {
		return invalidParams("params.ref.name must be a string")
	}
	text := string(rawjson.Unquote(name))
	p, ok := r.from.tools.LookupPrompt(text)
	if !ok {
		return unknownItem(r, text, &r.from.promptCatalog().list)
	}
	if completer := internals.PromptCompleter(p); completer != nil {
		r.target = r.from.promptCatalog().state(completer, r.method, appendCompletion)
		return nil
	}
	r.target = completesNothing(r.method, internals.PromptRunner(p), promptSubject)
	return nil
}

// lookUpTemplateReference finds the resource with this template or URI.
func lookUpTemplateReference(r *request, uri []byte) *wireError {
	if rawjson.KindOf(uri) != rawjson.String {
		return invalidParams("params.ref.uri must be a string")
	}
	text := string(rawjson.Unquote(uri))
	found, ok := r.from.tools.LookupTemplate(text)
	if !ok {
		return unknownTemplate(text)
	}
	if completer := internals.ResourceCompleter(found); completer != nil {
		r.target = r.from.resourceCatalog().state(completer, r.method, appendCompletion)
		return nil
	}
	r.target = completesNothing(r.method, internals.ResourceRunner(found), resourceSubject)
	return nil
}

// completesNothing returns the state of a prompt or resource without completions. It runs like other calls, so that its
// scopes and condition apply, but returns no suggestions.
func completesNothing(row *method, runner *mcptool.Tool, kind subjectKind) *toolState {
	return &toolState{tool: runner, row: row, kind: kind, pace: newPace(), render: func(c *call, dst []byte) ([]byte, error) {
		return c.from.appendResultTail(append(dst, `{"completion":{"values":[],"total":0,"hasMore":false}`...), c.version, nil), nil
	}}
}

// appendCompletion runs the completion of the call and appends its result.
func appendCompletion(c *call, dst []byte) ([]byte, error) {
	begin := len(dst)
	dst = append(dst, `{"completion":`...)
	start := len(dst)
	dst, _, err := invoke(c, dst)
	if err != nil {
		return dst[:begin], err
	}
	if redactor := c.from.redactor; redactor != nil {
		dst = redactor.AppendTexts(dst[:start], bytes.Clone(dst[start:]), func(member string) bool { return member == "values" })
	}
	return checkSize(c, c.from.appendResultTail(dst, c.version, nil), begin)
}
