package hosting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Modern is the revision without a handshake.
const Modern = "2026-07-28"

// Revisions are all revisions, the oldest first.
func Revisions() []string {
	return []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", Modern}
}

type sumIn struct {
	_ struct{} `mcp:"name=sum,title=Calculator,readOnly,idempotent,openWorld=false" doc:"Add two numbers"`
	A float64  `json:"a" doc:"The first number"`
	B float64  `json:"b" jsonschema:"minimum=0,default=5" doc:"The second number"`
}

type sumOut struct {
	Sum float64 `json:"sum"`
}

type none struct{}

type seat struct {
	Class string `json:"class" jsonschema:"enum=1,enum=2,enumTitle=First class,enumTitle=Second class"`
	Quiet bool   `json:"quiet,omitempty" jsonschema:"title=In a quiet car"`
}

type booked struct {
	Class string `json:"class"`
	Holds int    `json:"holds" doc:"how often the seat was held"`
}

type dropIn struct {
	_     struct{} `mcp:"name=drop_table,destructive,openWorld=false,askFirst=Drop the table {table}?" doc:"Delete a table"`
	Table string   `json:"table" jsonschema:"minLength=1,maxLength=63"`
}

type greetIn struct {
	_    struct{} `mcp:"name=greet,title=Greeting" doc:"Greet a person"`
	Name string   `json:"name" doc:"whom to greet"`
}

type noteIn struct {
	_  struct{} `mcp:"name=note,uri=note://notes/{id}" doc:"A note"`
	ID int      `json:"id"`
}

// Tools returns tools that use all of a server.
func Tools(tb testing.TB) mcptool.Tools {
	tb.Helper()
	var all []*mcptool.Tool
	add := func(tool *mcptool.Tool, err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, tool)
	}
	addAskingTools(add)
	nothing := func(context.Context, none) (none, error) { return none{}, nil }
	add(mcptool.New(func(_ context.Context, in sumIn) (sumOut, error) { return sumOut{in.A + in.B}, nil },
		mcptool.Icons(mcptool.Icon{Src: "https://example.com/a.png", MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: "dark"}),
		mcptool.Meta(map[string]any{"com.example/x": map[string]any{"z": 1, "a": 2}})))
	add(mcptool.New(func(context.Context, none) (int, error) { return 7, nil }, mcptool.Name("count")))
	add(mcptool.New(func(context.Context, none) ([]string, error) { return []string{"a"}, nil }, mcptool.Name("names")))
	add(mcptool.New(func(context.Context, none) (mcptool.Text, error) {
		return mcptool.Text{Text: "hi <b>", Annotations: &mcptool.Annotations{Audience: []mcptool.Role{mcptool.RoleUser}}}, nil
	}, mcptool.Name("text")))
	size := int64(3)
	add(mcptool.NewRaw("blocks", json.RawMessage(`{"type":"object"}`), func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Content: []mcptool.Content{
			mcptool.Text{Text: "t"},
			mcptool.Image{Data: []byte{1, 2}, MIMEType: "image/png"},
			mcptool.Audio{Data: []byte{1}, MIMEType: "audio/wav"},
			mcptool.ResourceLink{URI: "file:///x", Name: "x", Title: "X", Size: &size},
			mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "file:///y", Text: "y", MIMEType: "text/plain"}},
		}, Structured: json.RawMessage(`{"z":1,"a":12345678901234567}`), Meta: map[string]any{"com.example/k": "v"}}, nil
	}))
	add(mcptool.New(func(context.Context, none) (none, error) { panic("oh") }, mcptool.Name("panics"))) //nolint:forbidigo // as an author may
	add(mcptool.New(func(context.Context, none) (none, error) { return none{}, errors.New("no such thing") }, mcptool.Name("fails")))
	add(mcptool.New(func(ctx context.Context, _ none) (none, error) { <-ctx.Done(); return none{}, ctx.Err() }, mcptool.Name("slow"), mcptool.Timeout(10*time.Millisecond)))
	add(mcptool.New(nothing, mcptool.Name("rated"), mcptool.RateLimit(mcptool.Rate{Calls: 1, Per: time.Hour, Burst: 1})))
	add(mcptool.New(nothing, mcptool.Name("secret"), mcptool.Scopes("admin")))
	add(mcptool.New(nothing, mcptool.Name("hidden"), mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { return false })))
	add(mcptool.New(nothing, mcptool.Name("long"), mcptool.Task(mcptool.TaskSupportOptional)))
	add(mcptool.New(func(ctx context.Context, _ none) (string, error) {
		mcptool.Logger(ctx).Debug("details")
		mcptool.Logger(ctx).Info("step", "z", 1, "a", 2)
		mcptool.Progress(ctx, 1, 3, "one of three")
		return "done", nil
	}, mcptool.Name("steps")))
	add(mcptool.New(func(ctx context.Context, _ none) (string, error) {
		i := mcptool.Caller(ctx)
		return fmt.Sprintf("%s %s %s %q", i.ProtocolVersion, i.Client.Name, i.Client.Version, i.Principal), nil
	}, mcptool.Name("whoami")))
	return all
}

// addAskingTools adds tools that ask the client.
func addAskingTools(add func(*mcptool.Tool, error)) {
	var holds atomic.Int64
	add(mcptool.New(func(ctx context.Context, _ none) (booked, error) {
		s, err := mcptool.Elicit[seat](ctx, "Which seat?")
		if err != nil {
			return booked{}, err
		}
		held, err := mcptool.Once(ctx, "hold", func(context.Context) (int, error) { return int(holds.Add(1)), nil })
		if err != nil {
			return booked{}, err
		}
		if err := mcptool.Confirm(ctx, "Book?"); err != nil {
			return booked{}, err
		}
		return booked{s.Class, held}, nil
	}, mcptool.Name("book")))
	add(mcptool.New(func(ctx context.Context, _ none) (string, error) {
		var roots []mcptool.Root
		err := mcptool.AskAll(ctx, mcptool.RootsPart(&roots))
		return fmt.Sprint(roots), err
	}, mcptool.Name("roots")))
	add(mcptool.New(func(ctx context.Context, _ none) (string, error) {
		var reply mcptool.SampleResult
		err := mcptool.AskAll(ctx, mcptool.SamplePart(&reply, mcptool.SampleRequest{Messages: []mcptool.Message{{Role: mcptool.RoleUser, Content: mcptool.Text{Text: "2+2?"}}}, MaxTokens: 10}))
		return reply.Text, err
	}, mcptool.Name("sample")))
	add(mcptool.New(func(_ context.Context, in dropIn) (string, error) { return "dropped " + in.Table, nil }))
}

// Registry returns a registry with the tools, a prompt and two resources.
func Registry(tb testing.TB) *mcptool.Registry {
	tb.Helper()
	r := new(mcptool.Registry)
	prompt, err := mcptool.NewPrompt(func(_ context.Context, in greetIn) (string, error) { return "Greet " + in.Name, nil })
	if err != nil {
		tb.Fatal(err)
	}
	note, err := mcptool.NewResource(func(_ context.Context, in noteIn) (string, error) {
		if in.ID > 9 {
			return "", mcptool.ErrResourceNotFound
		}
		return fmt.Sprint("note ", in.ID), nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	readme, err := mcptool.NewResource(func(context.Context, none) (string, error) { return "read me", nil }, mcptool.Name("readme"), mcptool.URI("note://readme"))
	if err != nil {
		tb.Fatal(err)
	}
	if err := r.Add(Tools(tb), prompt, note, readme); err != nil {
		tb.Fatal(err)
	}
	return r
}
