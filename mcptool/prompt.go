package mcptool

import (
	"context"
	"encoding/json"
	"errors"
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
