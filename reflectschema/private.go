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

// What other packages of the module need of schemas and authors do not: it is in no public API, so that it can change.
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

// What package lint needs.
var _ = private.Provide(private.Documents[*Schema, *vet.Document]{Parse: parseDocument, Document: (*Schema).document})

// document returns the document of s, to be vetted.
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
		s, _ := ParseSchema(raw) // nil if the document is no schema
		return s
	}
	return &vet.Document{Root: root, Misfit: misfitIn(schema)}, nil
}

// misfitIn returns Misfit of [vet.Document]. It asks for the schema when there is the first value to check.
func misfitIn(schema func() *Schema) func(pointer, keyword string, value *jsondoc.Value) string {
	judge := sync.OnceValue(func() *valueJudge { return newValueJudge(schema()) })
	return func(pointer, keyword string, value *jsondoc.Value) string {
		return judge().misfit(pointer, keyword, value)
	}
}

// valueJudge holds values in a document against the schemas that they stand in. A nil one finds nothing.
type valueJudge struct {
	auth *authority.Authority
	at   map[string]string // locations of schemas, by pointer
}

// newValueJudge returns nil for a document that cannot be used for checking.
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

// misfit says what is wrong with the value of a keyword in the schema at a pointer, "" if
// nothing is.
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
	if first.Keyword == keyword { // what has the wrong type is told as not being listed
		return "is not of the type that is asked for"
	}
	return first.line()
}
