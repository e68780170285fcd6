package verdict

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"regexp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// A Subject is a Go type that is to be checked, and, if it is declared with one, a tool.
type Subject struct {
	// Name is unique in a run.
	Name string
	// Source returns the Go source of the type and of what it is made of, for reports.
	Source func() string
	// Type is the type, a struct.
	Type reflect.Type
	// Smaller yields subjects that have a part of the type; nil if there is no way to make them.
	Smaller func() iter.Seq[Subject]

	tool func(p *probe) (*mcptool.Tool, error) // nil: a tool by hand is made from the schemas
	out  reflect.Type                          // of the tool; nil as well
}

// Type is a subject without a tool of its own. The source is that of the file that declares it.
func Type[T any](name, source string) Subject {
	return Subject{Name: name, Source: sourceOf(source, name), Type: reflect.TypeFor[T]()}
}

func sourceOf(file, name string) func() string {
	return func() string { return declarationOf(file, name) }
}

// Tool is a subject whose type is the argument of a tool, which a tag of it names.
func Tool[In, Out any](name, source string) Subject {
	return Subject{Name: name, Source: sourceOf(source, name), Type: reflect.TypeFor[In](), out: reflect.TypeFor[Out](), tool: func(p *probe) (*mcptool.Tool, error) {
		return mcptool.New(func(context.Context, In) (Out, error) {
			p.reached = true
			out, _ := p.answer.Interface().(Out) // it is one
			return out, nil
		})
	}}
}

// A probe is a tool with what it is judged by.
type probe struct {
	tool    *mcptool.Tool
	in, out *judge
	reached bool          // since it was last reset
	answer  reflect.Value // what the func returns
}

// trial is a subject with what is made of it once.
type trial struct {
	Subject
	in, out side
	probe   *probe
	used    reflect.Value // holds the last input that was decoded
}

// A side is a type in one direction.
type side struct {
	*reflectschema.Type
	direction reflectschema.Direction
	judge     *judge
	hints     *hints
	samples   [][]byte // that fit the schema
}

// errRefused is wrapped by the error of a type that registration refuses, which is its right.
var errRefused = errors.New("refused at registration")

// prepare compiles the subject.
func prepare(s Subject) (t *trial, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("registration panics: %v", p)
		}
	}()
	t = &trial{Subject: s}
	if t.in, err = newSide(s.Type, reflectschema.Input); err != nil {
		return nil, err
	}
	out := s.out
	if out == nil {
		out = s.Type
	}
	if t.out, err = newSide(out, reflectschema.Output); err != nil {
		return nil, err
	}
	t.probe = &probe{}
	if s.tool == nil {
		t.probe.tool, err = t.rawTool()
	} else {
		t.probe.tool, err = s.tool(t.probe)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the types compile, but not the tool: %w", errRefused, err)
	}
	t.probe.in, err = newJudge(t.probe.tool.InputSchema().JSON())
	if err != nil {
		return nil, fmt.Errorf("the judge refuses the inputSchema: %w", err)
	}
	t.probe.out, err = newJudge(t.probe.tool.OutputSchema().JSON())
	if err != nil {
		return nil, fmt.Errorf("the judge refuses the outputSchema: %w", err)
	}
	return t, nil
}

// rawTool makes a tool of the two schemas.
func (t *trial) rawTool() (*mcptool.Tool, error) {
	return mcptool.NewRaw("tool", t.in.Schema().JSON(), func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		t.probe.reached = true
		encoded, err := t.out.AppendEncode(nil, t.probe.answer)
		return &mcptool.Result{Structured: json.RawMessage(encoded)}, err
	}, mcptool.OutputSchema(t.out.Schema().JSON()))
}

func newSide(goType reflect.Type, d reflectschema.Direction) (side, error) {
	compiled, err := reflectschema.Compile(goType, reflectschema.Options{Direction: d})
	if mistakes := reflectschema.TypeErrors(nil); errors.As(err, &mistakes) && len(mistakes) > 0 {
		return side{}, fmt.Errorf("%w: %w", errRefused, err)
	}
	if err != nil {
		return side{}, fmt.Errorf("registration refuses with a %T: %w", err, err)
	}
	j, err := newJudge(compiled.Schema().JSON())
	if err != nil {
		return side{}, fmt.Errorf("the judge refuses the schema: %w\n%s", err, compiled.Schema().JSON())
	}
	return side{Type: compiled, direction: d, judge: j, hints: harvest(j.schema)}, nil
}

// specifics are what makes one reason for a refusal differ from another of the same class.
var specifics = regexp.MustCompile("not for .*|`[^`]*`|\"[^\"]*\"|-?[0-9][0-9.eE+]*|[A-Za-z_]*\\.[A-Z][A-Za-z0-9_]*|\\bT[0-9]+\\b")

// reasonClass returns what was refused, without names and numbers.
func reasonClass(err error) string {
	if mistakes := reflectschema.TypeErrors(nil); errors.As(err, &mistakes) && len(mistakes) > 0 {
		return specifics.ReplaceAllString(mistakes[0].Reason, "…")
	}
	if first := (*mcptool.RegisterError)(nil); errors.As(err, &first) && len(first.Mistakes) > 0 {
		return "the tool: " + specifics.ReplaceAllString(first.Mistakes[0].Reason, "…")
	}
	return err.Error()
}
