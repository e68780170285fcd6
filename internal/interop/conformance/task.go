package main

import (
	"context"
	"errors"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// sleepIn holds the arguments of slow_compute.
type sleepIn struct {
	Seconds float64 `json:"seconds,omitempty" jsonschema:"minimum=0,maximum=3600"`
	Label   string  `json:"label,omitempty"`
}

// whoever is a form for a name.
type whoever struct {
	Name string `json:"name,omitempty"`
}

// goAhead is a form with a confirmation.
type goAhead struct {
	Confirm bool `json:"confirm,omitempty"`
}

// taskTools returns tools that run as tasks, except for greet, which is synchronous.
func taskTools() mcptool.Tools {
	optional, required := mcptool.Task(mcptool.TaskSupportOptional), mcptool.Task(mcptool.TaskSupportRequired)
	return mcptool.Tools{
		define("greet", "Greet somebody", func(_ context.Context, in whoever) (mcptool.Text, error) {
			return mcptool.Text{Text: "Hello, " + in.Name + "!"}, nil
		}),
		define("slow_compute", "Take some seconds", func(ctx context.Context, in sleepIn) (mcptool.Text, error) {
			if err := pause(ctx, time.Duration(in.Seconds*float64(time.Second))); err != nil {
				return mcptool.Text{}, err
			}
			return mcptool.Text{Text: "Computed: " + in.Label}, nil
		}, optional),
		define("failing_job", "Fail after a second", func(ctx context.Context, _ none) (mcptool.Text, error) {
			if err := pause(ctx, time.Second); err != nil {
				return mcptool.Text{}, err
			}
			return mcptool.Text{}, errors.New("the job failed")
		}, required),
		define("protocol_error_job", "Need what no client has", func(ctx context.Context, _ none) (mcptool.Text, error) {
			return mcptool.Text{}, mcptool.Require(ctx, "experimental.com.example/nobody")
		}, required),
		define("confirm_delete", "Ask before it deletes", func(ctx context.Context, in struct {
			Filename string `json:"filename"`
		},
		) (mcptool.Text, error) {
			answer, err := mcptool.Elicit[goAhead](ctx, "Delete "+in.Filename+"?")
			if err == nil && !answer.Confirm {
				err = mcptool.ErrDeclined
			}
			return mcptool.Text{Text: "Deleted " + in.Filename}, err
		}, required),
		define("multi_input", "Ask two things at once", func(ctx context.Context, _ none) (mcptool.Text, error) {
			var who askedName
			var yes askedYes
			err := mcptool.AskAll(ctx, mcptool.ElicitPart(&who, "What is your name?"), mcptool.ElicitPart(&yes, "Are you sure?"))
			return mcptool.Text{Text: "Thank you, " + who.Name}, err
		}, required),
		define("test_tool_with_task", "Ask first, and then take its time", func(ctx context.Context, _ none) (mcptool.Text, error) {
			who, err := mcptool.Elicit[whoever](ctx, "What is your name?", mcptool.Key("user_name"))
			if err != nil {
				return mcptool.Text{}, err
			}
			return mcptool.Text{Text: "Hello, " + who.Name}, pause(ctx, time.Second)
		}, optional),
	}
}

// askedName is a form that accepts additional members, since the suite sends the same answer to two questions.
type askedName struct {
	_    struct{} `jsonschema:"additionalProperties=true"`
	Name string   `json:"name,omitempty"`
}

// askedYes is the other form, see askedName.
type askedYes struct {
	_       struct{} `jsonschema:"additionalProperties=true"`
	Confirm bool     `json:"confirm,omitempty"`
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
