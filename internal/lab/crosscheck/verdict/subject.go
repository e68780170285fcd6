package verdict

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"regexp"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

var schemas = reflectschema.Internal(private.Key{})

// encode encodes a value of the type of a side.
//
//nolint:contextcheck,nolintlint // encoding a value has nothing to cancel; the linter reads this at the callers
func encode(s side, v reflect.Value) ([]byte, error) {
	return schemas.AppendEncode(context.Background(), s.Type, nil, v, 0, false)
}

// A Subject is a Go type to be checked, with a tool if it is declared with one.
type Subject struct {
	// Name is unique in a run.
	Name string
	// Source returns the Go source of the type and the types that it uses, for reports.
	Source func() string
	// Type is the type, a struct.
	Type reflect.Type
	// Smaller yields subjects with parts of the type; nil if they cannot be created.
	Smaller func() iter.Seq[Subject]

	tool func(p *probe) (*mcptool.Tool, error) // nil to create a raw tool from the schemas
	out  reflect.Type                          // of the tool; nil without one
}

// Type returns a subject without a tool. source is the source of the file that declares it.
func Type[T any](name, source string) Subject {
	return Subject{Name: name, Source: sourceOf(source, name), Type: reflect.TypeFor[T]()}
}

func sourceOf(file, name string) func() string {
	return func() string { return declarationOf(file, name) }
}

// Tool returns a subject with a tool whose argument type is In, which has a tag with the tool
// name.
func Tool[In, Out any](name, source string) Subject {
	return Subject{Name: name, Source: sourceOf(source, name), Type: reflect.TypeFor[In](), out: reflect.TypeFor[Out](), tool: func(p *probe) (*mcptool.Tool, error) {
		return mcptool.New(func(context.Context, In) (Out, error) {
			p.reached = true
			out, _ := p.answer.Interface().(Out) // always has this type
			return out, nil
		})
	}}
}

// A probe is a tool with its judges.
type probe struct {
	tool    *mcptool.Tool
	in, out *judge
	reached bool          // since the last reset
	answer  reflect.Value // result of the func
}

// trial is a subject with the values that are computed once.
type trial struct {
	Subject
	in, out side
	probe   *probe
	used    reflect.Value // last decoded input
}

// A side is a type in one direction.
type side struct {
	*reflectschema.Type
	direction reflectschema.Direction
	judge     *judge
	hints     *hints
	samples   [][]byte // valid for the schema
}

// errRefused is wrapped by the error of a type that registration rejects, which is not a wrong
// verdict.
var errRefused = errors.New("rejected at registration")

// prepare compiles the subject.
func prepare(s Subject) (t *trial, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("registration panics: %v", p)
		}
	}()
	t = &trial{Subject: s}
	if t.in, err = newSide(s.Type, reflectschema.DirectionInput); err != nil {
		return nil, err
	}
	out := s.out
	if out == nil {
		out = s.Type
	}
	if t.out, err = newSide(out, reflectschema.DirectionOutput); err != nil {
		return nil, err
	}
	t.probe = &probe{}
	if s.tool == nil {
		t.probe.tool, err = t.rawTool()
	} else {
		t.probe.tool, err = s.tool(t.probe)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the types compile, but the tool does not: %w", errRefused, err)
	}
	t.probe.in, err = newJudge(t.probe.tool.InputSchema().JSON())
	if err != nil {
		return nil, fmt.Errorf("the reference validator rejects the inputSchema: %w", err)
	}
	t.probe.out, err = newJudge(t.probe.tool.OutputSchema().JSON())
	if err != nil {
		return nil, fmt.Errorf("the reference validator rejects the outputSchema: %w", err)
	}
	return t, nil
}

// rawTool creates a tool from the two schemas.
func (t *trial) rawTool() (*mcptool.Tool, error) {
	return mcptool.NewRaw("tool", t.in.Schema().JSON(), func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		t.probe.reached = true
		encoded, err := encode(t.out, t.probe.answer)
		return &mcptool.Result{Structured: json.RawMessage(encoded)}, err
	}, mcptool.OutputSchema(t.out.Schema().JSON()))
}

func newSide(goType reflect.Type, d reflectschema.Direction) (side, error) {
	compiled, err := reflectschema.Compile(goType, d)
	if mistakes := reflectschema.TypeErrors(nil); errors.As(err, &mistakes) && len(mistakes) > 0 {
		return side{}, fmt.Errorf("%w: %w", errRefused, err)
	}
	if err != nil {
		return side{}, fmt.Errorf("registration fails with a %T: %w", err, err)
	}
	j, err := newJudge(compiled.Schema().JSON())
	if err != nil {
		return side{}, fmt.Errorf("the reference validator rejects the schema: %w\n%s", err, compiled.Schema().JSON())
	}
	return side{Type: compiled, direction: d, judge: j, hints: harvest(j.schema)}, nil
}

// specifics matches the variable parts of a reason for a rejection.
var specifics = regexp.MustCompile("not for .*|`[^`]*`|\"[^\"]*\"|-?[0-9][0-9.eE+]*|[A-Za-z_]*\\.[A-Z][A-Za-z0-9_]*|\\bT[0-9]+\\b")

// reasonClass returns the reason for a rejection without names and numbers.
func reasonClass(err error) string {
	if mistakes := reflectschema.Internal(private.Key{}).TypeMistakes(err); len(mistakes) > 0 {
		return specifics.ReplaceAllString(mistakes[0].Reason, "…")
	}
	if first := (*mcptool.RegisterError)(nil); errors.As(err, &first) && len(first.Mistakes) > 0 {
		return "the tool: " + specifics.ReplaceAllString(first.Mistakes[0].Reason, "…")
	}
	return err.Error()
}
