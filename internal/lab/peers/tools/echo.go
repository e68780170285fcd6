package tools

import "context"

// An EchoIn holds the arguments of echo: a text of 64 KB.
type EchoIn struct {
	Text string `json:"text" jsonschema:"maxLength=1000000"`
}

// An EchoOut holds the result of echo.
type EchoOut struct {
	Text string `json:"text" jsonschema:"maxLength=1000000"`
}

// Echo is a tool that accepts a long text and returns it.
func Echo(_ context.Context, in EchoIn) (EchoOut, error) { return EchoOut(in), nil }
