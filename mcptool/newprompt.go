package mcptool

import (
	"context"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/callsite"
)

// RegisterPrompt defines a prompt from a func, as [NewPrompt] does, and adds it to [Default]. Like [Register] it panics
// with a [*RegisterError] that lists every mistake.
func RegisterPrompt[In, Out any](fn func(context.Context, In) (Out, error), opts ...PromptOption) {
	location := callerLocation()
	prompt, mistakes := definePrompt(erase(fn), opts, location)
	mustAdd(location, prompt, mistakes)
}

// NewPrompt defines a prompt from a func. The fields of In, a struct or a pointer to one, are the arguments of the
// prompt; struct{} means none. Clients send arguments as strings, which are parsed and checked like the arguments of a
// tool: numbers, booleans, enums, times and types with text methods. An empty string for an optional argument that
// cannot be an empty string means that it is absent, because forms send one for each field that the user left empty.
// Lists and objects cannot be arguments of a prompt and are mistakes.
//
// Out is the text of one message of the user (string), a [Message], a []Message, or a [*PromptResult]. [Complete]
// suggests values for an argument; values of an enum or a boolean are suggested without it.
//
// The func runs like the func of a tool: [Caller], [Logger], [Progress] and [Elicit] work. The client gets its error as
// a JSON-RPC error. A server may mask the text of an error that is not made by [Errorf].
//
// The error is a [*RegisterError] that lists every mistake in the signature, the types, the tags, the name and the options.
func NewPrompt[In, Out any](fn func(context.Context, In) (Out, error), opts ...PromptOption) (*Prompt, error) {
	location := callerLocation()
	prompt, mistakes := definePrompt(erase(fn), opts, location)
	return defined(location, prompt, mistakes)
}

// definePrompt builds the prompt of a func, or returns the mistakes.
func definePrompt(f authorFunc, opts []PromptOption, location *callsite.Site) (*Prompt, []Mistake) {
	d := definitionOf(f, kindPrompt, opts, PromptOption.applyToPrompt)
	d.deriveName(f.name)
	d.check()
	c := &codec{tool: d.Name}
	p := &Prompt{}
	input := d.compileIn(c, f.in)
	if input != nil {
		p.texts = newTextArguments(&d.findings, kindPrompt, input, f.in)
	}
	c.render = promptRenderer(&d.findings, d.Name, d.Description, f.out)
	completions := d.completions(c.in, f.in, p.texts)
	run := f.bind(c)
	runner, mistakes := d.build(f.name, location, input, structuredPart{}, func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
		values, err := p.texts.object(c.tool, args)
		if err != nil {
			return dst, nil, err
		}
		return run(ctx, values, dst)
	})
	p.runner = runner
	runner.settings.Completer = completions.tool(runner)
	return p, mistakes
}

// promptRenderer returns a func that turns results of type t into messages, and notes a mistake if t is not allowed.
func promptRenderer(fs *findings, name, description string, t reflect.Type) renderer {
	if !slices.Contains(promptTypes, t) {
		fs.typeMistake(t, "", "unsupported result type for a prompt",
			"return a string, mcptool.Message, []mcptool.Message or *mcptool.PromptResult")
		return nil
	}
	return func(_ context.Context, out reflect.Value) (*Result, error) {
		var p *PromptResult
		switch v := out.Addr().Interface().(type) {
		case *string:
			p = &PromptResult{Messages: []Message{{Content: Text{Text: *v}}}}
		case *Message:
			p = &PromptResult{Messages: []Message{*v}}
		case *[]Message:
			p = &PromptResult{Messages: *v}
		case **PromptResult:
			p = *v
		}
		done, err := finishPrompt(name, description, p)
		if err != nil {
			return nil, err
		}
		return rendered{Prompt: done}.result()
	}
}
