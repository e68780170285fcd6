package reflectschema

import (
	"context"
	"errors"
	"reflect"
	"sync"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

// Internals for other packages of the module, not for authors. They are not in the public API, so that they can change.
var (
	_ = private.Provide(private.Schemas[*Type, *Schema]{
		CallsMethods: (*Type).callsMethods,
		Shortener:    (*Type).shortener,
		Wrapped:      (*Schema).wrapped,
		Mistakes: func(s *Schema, report func(pointer, found, why, fix string)) {
			for _, m := range s.document().Mistakes() {
				report(m.Pointer, m.Found, m.Check.Why, m.Check.Fix)
			}
		},
		Judge: func(s *Schema, data []byte) error { return s.judge(data, nil) },
		JudgeArguments: func(s *Schema, data []byte, coerce bool) error {
			changed, _ := s.tolerate(context.Background(), data, &coerce)
			if changed != nil && s.judge(changed, nil) == nil {
				return nil
			}
			return s.judge(s.withoutNulls(data), nil)
		},
		AppendValue: func(ctx context.Context, dst []byte, value any) ([]byte, error) {
			r := roomIn(ctx, dst, 0)
			return appendValueFor(&r, dst, value)
		},
	})
	_ = private.Provide(private.Checks[*Type, *Schema, reflect.Value]{
		DecodeArguments: (*Type).decodeArguments,
		CheckArguments:  (*Schema).checkArguments,
		Append:          (*Type).appendIn,
		Check: func(s *Schema, ctx context.Context, data []byte) error {
			return s.checkFor(processor.CallerIn(ctx), data)
		},
	})
)

// Internals for package lint.
var _ = private.Provide(private.Documents[*Schema, *vet.Document]{Parse: parseDocument, Document: (*Schema).document})

// document returns the document of s, for the checks of package vet.
func (s *Schema) document() *vet.Document {
	return &vet.Document{Root: s.doc(), Misfit: misfitIn(func() *Schema { return s })}
}

// parseDocument is Parse of [private.Documents].
func parseDocument(raw []byte) (*vet.Document, error) {
	root, err := parseObject(raw)
	if err != nil {
		return nil, err
	}
	schema := func() *Schema {
		s, _ := ParseSchema(raw) // nil if the document is not a schema
		return s
	}
	return &vet.Document{Root: root, Misfit: misfitIn(schema)}, nil
}

// misfitIn returns Misfit of [vet.Document]. It calls schema when the first value is checked.
func misfitIn(schema func() *Schema) func(pointer, keyword string, value *jsondoc.Value) string {
	judge := sync.OnceValue(func() *valueJudge { return newValueJudge(schema()) })
	return func(pointer, keyword string, value *jsondoc.Value) string {
		return judge().misfit(pointer, keyword, value)
	}
}

// A valueJudge checks values in a document against the schemas that contain them. A nil valueJudge accepts all values.
type valueJudge struct {
	auth *authority.Authority
	at   map[string]string // locations of schemas, by pointer
}

// newValueJudge returns nil if the document cannot be compiled, or if parts of it cannot be used on their own.
func newValueJudge(s *Schema) *valueJudge {
	if s == nil {
		return nil
	}
	auth, err := s.compiled()
	if err != nil || auth.Scoped != "" {
		return nil
	}
	j := &valueJudge{auth: auth, at: make(map[string]string, len(auth.At))}
	for location := range auth.At {
		if len(location) >= len(authority.DocumentURL) && location[:len(authority.DocumentURL)] == authority.DocumentURL {
			j.at[jsondoc.FragmentPointer(location)] = location
		}
	}
	return j
}

// misfit describes why the value of a keyword does not fit the schema at a pointer, or returns "".
func (j *valueJudge) misfit(pointer, keyword string, value *jsondoc.Value) string {
	if j == nil {
		return ""
	}
	location, known := j.at[pointer]
	if !known {
		return ""
	}
	v, err := parseStrict(value.AppendTo(nil))
	if err != nil {
		return ""
	}
	invalid := (*InvalidError)(nil)
	if !errors.As((reporter{j.auth}).check(j.auth.At[location], v, nil), &invalid) || invalid.Violations[0].Keyword == keywordCheck {
		return ""
	}
	first := invalid.Violations[0]
	if first.Keyword == keyword { // a value of the wrong type is reported as not listed
		return "is not of the type that is asked for"
	}
	return first.line()
}
