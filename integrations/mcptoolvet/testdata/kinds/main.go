// Command kinds has a mistake of each kind, and the fixes that the analyzer suggests.
package main

import (
	"context"

	"github.com/mcptool-go/mcptool/integrations/mcptoolvet/testdata/registered"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema/datetime"
)

func main() {
	mcptool.Register(Find)
	mcptool.Register(func(context.Context, none) (none, error) { return none{}, nil })
	mcptool.RegisterService(service{})
	mcptool.RegisterPrompt(Find)
	mcptool.Register(Named, mcptool.Name("other"), mcptool.ReadOnly(false))
}

type none struct{}

type FindIn struct {
	_       struct{}           `mcp:"name=find,readonly,title=Find"`
	Query   string             `json:"query" jsonschema:"minLength=1,maxLenght=10" doc:"What to find"`
	Limit   int                `json:"limit" jsonschema:"minLength=1,maximum=50"`
	Page    int                `json:"page" minimum:"1"`
	Words   []string           `json:"words" jsonschma:"minItems=1"`
	Odd     bool               "json:\"odd\" jsonschema:\"minimum=1\""
	Escaped string             `json:"escaped" jsonschema:"pattern=a\\,b,requird"`
	Shape   registered.Unknown `json:"shape"`
	Mode    registered.Mode    `json:"mode" jsonschema:"enum=const,default=auto"`
	Unit    registered.Unit    `json:"unit" jsonschema:"enum=const"`
	Grades  []grade            `json:"grades" jsonschema:"enum=const"`
	Word    string             `json:"word" jsonschema:"enum=const"`
	registered.Square
	Inner struct {
		A chan int `json:"a"`
	} `json:"inner"`
	Note  mcptool.Optional[string]        `json:"note" jsonschema:"minLength=2,nullable"`
	Notes []mcptool.Optional[inner]       `json:"notes"`
	Deep  **string                        `json:"deep"`
	Wait  datetime.Duration               `json:"wait" jsonschema:"minimum=1d"`
	Due   mcptool.Optional[datetime.Date] `json:"due" jsonschema:"minimum=2026-01-01,maximum=2025-01-01"`
	Size  size                            `json:"size" jsonschema:"minimum=small,multipleOf=small"`
}

// size is text with an order.
type size int

func (s size) MarshalText() ([]byte, error)     { return []byte("small"), nil }
func (s *size) UnmarshalText(text []byte) error { return nil }
func (s size) Compare(other size) int           { return int(s - other) }

type grade string

const good grade = "good"

type FindOut struct {
	At   inner `json:"at,omitempty"`
	Only bool  `json:"only" jsonschema:"title=T,minimum=1"`
}

type inner struct{ X int }

func Find(context.Context, FindIn) (FindOut, error) { return FindOut{}, nil }

type NamedIn struct {
	_ struct{} `mcp:"name=named,readOnly"`
}

func Named(context.Context, NamedIn) (none, error) { return none{}, nil }

type service struct{}

func (service) Fetch(ctx context.Context, id string) (none, error) { return none{}, nil }
func (*service) Store(context.Context, none) (none, error)         { return none{}, nil }

// Elsewhere is registered by another package.
type Elsewhere struct {
	_  struct{} `mcp:"uri=a://{id},mimetype=text/plain"`
	ID string   `json:"id"`
}

type seat struct {
	Class string   `json:"class" jsonschema:"pattern=^[12]$"`
	Extra []string `json:"extra"`
}

func ask(ctx context.Context) {
	s, _ := mcptool.Elicit[seat](ctx, "Which seat?")
	_ = s
	mcptool.Confirm(ctx, "Really?")
	_ = mcptool.AskAll(ctx)
	_, _ = mcptool.ElicitSchema(ctx, "Which seat?", nil)
	go mcptool.ElicitURL(ctx, "https://example.com", "Sign in")
}
