package main

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// promptCmd is bench prompt.
type promptCmd struct {
	Prompt string `arg:"" help:"The prompt to get."`
	target
	Arguments []string `arg:"" optional:"" help:"Its arguments: NAME=VALUE, repeated; or a JSON object, @FILE, or - for stdin. On a terminal, missing ones are asked for, with the values that the server suggests."`
	JSON      bool     `help:"Print the whole result as JSON."`
	answerFlags
}

// setTarget sets the target, as [targetArgument.setTarget] does.
func (p *promptCmd) setTarget(command string, parsed parsedTarget) error {
	p.Arguments = p.takePath(p.Arguments, parsed)
	if err := p.target.setTarget(command+" "+terminal.OneLine(p.Prompt), parsed); err != nil {
		return err
	}
	return p.checkSubject(command, "prompt", p.Prompt)
}

// Run gets the prompt and shows its messages.
func (p *promptCmd) Run(ctx context.Context, con *console) error {
	if _, err := p.server(); err != nil {
		return err
	}
	object, args, err := readArguments(con, p.Arguments)
	if err == nil && object != nil {
		args, err = textArguments(object)
	}
	if err != nil {
		return err
	}
	d, err := p.dialogue(con)
	if err != nil {
		return err
	}
	server, err := p.dial(ctx, con, client.Options{Notify: con.note, Elicit: d.elicit})
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }() // errors on close do not matter
	prompts, err := server.Prompts(ctx)
	if err != nil {
		return err
	}
	prompt, err := named("prompt", prompts, func(p *client.Prompt) string { return p.Name }, p.Prompt)
	if err != nil {
		return p.orHidden(err)
	}
	var fields []field
	for _, a := range prompt.Arguments {
		if a.Required {
			fields = append(fields, field{argument: argument{name: a.Name, Title: a.Title, Description: a.Description, required: true}})
		}
	}
	if args, err = d.askTexts(ctx, server, client.Reference{Prompt: p.Prompt}, fields, args); err != nil {
		return err
	}
	defer con.noteFaults(server)
	result, err := server.GetPrompt(ctx, p.Prompt, args)
	if err = d.end(err); err != nil {
		return err
	}
	if p.JSON {
		return printJSON(con.out, result.Raw)
	}
	_, err = io.WriteString(con.out, promptText(result))
	return err
}

// textArguments converts a JSON object to prompt arguments, which are strings. Numbers and booleans keep their JSON
// text.
func textArguments(object json.RawMessage) (map[string]string, error) {
	members, twice, err := strictjson.Members(object)
	if err != nil {
		return nil, usageError("the arguments: %v", err)
	}
	if len(twice) > 0 {
		return nil, usageError("the argument %q is there twice", twice[0])
	}
	args := map[string]string{}
	for name, value := range members {
		if kind := strictjson.Kind(value); slices.Contains([]string{"null", "an object", "an array"}, kind) {
			return nil, usageError("the argument %q is %s; arguments of prompts are strings", name, kind)
		}
		args[name] = bare(value)
	}
	return args, nil
}

// promptText formats the messages of a prompt: the role, and below it the indented content.
func promptText(r *client.PromptResult) string {
	var parts []string
	if r.Description != "" {
		parts = append(parts, terminal.OneLine(r.Description)+"\n")
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		parts = append(parts, terminal.OneLine(m.Role)+":\n  "+indented(contentText(&m.Content))+"\n")
	}
	if len(r.Messages) == 0 {
		parts = append(parts, "(no messages)\n")
	}
	return strings.Join(parts, "\n")
}
