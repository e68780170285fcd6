package mcptool

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
)

// Role is the author of a [Message].
type Role string

// The roles of the protocol.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one message of a prompt, or of a conversation with a model ([SampleRequest]).
type Message struct {
	// Role is the author of the message; "" means [RoleUser].
	Role Role
	// Content is the content of the message, one block; required. In a prompt, clients of a revision that does not have
	// its type get a replacement, as for a result of a tool.
	Content Content
}

// PromptResult is the complete result of a prompt. It is for funcs that need more than messages.
type PromptResult struct {
	// Description describes the prompt as it was rendered; "" means the description of the prompt.
	Description string
	// Messages are the messages, in order. There must be at least one.
	Messages []Message
	// Meta is the _meta object of the result, as [Result.Meta]. Nil means none.
	Meta map[string]any
}

// rendered is the result of a prompt or resource in the code that is shared with tools: the only block of a [Result].
// Its values are checked and ready to be sent. It is never sent as a content block itself.
type rendered struct {
	Prompt   *PromptResult
	contents []ResourceContents
	Links    []ResourceLink
	Next     string // cursor of the page after Links, "" if there is none

	Values []string // suggestions, the best first: at most 100
	Total  int      // number of suggestions before the cut to 100
}

func (r rendered) finish(*findings) Content { return r }
func (rendered) write(w blockWriter) []byte { return w.open("text").prose("text", "").close(nil, nil) }
func (rendered) older(string, int) Content  { return nil }
func (r rendered) result() (*Result, error) { return &Result{Content: []Content{r}}, nil }
func renderedIn(res *Result) (held rendered) {
	if res != nil && len(res.Content) == 1 {
		held, _ = res.Content[0].(rendered)
	}
	return held
}

// renderer turns the value that a func has returned, which is addressable, into the result of a prompt or resource.
type renderer func(ctx context.Context, out reflect.Value) (*Result, error)

// promptTypes are the types of results of prompts. All but the first are only for prompts.
var promptTypes = []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[Message](), reflect.TypeFor[[]Message](), reflect.TypeFor[*PromptResult]()}

// promptRenderer returns a func that turns results of type t into messages, and notes a mistake if t is not allowed.
func (d *definition) promptRenderer(t reflect.Type) renderer {
	if !slices.Contains(promptTypes, t) {
		d.typeMistake(t, "", "unsupported result type for a prompt",
			"return a string, mcptool.Message, []mcptool.Message or *mcptool.PromptResult")
		return nil
	}
	name, description := d.Name, d.Description
	return func(_ context.Context, out reflect.Value) (*Result, error) {
		var p *PromptResult
		switch v := out.Addr().Interface().(type) {
		case *string:
			p = &PromptResult{Messages: []Message{{Content: Text{Text: *v}}}}
		case *Message:
			p = &PromptResult{Messages: []Message{*v}}
		case *[]Message:
			p = &PromptResult{Messages: *v}
		case **PromptResult:
			p = *v
		}
		done, err := finishPrompt(name, description, p)
		if err != nil {
			return nil, err
		}
		return rendered{Prompt: done}.result()
	}
}

// finishPrompt checks the result of a prompt and returns a copy that can be sent.
func finishPrompt(name, description string, p *PromptResult) (*PromptResult, error) {
	var fs findings
	if p == nil || len(p.Messages) == 0 {
		fs.add("", "the prompt has no messages", "return at least one, or an error")
		return nil, fs.outputError(name)
	}
	done := &PromptResult{Description: cmp.Or(p.Description, description), Meta: encodeMeta(&fs, p.Meta)}
	checkUTF8(&fs, "description", done.Description)
	done.Messages = finishMessages(&fs, p.Messages)
	return done, fs.outputError(name)
}

// finishMessages checks messages and returns a copy that can be sent.
func finishMessages(fs *findings, messages []Message) (done []Message) {
	each(fs, "messages", messages, func(m Message) { done = append(done, m.finish(fs)) })
	return done
}

// finish checks the message and returns a copy that can be sent.
func (m Message) finish(fs *findings) Message {
	if m.Role = cmp.Or(m.Role, RoleUser); m.Role != RoleUser && m.Role != RoleAssistant {
		fs.add("role", fmt.Sprintf("%q is not a role of the protocol", m.Role), `write "user" or "assistant"`)
	}
	if isNil(m.Content) {
		fs.add("content", "it is required", "set Content, for example to mcptool.Text{Text: …}")
		return m
	}
	fs.within("content", func() { m.Content = m.Content.finish(fs) })
	if r, ok := m.Content.(EmbeddedResource); ok && r.Resource.MIMEType == "" {
		r.Resource.MIMEType = mimeText // required by the specification of prompts
		if r.Resource.Blob != nil {
			r.Resource.MIMEType = mimeBytes
		}
		m.Content = r
	}
	return m
}
