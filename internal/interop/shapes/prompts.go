package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcptool-go/mcptool/mcptool"
)

// registerPrompts adds prompts with every type of argument and of content, and a tool that adds one.
func registerPrompts() {
	mcptool.RegisterPrompt(Everything, mcptool.Complete("text", completeText))
	mcptool.RegisterPrompt(Plain, mcptool.Title("Plain"))
	mcptool.RegisterPrompt(Refuse)
	mcptool.Register(TogglePrompt)
}

// EverythingIn has an argument of every kind.
type EverythingIn struct {
	_      struct{} `mcp:"title=Everything" doc:"Messages with content of every type"`
	Text   string   `json:"text" jsonschema:"minLength=1" doc:"A text"`
	Count  int      `json:"count" jsonschema:"minimum=1,maximum=9,default=1"`
	Shout  bool     `json:"shout,omitzero"`
	Choice string   `json:"choice" jsonschema:"enum=red,enum=green,default=red"`
}

// Everything returns a message of every type.
func Everything(_ context.Context, in EverythingIn) (*mcptool.PromptResult, error) {
	return &mcptool.PromptResult{
		Description: "All of it",
		Messages: []mcptool.Message{
			{Content: mcptool.Text{Text: fmt.Sprintf("%s %d %t %s", in.Text, in.Count, in.Shout, in.Choice)}},
			{Role: mcptool.RoleAssistant, Content: mcptool.Image{Data: []byte("png"), MIMEType: "image/png"}},
			{Content: mcptool.Audio{Data: []byte("wav"), MIMEType: "audio/wav"}},
			{Content: mcptool.ResourceLink{URI: "shapes:///text", Name: "text"}},
			{Content: mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "shapes:///text", MIMEType: "text/plain", Text: "a"}}},
			{Content: mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "shapes:///blob", MIMEType: "image/png", Blob: []byte("b")}}},
		},
	}, nil
}

// completeText suggests more values than are sent at once, and in green other ones than in red.
func completeText(_ context.Context, prefix string, in EverythingIn) (values []string, err error) {
	if in.Choice == "green" {
		return []string{"leaf"}, nil
	}
	for i := range 150 {
		values = append(values, fmt.Sprintf("%s%03d", prefix, i))
	}
	return values, nil
}

// Plain returns a text.
func Plain(context.Context, NoneOfAPrompt) (string, error) { return "Größe", nil }

// NoneOfAPrompt is an empty argument type with a description of the prompt.
type NoneOfAPrompt struct {
	_ struct{} `doc:"A text, without arguments"`
}

// Refuse returns an error that is not for clients.
func Refuse(context.Context, NoneOfAPrompt) (string, error) { return "", fmt.Errorf("a secret") }

// toggling makes concurrent calls add and remove in turn.
var toggling sync.Mutex

// TogglePrompt adds a prompt, or removes it if it exists; clients are notified of both.
func TogglePrompt(context.Context, None) (struct{}, error) {
	const name = "extra"
	toggling.Lock()
	defer toggling.Unlock()
	extra, err := mcptool.NewPrompt(Plain, mcptool.Name(name))
	if err != nil || mcptool.Default.Remove(extra) > 0 {
		return struct{}{}, err
	}
	return struct{}{}, mcptool.Default.Add(extra)
}
