package reflectschema

import (
	"context"
	"errors"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// For packages mcptool and runtime.

// CompileUndescribed is [Compile] for a caller that publishes the description of the root type elsewhere: the schema
// omits it, and a description of a struct embedded in the root is not an error. Nested types keep their descriptions.
func (internals) CompileUndescribed(t reflect.Type, d Direction) (*Type, error) {
	return compileAs(t, usage{d, true})
}

// CompileOutput returns the error of [Compile] for the type that a pointer points at, as an output.
func (internals) CompileOutput(pointer any) error {
	_, err := Compile(reflect.TypeOf(pointer).Elem(), DirectionOutput)
	return err
}

// UnmarshalLenient decodes the members of data that dst has, which is a non-nil pointer. It is for the messages of a protocol,
// where a peer may omit members and add others. It decodes like [Type.Decode] with [DirectionInput], but accepts members
// without a field, null for everything, and values that violate the tags. An absent or null member has its default, or is
// zero, whatever its type. Null elsewhere, such as in an array, is zero, unless the type reads null itself, as
// [encoding/json.RawMessage] does, or has a registered schema that allows null. Unions are decoded by their discriminator.
//
// The error is a [TypeErrors] if the type cannot be compiled as an input; and an [*InvalidError] if data is not strict JSON
// (see [Schema.Check]), or a value is of another type than its field. With an error, the result is the zero value.
func (i internals) UnmarshalLenient(data []byte, dst any) error {
	v := reflect.ValueOf(dst).Elem()
	t, err := Compile(v.Type(), DirectionInput)
	if err != nil {
		v.SetZero()
		return err
	}
	return i.DecodeLenient(t, data, v)
}

// WithSchema is withSchema.
func (internals) WithSchema(t *Type, s *Schema) (*Type, error) { return withSchema(t, s) }

// IsObject is [Schema.isObject].
func (internals) IsObject(s *Schema) bool { return s.isObject() }

// AppendValue is [AppendValue] for a call, with the limits of AppendEncode.
func (internals) AppendValue(ctx context.Context, dst []byte, value any, isResponse bool) ([]byte, error) {
	return inRoom(ctx, dst, 0, isResponse, func(r room) ([]byte, error) { return appendValueWithin(dst, value, r) })
}

// CallsMethods reports whether decoding or encoding may call methods on a value of the type itself, or on a value that it
// contains without a pointer between them: UnmarshalJSON of a field, for example. Such a method may keep the pointer that
// it is called on. If there is none, nothing keeps a pointer into a value that was decoded or encoded.
func (internals) CallsMethods(t *Type) bool {
	t.root()
	return t.graph.methods
}

// CheckToolTags returns a [TypeErrors] with every mcp tag in the type that describes no tool, nil if there are none. Such
// a tag does if it is on a blank field of the type itself, if that is an input and a struct.
func (internals) CheckToolTags(t *Type) error { return t.misplaced }

// Mistakes calls report for every mistake in a schema written by hand: the findings of lint.ProfileAnyClient above SeverityAdvice.
func (internals) Mistakes(s *Schema, report func(pointer, found, why, fix string)) {
	for _, m := range s.document().Mistakes() {
		report(m.Pointer, m.Found, m.Check.Why, m.Check.Fix)
	}
}

// CheckOwn returns the mistakes that [Compile] ignored, because encoding/json does, in structs for which isOwn returns
// true: a [TypeErrors]. It returns nil for a schema that is not derived from a Go type.
func (internals) CheckOwn(s *Schema, isOwn func(reflect.Type) bool) error {
	if s == nil || s.owner == nil {
		return nil
	}
	return checkOwn(s.owner.goType, s.owner.usage, isOwn)
}

func checkOwn(t reflect.Type, as usage, isOwn func(reflect.Type) bool) error {
	r := walk.NewResolver(codec.Direction(as.direction))
	r.OmitsRootDescription, r.IsOwn = as.omitsRootDescription, isOwn
	r.Run(t)
	return typeErrors(r.Sorted())
}

// TypeErrors returns mistakes as errors.
func (internals) TypeErrors(mistakes []private.TypeMistake) TypeErrors {
	errs := make(TypeErrors, len(mistakes))
	for i := range mistakes {
		errs[i] = (*typeError)(&mistakes[i])
	}
	return errs
}

// TypeMistakes returns the mistakes in a [TypeErrors] that err is or wraps, nil if there is none.
func (internals) TypeMistakes(err error) []private.TypeMistake {
	errs, _ := errors.AsType[TypeErrors](err)
	var mistakes []private.TypeMistake
	for _, err := range errs {
		if e, ok := err.(*typeError); ok { //nolint:errorlint // typeErrors are not wrapped in TypeErrors
			mistakes = append(mistakes, private.TypeMistake(*e))
		} else { // made by a program
			mistakes = append(mistakes, private.TypeMistake{Reason: err.Error()})
		}
	}
	return mistakes
}

// IsAuthored reports whether the type is a struct with tags of this package, see the package documentation.
func (internals) IsAuthored(t reflect.Type) bool { return walk.IsAuthored(t) }

// TagDescription returns the description in a struct tag, and the key of the tag that contains it: doc,
// jsonschema_description or jsonschema. Both are "" if there is none. It does not report mistakes in the tag; [Compile]
// does.
func (internals) TagDescription(structTag reflect.StructTag) (text, key string) {
	pairs, _ := tag.Split(structTag)
	read := tag.Parse(pairs)
	if read.Description == "" {
		return "", ""
	}
	for _, p := range pairs {
		if p.Text == read.From {
			return read.Description, p.Key
		}
	}
	return read.Description, "jsonschema" // its keyword description
}

// Root returns the parsed schema, which must not be modified.
func (internals) Root(s *Schema) *jsondoc.Value { return s.doc() }

// For tests, and for package mcptooltest.

// Judge is [Schema.Check] by the validator alone, without the rules that decide most checks faster. The verdict is the
// same.
func (internals) Judge(s *Schema, data []byte) error { return s.checkSlow(data, nil) }

// JudgeArguments is Judge for the arguments of a call, in the form that CheckArguments accepts.
func (internals) JudgeArguments(s *Schema, data []byte, coerce bool) error {
	changed, _ := s.tolerate(data, coerce, nil)
	if changed != nil && s.checkSlow(changed, nil) == nil {
		return nil
	}
	return s.checkSlow(s.withoutNulls(data, nil), nil)
}

// For package samples.

// Node returns the node of the type that a schema is derived from; nil if there is no such type.
func (internals) Node(s *Schema) *codec.Node {
	if s.owner == nil {
		return nil
	}
	return s.owner.root()
}

// Fits reports whether a value fits a schema. If it is derived from a Go type, the type can decode the value.
func (internals) Fits(s *Schema, value []byte) bool {
	if s.owner != nil {
		return s.owner.fits(value)
	}
	return s.fits(value)
}

// For package lint.

// ParseDocument reads a document that may be an invalid schema, but must be an object in strict JSON. The error for any
// other document is a *documentError.
func (internals) ParseDocument(raw []byte) (*vet.Document, error) {
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

// Document returns the document of a schema.
func (internals) Document(s *Schema) *vet.Document { return s.document() }
