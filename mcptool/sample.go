package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// SampleRequest is the input of [Sample] for the client's model.
type SampleRequest struct {
	// Messages are the conversation so far; at least one.
	Messages []SampleMessage
	// MaxTokens bounds the answer; it must be above zero.
	MaxTokens int
	// SystemPrompt is optional; a client may change it or leave it out.
	SystemPrompt string
	// Temperature is left to the client if nil.
	Temperature *float64
	// StopSequences are the texts at which the model stops.
	StopSequences []string
	// Models are names of suitable models, or parts of names, best first. A client takes them as hints.
	Models []string
	// Cost, Speed and Intelligence set how much each matters, from 0 to 1; nil means unset.
	Cost, Speed, Intelligence *float64
}

// SampleMessage is one message of a conversation with a model.
type SampleMessage struct {
	// Role is "user" or "assistant".
	Role string
	// Content is a [Text], [Image] or [Audio]. The last one is left out for clients of
	// revision 2024-11-05, which have none.
	Content Content
}

// SampleResult is the message that the model wrote.
type SampleResult struct {
	// Role is "assistant" as a rule.
	Role string
	// Model is the name of the model that was used.
	Model string
	// StopReason is why the model stopped, such as "endTurn", "maxTokens" or "stopSequence"; "" if unknown.
	StopReason string
	// Text is all the text of the answer.
	Text string
	// Content is the whole answer as JSON: a content block, or from revision 2025-11-25 on
	// an array of them.
	Content json.RawMessage
}

// Sample makes the client's own model write a message. The user may see, change or refuse the request and the answer.
// Sample needs the client's capability "sampling"; the errors are those of [Elicit].
//
// Revision 2026-07-28 of the protocol deprecates sampling, and few clients support it. Call a model of your own.
// Sample remains for those who need it.
func Sample(ctx context.Context, request SampleRequest, opts ...AskOption) (*SampleResult, error) {
	var result SampleResult
	if err := AskAll(ctx, SamplePart(&result, request, opts...)); err != nil {
		return nil, err
	}
	return &result, nil
}

// SamplePart is [Sample] for [AskAll].
func SamplePart(dst *SampleResult, request SampleRequest, opts ...AskOption) RequestPart {
	in := RequestPart{question: ClientRequest{Kind: KindSample}}
	if in.err = request.check(); in.err != nil {
		return in
	}
	request.Messages = slices.Clone(request.Messages)
	var fs findings
	for i := range request.Messages {
		if done := finishContent(&fs, []Content{request.Messages[i].Content}); len(done) == 1 {
			request.Messages[i].Content = done[0]
		}
	}
	in.err = fs.err()
	if dst == nil {
		in.err = errors.Join(in.err, errNoDestination)
	}
	in.question.Sample = &request
	in.apply(opts)
	in.read = func(raw json.RawMessage) error { return dst.read(raw) }
	return in
}

// check says what is wrong with a request.
func (r *SampleRequest) check() error {
	if len(r.Messages) == 0 || r.MaxTokens <= 0 {
		return errors.New("a sampling request has a message and room for an answer")
	}
	for i, m := range r.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			return fmt.Errorf("the role of messages[%d] is %q, neither user nor assistant", i, m.Role)
		}
		switch m.Content.(type) {
		case Text, *Text, Image, *Image, Audio, *Audio:
		default:
			return fmt.Errorf("the content of messages[%d] is a %T; use Text, Image or Audio", i, m.Content)
		}
	}
	for _, p := range []*float64{r.Cost, r.Speed, r.Intelligence} {
		if p != nil && !(*p >= 0 && *p <= 1) {
			return errors.New("a priority is from 0 to 1")
		}
	}
	if r.Temperature != nil && !isFinite(*r.Temperature) {
		return errors.New("the temperature is not finite")
	}
	return nil
}

// read reads a CreateMessageResult, which has the members it must have.
func (r *SampleResult) read(raw json.RawMessage) error {
	type block struct{ Type, Text string }
	members := objectMembers(raw)
	for name, dst := range map[string]*string{"role": &r.Role, "model": &r.Model, "stopReason": &r.StopReason} {
		_ = json.Unmarshal(members[name], dst) // role and model are strings; stopReason is no loss
	}
	r.Content = members["content"]
	var blocks []block
	if kindOf(r.Content) == '[' {
		_ = json.Unmarshal(r.Content, &blocks) // what is no block has no text
	} else {
		blocks = make([]block, 1)
		_ = json.Unmarshal(r.Content, &blocks[0])
	}
	var text strings.Builder
	for _, b := range blocks {
		if b.Type == "text" {
			text.WriteString(b.Text)
		}
	}
	r.Text = text.String()
	return nil
}
