package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

// toolName is the name of the only tool of a child.
const toolName = "take"

// A tool describes the tool of a child.
type tool struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema,omitempty"` // if not typed
	Echo   bool            `json:"echo,omitempty"`   // the result is the arguments, with the same schema
	Coerce bool            `json:"coerce,omitempty"` // values of wrong types are converted; if not typed
}

// make creates the described tool.
func (t *tool) make() (*mcptool.Tool, error) {
	if t.Schema == nil {
		made, ok := typed[t.Name]
		if !ok {
			return nil, fmt.Errorf("there is no typed tool %q", t.Name)
		}
		return made()
	}
	if !t.Echo {
		return mcptool.NewRaw(toolName, t.Schema, func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: fmt.Sprint("took ", len(args))}}}, nil
		}, mcptool.Coerce(t.Coerce))
	}
	return mcptool.NewRaw(toolName, t.Schema, func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Structured: args}, nil
	}, mcptool.OutputSchema(t.Schema), mcptool.Coerce(t.Coerce))
}

// echo returns a typed tool that returns its arguments.
func echo[T any]() (*mcptool.Tool, error) {
	return mcptool.New(func(_ context.Context, in T) (T, error) { return in, nil }, mcptool.Name(toolName))
}

// swallow returns a typed tool with a small result.
func swallow[T any]() (*mcptool.Tool, error) {
	return mcptool.New(func(context.Context, T) (mcptool.Text, error) { return mcptool.Text{Text: "took it"}, nil }, mcptool.Name(toolName))
}
