package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

// toolName is the name of the one tool that a child serves.
const toolName = "take"

// A tool is what a child is told to serve.
type tool struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema,omitempty"` // of one that is not typed
	Echo   bool            `json:"echo,omitempty"`   // it answers its arguments, under the same schema
}

// make makes the tool that t describes.
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
		})
	}
	return mcptool.NewRaw(toolName, t.Schema, func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Structured: args}, nil
	}, mcptool.OutputSchema(t.Schema))
}

// echo is a typed tool that answers what it is given.
func echo[T any]() (*mcptool.Tool, error) {
	return mcptool.New(func(_ context.Context, in T) (T, error) { return in, nil }, mcptool.Name(toolName))
}

// swallow is a typed tool that answers little.
func swallow[T any]() (*mcptool.Tool, error) {
	return mcptool.New(func(context.Context, T) (mcptool.Text, error) { return mcptool.Text{Text: "took it"}, nil }, mcptool.Name(toolName))
}
