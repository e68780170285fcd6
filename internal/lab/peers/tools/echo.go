package tools

import "context"

// An EchoIn is what echo is asked: a text of 64 KB.
type EchoIn struct {
	Text string `json:"text" jsonschema:"maxLength=1000000"`
}

// An EchoOut is what echo answers.
type EchoOut struct {
	Text string `json:"text" jsonschema:"maxLength=1000000"`
}

// Echo is the tool that takes a long text and returns it.
func Echo(_ context.Context, in EchoIn) (EchoOut, error) { return EchoOut(in), nil }
