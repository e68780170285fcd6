package mcptool

import (
	"cmp"
	"fmt"
	"reflect"
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

// promptTypes are the types of results of prompts. All but the first are only for prompts.
var promptTypes = []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[Message](), reflect.TypeFor[[]Message](), reflect.TypeFor[*PromptResult]()}

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
