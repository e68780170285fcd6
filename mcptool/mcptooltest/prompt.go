package mcptooltest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// PromptOutput lists the result types of [Prompt]: a string for the text of the only message, the only message, all
// messages, or the whole result.
type PromptOutput interface {
	string | mcptool.Message | []mcptool.Message | *mcptool.PromptResult
}

// Prompt renders the prompt with the arguments in, without a server, and returns its messages. The arguments are sent
// as clients do, as strings: In need not be the type of the func, but must be an object whose members are strings,
// numbers or booleans; null means absent. Prompt ends the test (FailNow) if the arguments do not fit, if the func
// returns an error, or if Out is for one message and there are several, or a string and the message is not text.
func Prompt[In any, Out PromptOutput](tb testing.TB, prompt *mcptool.Prompt, in In) Out {
	tb.Helper()
	args := promptArguments(tb, prompt, in)
	result, err := prompt.Get(tb.Context(), args)
	return messagesOf[Out](tb, prompt, args, result, err)
}

// PromptAs is [Prompt] by a client. It also ends the test if an answer was not used.
func PromptAs[In any, Out PromptOutput](tb testing.TB, c *Client, prompt *mcptool.Prompt, in In) Out {
	tb.Helper()
	args := promptArguments(tb, prompt, in)
	result, err := c.Prompt(tb.Context(), prompt, args)
	out := messagesOf[Out](tb, prompt, args, result, err)
	c.answered(tb, called(prompt, args)+": the prompt")
	return out
}

// promptArguments encodes the arguments of a prompt as a client sends them.
func promptArguments[In any](tb testing.TB, prompt *mcptool.Prompt, in In) map[string]string {
	tb.Helper()
	raw, err := encode(reflect.ValueOf(&in).Elem())
	if err != nil {
		tb.Fatalf("%s: encode the arguments: %v", prompt.Info().Name, err)
	}
	args, err := textsOf(raw)
	if err != nil {
		tb.Fatalf("%s: encode the arguments: %v", prompt.Info().Name, err)
	}
	return args
}

// textsOf returns the members of an object as text, except those that are null.
func textsOf(object []byte) (map[string]string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, fmt.Errorf("%s is not an object: %w", object, err)
	}
	texts := make(map[string]string, len(members))
	for name, value := range members {
		switch value[0] {
		case '{', '[':
			return nil, fmt.Errorf("%s: %s is not a string, number or boolean", name, value)
		case 'n':
		case '"':
			var text string
			if err := json.Unmarshal(value, &text); err != nil {
				return nil, err
			}
			texts[name] = text
		default:
			texts[name] = string(value)
		}
	}
	return texts, nil
}

// called describes a call of a prompt in messages.
func called(prompt *mcptool.Prompt, args map[string]string) string {
	raw, _ := json.Marshal(args) // cannot fail for a map of strings
	return fmt.Sprintf("%s(%s)", prompt.Info().Name, raw)
}

// messagesOf decodes the result of a prompt.
func messagesOf[Out PromptOutput](tb testing.TB, prompt *mcptool.Prompt, args map[string]string, result *mcptool.PromptResult, err error) Out {
	tb.Helper()
	if err != nil {
		tb.Fatalf("%s: %v", called(prompt, args), err)
	}
	var out Out
	switch dst := any(&out).(type) {
	case **mcptool.PromptResult:
		*dst = result
		return out
	case *[]mcptool.Message:
		*dst = result.Messages
		return out
	}
	if len(result.Messages) != 1 {
		tb.Fatalf("%s: want one message, got %d: %+v", called(prompt, args), len(result.Messages), result.Messages)
	}
	switch dst := any(&out).(type) {
	case *mcptool.Message:
		*dst = result.Messages[0]
	case *string:
		text, ok := result.Messages[0].Content.(mcptool.Text)
		if !ok {
			tb.Fatalf("%s: want text, got %T", called(prompt, args), result.Messages[0].Content)
		}
		*dst = text.Text
	}
	return out
}
