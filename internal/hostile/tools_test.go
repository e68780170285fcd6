package hostile_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// takeIn has an argument of each type that a client can abuse.
type takeIn struct {
	_     struct{}       `mcp:"name=take,readOnly" doc:"Take all that fits"`
	Text  string         `json:"text,omitempty"`
	N     int64          `json:"n,omitempty"`
	X     float64        `json:"x,omitempty"`
	Big   *big.Int       `json:"big,omitzero"`
	Names []string       `json:"names,omitzero"`
	Set   []int          `json:"set,omitzero" jsonschema:"uniqueItems"`
	Map   map[string]int `json:"map,omitzero"`
	Any   any            `json:"any,omitempty"`
	When  time.Time      `json:"when,omitzero"`
	Kind  string         `json:"kind,omitempty" jsonschema:"enum=a,enum=b"`
	Code  string         `json:"code,omitempty" jsonschema:"pattern=^(a+)+$"`
	Short string         `json:"short,omitempty" jsonschema:"maxLength=80,pattern=^(a+)+$"`

	Tags     []string `json:"tags,omitzero" jsonschema:"pattern=(?:a?){130}x?$"`
	Patterns []string `json:"patterns,omitzero" jsonschema:"maxItems=5,format=regex"`
}

func take(_ context.Context, in takeIn) (mcptool.Text, error) {
	return mcptool.Text{Text: fmt.Sprintf("took %d", len(in.Text))}, nil
}

// bomb panics when it is marshaled or unmarshaled as text, and fuse as JSON.
type (
	bomb struct{}
	fuse struct{}
)

func (bomb) MarshalText() ([]byte, error) { panic("in MarshalText") }
func (*bomb) UnmarshalText([]byte) error  { panic("in UnmarshalText") }
func (fuse) MarshalJSON() ([]byte, error) { panic("in MarshalJSON") }
func (*fuse) UnmarshalJSON([]byte) error  { panic("in UnmarshalJSON") }

// filledIn has rows that are far longer in a result than they were as
// arguments.
type (
	filledIn struct {
		Rows []filled `json:"rows"`
	}
	filled struct {
		Text string `json:"text,omitempty" jsonschema:"default=a long text that is filled in where a row has none\\, and that is in memory once for all rows a long text that is filled in where a row has none\\, and that is in memory once for all rows a long text that is filled in where a row has none\\, and that is in"`
	}
)

// none is the type of no arguments.
type none = struct{}

type bombIn struct {
	B bomb `json:"b"`
}

// Nil values.
var (
	noMap    map[string]int
	noList   []int
	noStruct *takeIn
	noValue  any
)

// Large values of 32 MB each.
var (
	muchText = strings.Repeat("x", 32*mega)
	muchList = slices.Repeat([]string{muchText[:mega]}, 32)
)

// crash fails deliberately in the way that its argument names.
func crash(how string) error {
	switch how {
	case "panic":
		panic("on purpose")
	case "nil_map":
		noMap[how]++
	case "index":
		_ = noList[len(how)]
	case "nil_pointer":
		_ = noStruct.N
	case "divide":
		return fmt.Errorf("%d", len(how)/(len(how)-len("divide")))
	case "type_assertion":
		var v any = how
		_ = v.(error)
	case "closed_channel":
		c := make(chan int)
		close(c)
		close(c)
	case "slice_size":
		_ = make([]byte, len(how)-100)
	case "panic_nil":
		panic(noValue)
	case "panic_again":
		defer func() { panic("while it panics") }()
		panic("on purpose")
	case "panic_huge":
		panic(string(make([]byte, 1<<20)))
	case "panic_error":
		panic(badError{})
	case "goexit":
		goruntime.Goexit()
	case "nil_error":
		var err *badError
		return err
	case "fails":
		return errors.New("failed")
	case "bad_error":
		return badError{}
	}
	return errors.New("it did not crash")
}

// badError panics in Error if text is nil.
type badError struct{ text *string }

func (e badError) Error() string { return *e.text }

// ring contains itself.
type ring struct {
	Next *ring `json:"next,omitempty"`
}

// tools returns take and the crashing tools.
func tools(t *testing.T) []*mcptool.Tool {
	t.Helper()
	all := append(schemaTools(t), newTool(t, "take", take))
	for _, how := range crashes {
		all = append(all, newTool(t, how, func(context.Context, none) (mcptool.Text, error) { return mcptool.Text{}, crash(how) }))
	}
	return append(all,
		newTool(t, "reads_text", func(context.Context, bombIn) (none, error) { return none{}, nil }),
		newTool(t, "writes_text", func(context.Context, none) (bomb, error) { return bomb{}, nil }),
		newTool(t, "writes_json", func(context.Context, none) (any, error) { return map[string]any{"x": fuse{}}, nil }),
		newTool(t, "writes_structured", func(context.Context, none) (*mcptool.Result, error) {
			return &mcptool.Result{Structured: fuse{}}, nil
		}),
		newTool(t, "writes_meta", func(context.Context, none) (*mcptool.Result, error) {
			return &mcptool.Result{Meta: map[string]any{"x": fuse{}}}, nil
		}),
		newTool(t, "writes_ring", func(context.Context, none) (*ring, error) {
			r := new(ring)
			r.Next = r
			return r, nil
		}),
		newTool(t, "structured_ring", func(context.Context, none) (*mcptool.Result, error) {
			r := map[string]any{}
			r["r"] = r
			return &mcptool.Result{Structured: r}, nil
		}),
		newTool(t, "much", func(context.Context, none) ([]string, error) { return muchList, nil }),
		newTool(t, "much_text", func(context.Context, none) (mcptool.Text, error) { return mcptool.Text{Text: muchText}, nil }),
		newTool(t, "fill", func(_ context.Context, in filledIn) (filledIn, error) { return in, nil }),
		newTool(t, "fails", func(context.Context, none) (none, error) { return none{}, crash("fails") }),
		newTool(t, "logs", func(ctx context.Context, _ none) (mcptool.Text, error) {
			mcptool.Logger(ctx).ErrorContext(ctx, "x", "bomb", bomb{}, "fuse", fuse{}, "error", badError{})
			return mcptool.Text{}, errors.New("logged")
		}),
	)
}

// crashes are the names that crash accepts.
var crashes = []string{
	"panic", "nil_map", "index", "nil_pointer", "divide", "type_assertion", "closed_channel", "slice_size",
	"panic_nil", "panic_again", "panic_huge", "panic_error", "goexit", "nil_error", "bad_error",
}

func newTool[In, Out any](t *testing.T, name string, fn func(context.Context, In) (Out, error), opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	tool, err := mcptool.New(fn, append([]mcptool.ToolOption{mcptool.Name(name)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}
