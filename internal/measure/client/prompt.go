package client

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// A Prompt is an entry of prompts/list.
type Prompt struct {
	Entry

	Arguments []PromptArgument `json:"arguments,omitempty"`
}

// A PromptArgument is an argument of a Prompt. Its values are strings.
type PromptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// DecodePrompt decodes an entry of prompts/list. Members that cannot be decoded are absent, see [Entry.Problems].
func DecodePrompt(entry json.RawMessage) Prompt {
	var p Prompt
	top := p.decode(entry)
	var arguments []json.RawMessage
	if text, ok := top["arguments"]; ok && json.Unmarshal(text, &arguments) != nil { // duplicates within affect only one argument
		p.note("%q is %s, not an array", "arguments", strictjson.Kind(text))
	}
	for i, text := range arguments {
		path := fmt.Sprintf("arguments[%d]", i)
		members := p.object(path, text)
		if members == nil {
			continue
		}
		var a PromptArgument
		readMember(&p.Entry, members, path+".", "name", &a.Name, "a string")
		readMember(&p.Entry, members, path+".", "title", &a.Title, "a string")
		readMember(&p.Entry, members, path+".", "description", &a.Description, "a string")
		readMember(&p.Entry, members, path+".", "required", &a.Required, "a boolean")
		p.Arguments = append(p.Arguments, a)
	}
	p.finish(entry, &p)
	return p
}

// Prompts returns the prompts of the server, from all pages, in server order. It returns nil, without a request, if the
// server does not declare prompts. All pages together may take [MaxExtension] times the timeout.
func (c *Client) Prompts(ctx context.Context) ([]Prompt, error) {
	if !c.Declares("prompts") {
		return nil, nil
	}
	return listAll(ctx, c, "prompts/list", "prompts", DecodePrompt)
}

// A PromptResult is the result of prompts/get.
type PromptResult struct {
	Description string          `json:"description"`
	Messages    []PromptMessage `json:"messages"`
	// Raw is the original JSON of the result.
	Raw json.RawMessage `json:"-"`
}

// A PromptMessage is a message of a prompt.
type PromptMessage struct {
	Role    string  `json:"role"` // user or assistant
	Content Content `json:"content"`
}

// GetPrompt requests the messages of a prompt; nil arguments mean none. Elicitations of the server go to
// [Options.Elicit]. The error is an *RPCError if the server rejects the request, an *UnreachableError, or ctx's.
func (c *Client) GetPrompt(ctx context.Context, name string, arguments map[string]string) (*PromptResult, error) {
	params := map[string]any{"name": name}
	if len(arguments) > 0 {
		params["arguments"] = arguments
	}
	r := new(PromptResult)
	raw, err := c.converse(ctx, "prompts/get", name, params, r)
	if err != nil {
		return nil, err
	}
	r.Raw = raw
	return r, nil
}
