package main

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// The objects of the protocol that prompts are made of.
type (
	prompt struct {
		Name        string           `json:"name"`
		Description string           `json:"description"`
		Arguments   []promptArgument `json:"arguments,omitempty"`
	}
	promptArgument struct {
		Name     string `json:"name"`
		Required bool   `json:"required"`
	}
	promptMessage struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	}
	textBlock struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	imageBlock struct {
		Type     string `json:"type"`
		Data     []byte `json:"data"`
		MIMEType string `json:"mimeType"`
	}
	resourceBlock struct {
		Type     string   `json:"type"`
		Resource contents `json:"resource"`
	}
)

type (
	listPromptsOut struct {
		Prompts []prompt `json:"prompts"`
	}
	getPromptIn struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	getPromptOut struct {
		Messages []promptMessage `json:"messages"`
	}
	// topic is what the user is asked for.
	topic struct {
		Context string `json:"context"`
	}
	completeOut struct {
		Completion struct {
			Values []string `json:"values"`
		} `json:"completion"`
	}
)

// promptMethods serve prompts, which the library leaves to who has some.
func promptMethods() []runtime.Method {
	return []runtime.Method{
		{Name: "prompts/list", Capability: "prompts", Handle: runtime.Typed(listPrompts)},
		{Name: "prompts/get", Capability: "prompts", Handle: runtime.Typed(getPrompt)},
		{Name: "completion/complete", Capability: "completions", Handle: runtime.Typed(complete)},
	}
}

// listPrompts answers prompts/list.
func listPrompts(context.Context, none) (listPromptsOut, error) {
	return listPromptsOut{Prompts: []prompt{
		{Name: "test_simple_prompt", Description: "Without arguments"},
		{Name: "test_prompt_with_arguments", Description: "With two arguments", Arguments: []promptArgument{{"arg1", true}, {"arg2", true}}},
		{Name: "test_prompt_with_embedded_resource", Description: "With a resource", Arguments: []promptArgument{{"resourceUri", true}}},
		{Name: "test_prompt_with_image", Description: "With an image"},
		{Name: "test_input_required_result_prompt", Description: "With something the user is asked for"},
	}}, nil
}

// getPrompt answers prompts/get.
func getPrompt(ctx context.Context, in getPromptIn) (any, error) {
	switch in.Name {
	case "test_simple_prompt":
		return say(textBlock{"text", "This is a simple prompt for testing."}), nil
	case "test_prompt_with_arguments":
		return say(textBlock{"text", fmt.Sprintf("Prompt with arguments: arg1=%q, arg2=%q", in.Arguments["arg1"], in.Arguments["arg2"])}), nil
	case "test_prompt_with_embedded_resource":
		return say(resourceBlock{"resource", contents{URI: in.Arguments["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}}), nil
	case "test_prompt_with_image":
		return say(imageBlock{"image", dot(), "image/png"}), nil
	case "test_input_required_result_prompt":
		return askingPrompt(ctx)
	default:
		return nil, &runtime.Error{Code: runtime.CodeInvalidParams, Message: "there is no prompt of this name"}
	}
}

// askingPrompt is a prompt for which the user is asked.
func askingPrompt(ctx context.Context) (any, error) {
	answer, err := mcptool.Elicit[topic](ctx, "What is this about?", mcptool.Key("user_context"))
	if err != nil {
		return nil, err
	}
	return say(textBlock{"text", "The context is: " + answer.Context}), nil
}

// say returns a prompt of one block.
func say(block any) getPromptOut {
	return getPromptOut{Messages: []promptMessage{{Role: "user", Content: block}}}
}

// complete answers completion/complete: it knows of nothing to complete.
func complete(context.Context, none) (completeOut, error) { return completeOut{}, nil }
