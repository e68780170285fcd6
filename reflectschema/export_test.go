package reflectschema

import (
	"encoding/json"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// TagKeywords returns the keywords of the tag.
func TagKeywords() (names []string) {
	for _, k := range tag.Keywords {
		names = append(names, k.Name)
	}
	return names
}

// CheckOwn returns the mistakes in a type of the author's own module.
func CheckOwn(t reflect.Type, d Direction) error {
	return checkOwn(t, usage{direction: d}, func(reflect.Type) bool { return true })
}

// HasPlan reports whether values of a type are validated in one pass, without the authority.
func HasPlan(t *Type) bool { return t.plan() != nil }

// SchemaError is a mistake in a schema document.
type SchemaError = documentError

// Form is a form for people.
type Form = flatForm

func (t *Type) Form() (*Form, error) { return formOf(t) }

// Agrees, WithSchema, AppendEncode, IsObject and CompileFor are short names of what other packages of this module use.
func (t *Type) Agrees(s *Schema) error { return agree(t, s) }

func (t *Type) WithSchema(s *Schema) (*Type, error) { return withSchema(t, s) }

func (t *Type) AppendEncode(dst []byte, v reflect.Value) ([]byte, error) {
	return t.appendWithin(dst, v, room{})
}

func (s *Schema) IsObject() bool { return s.isObject() }

func CompileFor[T any](d Direction) (*Type, error) { return Compile(reflect.TypeFor[T](), d) }

// CallsMethods, Wrapped, CheckToolTags, Judge and the other funcs up to UnmarshalLenient are the methods of [internals].
func (t *Type) CallsMethods() bool { return internals{}.CallsMethods(t) }

func (s *Schema) Wrapped(property string) (*Schema, bool) { return internals{}.Wrapped(s, property) }

func (t *Type) CheckToolTags() error { return internals{}.CheckToolTags(t) }

// TypeMistakes and TypeErrorsOf are the methods TypeMistakes and TypeErrors of [internals].
func TypeMistakes(err error) []private.TypeMistake { return internals{}.TypeMistakes(err) }

func TypeErrorsOf(mistakes []private.TypeMistake) TypeErrors { return internals{}.TypeErrors(mistakes) }

func (s *Schema) Judge(data []byte) error { return s.checkSlow(data, nil) }

func (s *Schema) Legacy() json.RawMessage { return internals{}.Legacy(s) }

func (s *Schema) LegacyDialect() json.RawMessage { return internals{}.LegacyDialect(s) }

func TagDescription(t reflect.StructTag) (text, key string) { return internals{}.TagDescription(t) }

func UnmarshalLenient[T any](data []byte) (v T, err error) {
	err = internals{}.UnmarshalLenient(data, &v)
	return v, err
}

// TagForm returns the form of a keyword's value in the tag, as documented in doc.go.
func TagForm(keyword string) string { return tag.KeywordNamed(keyword).Form.String() }

// TagDescribes reports whether a keyword applies to the field F of a struct, or, if blank is set, to the struct.
func TagDescribes(keyword string, of reflect.Type, blank bool) bool {
	k := tag.KeywordNamed(keyword)
	if blank {
		return k.DescribesStruct()
	}
	return k.Describes(walk.NewResolver(codec.Input).Run(of).Fields[0].Node)
}

// SetTextFormat sets the format of a type with text methods, as types of well-known packages have one.
func SetTextFormat(of reflect.Type, format string) bool {
	tag.TextTypes[tag.FullName(of)] = tag.TextType{Format: format}
	return true
}

func SchemaForm(schema string) (*Form, error) { return schemaForm([]byte(schema)) }
