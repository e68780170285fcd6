// Command author is a server of an author who copies calls of the page as Go tests.
package main

import (
	"context"
	"errors"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

type addIn struct {
	_ struct{} `mcp:"name=add" doc:"Adds"`
	A int      `json:"a"`
	B float64  `json:"b,omitempty"`
}

type addOut struct {
	Sum  float64 `json:"sum"`
	Note string  `json:"note"`
}

type pet struct {
	Name string `json:"name"`
}

type askIn struct {
	_ struct{} `mcp:"name=ask" doc:"Asks"`
}

type sayIn struct {
	_     struct{} `mcp:"name=say-it" doc:"Says something"`
	Words string   `json:"words"`
}

type noteIn struct {
	_  struct{} `mcp:"uri=notes://{id}" doc:"A note"`
	ID string   `json:"id"`
}

type reviewIn struct {
	_    struct{} `mcp:"name=review" doc:"Reviews a program"`
	Lang string   `json:"lang"`
}

func add(_ context.Context, in addIn) (addOut, error) {
	if in.A < 0 {
		return addOut{}, errors.New("too small")
	}
	return addOut{float64(in.A) + in.B, "`quoted` <b>"}, nil
}

func ask(ctx context.Context, _ askIn) (pet, error) { return mcptool.Elicit[pet](ctx, "Which pet?") }

func say(_ context.Context, in sayIn) ([]mcptool.Content, error) {
	return []mcptool.Content{mcptool.Text{Text: in.Words}, mcptool.Image{Data: []byte{1, 2}, MIMEType: "image/png"}}, nil
}

func note(_ context.Context, in noteIn) (string, error) { return "note\n" + in.ID, nil }

func review(_ context.Context, in reviewIn) (string, error) { return "Review this " + in.Lang, nil }

func init() {
	mcptool.Register(add)
	mcptool.Register(ask)
	mcptool.Register(say)
	mcptool.RegisterResource(note)
	mcptool.RegisterPrompt(review)
}

func main() { stdio.Main(nil) }
