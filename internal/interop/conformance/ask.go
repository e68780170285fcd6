package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/mcptool"
)

type (
	// PromptIn holds the arguments of test_sampling.
	PromptIn struct {
		Prompt string `json:"prompt"`
	}
	// MessageIn holds the arguments of test_elicitation.
	MessageIn struct {
		Message string `json:"message"`
	}
	// account, person, taste and consent are forms for users.
	account struct {
		Username string `json:"username"`
		Email    string `json:"email"`
	}
	person struct {
		Name string `json:"name"`
	}
	taste struct {
		Color string `json:"color"`
	}
	consent struct {
		OK bool `json:"ok"`
	}
	// profile has a default for every type.
	profile struct {
		Name     string  `json:"name" jsonschema:"default=John Doe"`
		Age      int     `json:"age" jsonschema:"default=30"`
		Score    float64 `json:"score" jsonschema:"default=95.5"`
		Status   string  `json:"status" jsonschema:"enum=active,enum=inactive,enum=pending,default=active"`
		Verified bool    `json:"verified" jsonschema:"default=true"`
	}
	// choices has a choice in every notation.
	choices struct {
		UntitledSingle string   `json:"untitledSingle" jsonschema:"enum=option1,enum=option2,enum=option3"`
		TitledSingle   string   `json:"titledSingle" jsonschema:"enum=value1,enum=value2,enum=value3,enumTitle=First,enumTitle=Second,enumTitle=Third"`
		LegacyEnum     named    `json:"legacyEnum"`
		UntitledMulti  []string `json:"untitledMulti" jsonschema:"enum=option1,enum=option2,enum=option3"`
		TitledMulti    []string `json:"titledMulti" jsonschema:"enum=value1,enum=value2,enum=value3,enumTitle=First,enumTitle=Second,enumTitle=Third"`
	}
	// named is a choice in the notation of revision 2025-06-18.
	named string
)

// JSONSchema keeps enumNames, which is otherwise sent only to clients of that
// revision.
func (named) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "string", Enum: []any{"opt1", "opt2", "opt3"},
		Extras: map[string]any{"enumNames": []string{"Option One", "Option Two", "Option Three"}},
	}
}

// askTools returns tools that send requests to the client.
func askTools() mcptool.Tools {
	return mcptool.Tools{
		define("test_sampling", "Have the client's model answer", func(ctx context.Context, in PromptIn) (mcptool.Text, error) {
			text, err := sample(ctx, in.Prompt)
			return mcptool.Text{Text: "LLM response: " + text}, err
		}),
		define("test_elicitation", "Ask the user who they are", func(ctx context.Context, in MessageIn) (mcptool.Text, error) {
			return elicit[account](ctx, in.Message)
		}),
		asks[profile]("test_elicitation_sep1034_defaults", "Please review your profile"),
		asks[choices]("test_elicitation_sep1330_enums", "Please choose"),
		define("test_input_required_result_elicitation", "Ask for a name", func(ctx context.Context, _ none) (mcptool.Text, error) {
			who, err := mcptool.Elicit[person](ctx, "What is your name?", mcptool.Key("user_name"))
			return mcptool.Text{Text: "Hello, " + who.Name + "!"}, err
		}),
		define("test_input_required_result_sampling", "Have the client's model answer", func(ctx context.Context, _ none) (mcptool.Text, error) {
			text, err := sample(ctx, "What is the capital of France?")
			return mcptool.Text{Text: text}, err
		}),
		define("test_input_required_result_list_roots", "List the client's directories", func(ctx context.Context, _ none) (mcptool.Text, error) {
			var roots []mcptool.Root
			err := mcptool.AskAll(ctx, mcptool.RootsPart(&roots))
			return mcptool.Text{Text: fmt.Sprintf("The roots are %v", roots)}, err
		}),
		define("test_input_required_result_request_state", "Ask for consent", consentTo),
		define("test_input_required_result_tampered_state", "Ask for consent", consentTo),
		define("test_input_required_result_multiple_inputs", "Ask for everything at once", func(ctx context.Context, _ none) (mcptool.Text, error) {
			var who person
			var result mcptool.SampleResult
			var roots []mcptool.Root
			err := mcptool.AskAll(ctx, mcptool.ElicitPart(&who, "What is your name?"),
				mcptool.SamplePart(&result, promptOf("Write a greeting.")), mcptool.RootsPart(&roots))
			return mcptool.Text{Text: fmt.Sprintf("%s: %s (%d roots)", who.Name, result.Text, len(roots))}, err
		}),
		define("test_input_required_result_multi_round", "Ask twice", func(ctx context.Context, _ none) (mcptool.Text, error) {
			who, err := mcptool.Elicit[person](ctx, "What is your name?")
			if err != nil {
				return mcptool.Text{}, err
			}
			what, err := mcptool.Elicit[taste](ctx, "What is your favorite color, "+who.Name+"?")
			return mcptool.Text{Text: who.Name + " likes " + what.Color}, err
		}),
		define("test_input_required_result_capabilities", "Ask for what the client can answer", askWhatGoes),
	}
}

// asks defines a tool that elicits a T.
func asks[T any](name, message string) *mcptool.Tool {
	return define(name, "Ask the user", func(ctx context.Context, _ none) (mcptool.Text, error) { return elicit[T](ctx, message) })
}

// elicit elicits a T and returns the answer as text.
func elicit[T any](ctx context.Context, message string) (mcptool.Text, error) {
	answer, err := mcptool.Elicit[T](ctx, message)
	if err != nil {
		return mcptool.Text{}, err
	}
	content, err := json.Marshal(answer)
	return mcptool.Text{Text: "The user accepted: " + string(content)}, err
}

// consentTo elicits consent.
func consentTo(ctx context.Context, _ none) (mcptool.Text, error) {
	answer, err := mcptool.Elicit[consent](ctx, "Is that all right?")
	return mcptool.Text{Text: fmt.Sprintf("state-ok: %v", answer.OK)}, err
}

// askWhatGoes asks the user if possible, else the client's model.
func askWhatGoes(ctx context.Context, _ none) (mcptool.Text, error) {
	if mcptool.Caller(ctx).Supports("elicitation.form") {
		return elicit[person](ctx, "What is your name?")
	}
	text, err := sample(ctx, "Make up a name.")
	return mcptool.Text{Text: text}, err
}

// sample has the client's model answer a message.
func sample(ctx context.Context, message string) (string, error) {
	var result mcptool.SampleResult
	err := mcptool.AskAll(ctx, mcptool.SamplePart(&result, promptOf(message)))
	return result.Text, err
}

// promptOf returns a sampling request with one message.
func promptOf(text string) mcptool.SampleRequest {
	return mcptool.SampleRequest{Messages: []mcptool.Message{{Role: "user", Content: mcptool.Text{Text: text}}}, MaxTokens: 100}
}
