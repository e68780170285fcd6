package mcptool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// SampleRequest is the input of [SamplePart] for the client's model. Messages and MaxTokens are required.
//
// Deprecated: See [SamplePart].
type SampleRequest struct {
	// Messages is the conversation so far; at least one message. The content is a [Text], [Image] or [Audio]. Clients of
	// revision 2024-11-05 do not support audio: messages with an Audio are not sent to them, and if no other message
	// remains, the request fails.
	Messages []Message
	// MaxTokens is the maximum length of the answer, in tokens; at least 1.
	MaxTokens int
	// SystemPrompt is the system prompt; "" means unset. A client may change or ignore it.
	SystemPrompt string
	// Temperature is the sampling temperature; nil leaves it to the client.
	Temperature *float64
	// StopSequences are texts at which the model stops; nil means unset.
	StopSequences []string
	// Models are names of suitable models, or parts of names, in order of preference. They are hints.
	Models []string
	// Cost, Speed and Intelligence are the priorities of low cost, speed and capability for the choice of a model: from
	// 0 (not important) to 1 (most important). Nil means unset.
	Cost, Speed, Intelligence *float64
}

// SampleResult is a message that the client's model has written.
//
// Deprecated: See [SamplePart].
type SampleResult struct {
	// Role is the role of the message, usually [RoleAssistant].
	Role Role
	// Model is the name of the model.
	Model string
	// StopReason is the reason why the model stopped, such as "endTurn", "maxTokens" or "stopSequence"; "" if unknown.
	StopReason string
	// Text is the text of all text blocks of the message.
	Text string
	// Content is the complete content as JSON: a content block, or from revision 2025-11-25 on also an array of them.
	Content json.RawMessage
}

// SamplePart is a request of [AskAll] that asks the client to have its model write a message, which is stored in *dst. The
// user may see, change or reject the request and the answer. The client must have the capability "sampling". A request
// that breaks the rules of [SampleRequest], and a nil dst, are an [*AskError] of AskAll.
//
//	var result mcptool.SampleResult
//	err := mcptool.AskAll(ctx, mcptool.SamplePart(&result, request))
//
// Deprecated: Revision 2026-07-28 of the protocol deprecates sampling, and few clients support it. Call the API of a model
// provider instead. SamplePart works until a later revision removes sampling, and at least until v2.0.0.
func SamplePart(dst *SampleResult, request SampleRequest, opts ...AskOption) AskPart {
	in := AskPart{request: ask.Request{Kind: ask.KindSample}}
	if in.err = request.check(); in.err != nil {
		return in
	}
	var fs findings
	request.Messages = finishMessages(&fs, request.Messages)
	in.err = fs.err()
	if dst == nil {
		in.err = errors.Join(in.err, errNoDestination)
	}
	in.request.Sample = &request
	in.apply(opts)
	in.read = func(raw json.RawMessage) error { return dst.read(raw) }
	return in
}

// check returns the first mistake in a request.
func (r *SampleRequest) check() error {
	if len(r.Messages) == 0 || r.MaxTokens <= 0 {
		return errors.New("a sampling request needs a message and a MaxTokens above zero")
	}
	for i, m := range r.Messages {
		switch m.Content.(type) {
		case Text, *Text, Image, *Image, Audio, *Audio:
		default:
			return fmt.Errorf("the content of messages[%d] is a %T; use Text, Image or Audio", i, m.Content)
		}
	}
	for _, p := range []*float64{r.Cost, r.Speed, r.Intelligence} {
		if p != nil && !(*p >= 0 && *p <= 1) {
			return errors.New("the priorities Cost, Speed and Intelligence must be from 0 to 1")
		}
	}
	if r.Temperature != nil && !isFinite(*r.Temperature) {
		return errors.New("the temperature is not finite")
	}
	return nil
}

// read reads a CreateMessageResult that has its required members.
func (r *SampleResult) read(raw json.RawMessage) error {
	type block struct{ Type, Text string }
	members := ask.Members(raw)
	for name, dst := range map[string]any{"role": &r.Role, "model": &r.Model, "stopReason": &r.StopReason} {
		_ = json.Unmarshal(members[name], dst) // role and model are strings; stopReason is optional
	}
	r.Content = members["content"]
	blocks := make([]block, 1)
	var dst any = &blocks[0]
	if rawjson.KindOf(r.Content) == rawjson.Array {
		dst = &blocks
	}
	_ = json.Unmarshal(r.Content, dst) // other values have no text
	var text strings.Builder
	for _, b := range blocks {
		if b.Type == "text" {
			text.WriteString(b.Text)
		}
	}
	r.Text = text.String()
	return nil
}

// Root is a directory or file in use by the user of the client.
//
// Deprecated: See [RootsPart].
type Root struct {
	// URI is the file: URI of the root. The file or directory need not exist any more.
	URI string `json:"uri"`
	// Name is the display name; "" means unset.
	Name string `json:"name,omitempty"`
}

// RootsPart is a request of [AskAll] for the directories and files to which the client wants the tool to restrict itself;
// they are stored in *dst. They do not grant permission to use a path, since the client chooses them: check the paths in
// the arguments of a call yourself. The client must have the capability "roots". A nil dst is an [*AskError] of AskAll.
//
//	var roots []mcptool.Root
//	err := mcptool.AskAll(ctx, mcptool.RootsPart(&roots))
//
// Deprecated: Revision 2026-07-28 of the protocol deprecates roots. Take paths as arguments of the tool, as URIs of
// resources, or from the configuration of the server instead. RootsPart works until a later revision removes roots, and at
// least until v2.0.0.
func RootsPart(dst *[]Root, opts ...AskOption) AskPart {
	in := AskPart{request: ask.Request{Kind: ask.KindRoots}}
	in.apply(opts)
	if dst == nil {
		in.err = errors.Join(in.err, errNoDestination)
	}
	in.read = func(raw json.RawMessage) error {
		var roots []Root
		err := json.Unmarshal(ask.Members(raw)["roots"], &roots)
		for _, r := range roots {
			if err == nil && !strings.HasPrefix(r.URI, "file://") {
				err = errors.New("a root has no file address")
			}
		}
		if err != nil {
			return &AskAnswerError{Err: errors.New("the client's roots cannot be read")}
		}
		*dst = roots
		return nil
	}
	return in
}
