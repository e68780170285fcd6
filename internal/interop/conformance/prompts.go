package main

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

type twoArguments struct {
	_    struct{} `mcp:"name=test_prompt_with_arguments" doc:"With two arguments"`
	Arg1 string   `json:"arg1"`
	Arg2 string   `json:"arg2"`
}

type resourceArgument struct {
	_           struct{} `mcp:"name=test_prompt_with_embedded_resource" doc:"With a resource"`
	ResourceURI string   `json:"resourceUri"`
}

// topic is the form for the user.
type topic struct {
	Context string `json:"context"`
}

// addPrompts adds the prompts that the suite requires.
func addPrompts(registry *mcptool.Registry) error {
	var c collector[*mcptool.Prompt]
	c.add(mcptool.NewPrompt(func(context.Context, none) (string, error) {
		return "This is a simple prompt for testing.", nil
	}, mcptool.Name("test_simple_prompt"), mcptool.Description("Without arguments")))
	c.add(mcptool.NewPrompt(func(_ context.Context, in twoArguments) (string, error) {
		return fmt.Sprintf("Prompt with arguments: arg1=%q, arg2=%q", in.Arg1, in.Arg2), nil
	}, mcptool.Complete("arg1", func(context.Context, string, twoArguments) ([]string, error) { return nil, nil })))
	c.add(mcptool.NewPrompt(func(_ context.Context, in resourceArgument) (mcptool.Message, error) {
		return mcptool.Message{Content: mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: in.ResourceURI, MIMEType: "text/plain", Text: "Embedded resource content for testing."}}}, nil
	}))
	c.add(mcptool.NewPrompt(func(context.Context, none) (mcptool.Message, error) {
		return mcptool.Message{Content: mcptool.Image{Data: dot(), MIMEType: "image/png"}}, nil
	}, mcptool.Name("test_prompt_with_image"), mcptool.Description("With an image")))
	c.add(mcptool.NewPrompt(askingPrompt, mcptool.Name("test_input_required_result_prompt"), mcptool.Description("With something the user is asked for")))
	if c.err != nil {
		return c.err
	}
	return registry.Add(mcptool.Prompts(c.items))
}

// askingPrompt is a prompt that elicits user input.
func askingPrompt(ctx context.Context, _ none) (string, error) {
	answer, err := mcptool.Elicit[topic](ctx, "What is this about?", mcptool.Key("user_context"))
	if err != nil {
		return "", err
	}
	return "The context is: " + answer.Context, nil
}
