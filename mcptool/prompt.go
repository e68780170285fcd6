package mcptool

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcptool-go/mcptool/internal/callsite"
)

// Prompt is a prompt: a template of messages that users choose, with its arguments and its func. Make one with
// [NewPrompt]. A Prompt is immutable and safe for concurrent use. The zero value is not usable: [Prompt.Get] returns an
// error, and [Registry.Add] refuses it.
//
// https://modelcontextprotocol.io/specification/draft/server/prompts
type Prompt struct {
	runner *Tool // runs the func with its limits, like a tool
	texts  textArguments
}

// RegisterPrompt defines a prompt from a func, as [NewPrompt] does, and adds it to [Default]. Like [Register] it panics
// with a [*RegisterError] that lists every mistake.
func RegisterPrompt[In, Out any](fn func(context.Context, In) (Out, error), opts ...PromptOption) {
	location := callerLocation()
	prompt, mistakes := definePrompt(erase(fn), opts, location)
	if len(mistakes) == 0 {
		mistakes = Default.addItems([]Item{prompt}, false)
	}
	mustRegister(location, mistakes)
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
		p.texts = d.textArguments(input, f.in)
	}
	c.render = d.promptRenderer(f.out)
	completions := d.completions(c.in, f.in, p.texts)
	runner, mistakes := d.build(f.name, location, input, structuredPart{}, func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
		values, err := p.texts.object(c.tool, args)
		if err != nil {
			return dst, nil, err
		}
		return f.call(ctx, c, values, dst)
	})
	p.runner = runner
	runner.settings.Completer = completions.tool(runner)
	return p, mistakes
}

// Get renders the prompt without a server. It is for tests and for adapters to other protocols. The arguments are
// strings, as clients send them.
//
// The errors are the same as for [Tool.Call]: an [*ArgumentError] if the arguments do not fit, in which case the func
// has not run, and so on.
func (p *Prompt) Get(ctx context.Context, args map[string]string) (*PromptResult, error) {
	if p.isEmpty() {
		return nil, errNoPrompt
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	res, err := p.runner.Call(ctx, raw)
	if err != nil {
		return nil, err
	}
	return renderedIn(res).Prompt, nil
}

// Info returns the prompt's name, texts, icons, _meta and scopes.
func (p *Prompt) Info() Info {
	if p.isEmpty() {
		return Info{}
	}
	return p.runner.Info()
}

// Arguments returns a copy of the descriptions of the arguments, in the order of the fields of In.
func (p *Prompt) Arguments() []PromptArgument {
	var list []PromptArgument
	for _, a := range p.texts {
		list = append(list, a.PromptArgument)
	}
	return list
}

func (p *Prompt) key() string {
	if p.runner == nil {
		return ""
	}
	return p.runner.settings.Name
}

func (p *Prompt) isEmpty() bool     { return p == nil || p.runner.isEmpty() }
func (p *Prompt) definedAt() string { return p.runner.location.String() }
func (*Prompt) itemKind() itemKind  { return kindPrompt }

// listed implements [item].
func (p *Prompt) listed() []any {
	if listed := p.runner.listed(); listed != nil {
		return append(listed, p.texts)
	}
	return nil
}

// errNoPrompt is the error of a Prompt that is nil or zero.
var errNoPrompt = errors.New("mcptool: the prompt is empty; make one with NewPrompt")
