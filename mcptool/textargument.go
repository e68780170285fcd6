package mcptool

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// textArguments are arguments that clients send as text: the arguments of a prompt, and the variables of a URI
// template. They are converted to the JSON of their types, and then decoded and checked like the arguments of a tool.
type textArguments []textArgument

// textArgument is one argument that clients send as text. Its name is the JSON name of a field of In, its title and
// description come from tags, and it is required as an argument of a tool is.
type textArgument struct {
	private.PromptArgument

	types    jsondoc.Types // string, or integer, number or boolean
	isAbsent bool          // an empty text means absent: it is optional, and its schema does not allow ""
	values   []string      // the values of an enum or a boolean, in order; nil if others are allowed
}

// maxArgumentDepth is the nesting depth of arguments in a request: an object of strings.
const maxArgumentDepth = 2

// newTextArguments returns the arguments of an item of this kind, which the schema of In describes, and notes arguments
// that text cannot express.
func newTextArguments(fs *findings, kind itemKind, schema *reflectschema.Schema, in reflect.Type) (list textArguments) {
	if in.Kind() == reflect.Map {
		fs.typeMistake(in, "", fmt.Sprintf("the arguments of a %s are the fields of its type, but a map has none", kind), "use a struct with one field per argument")
		return nil
	}
	doc := jsondoc.Parse(schema.JSON())
	properties := doc.Get("properties")
	if properties == nil {
		return nil
	}
	required := doc.Get("required").Texts()
	for _, m := range properties.Members {
		types := m.Value.Get("type").Types()
		switch types {
		case jsondoc.TypeString, jsondoc.TypeInteger, jsondoc.TypeNumber, jsondoc.TypeBool:
		default:
			fs.typeMistake(in, m.Name, fmt.Sprintf("clients send the arguments of a %s as strings, but this one is not a string, number or boolean", kind),
				"use a basic type, a time, or a type with MarshalText and UnmarshalText")
		}
		about := private.PromptArgument{Name: m.Name, Title: m.Value.Get("title").Text(), Description: m.Value.Get("description").Text(), Required: slices.Contains(required, m.Name)}
		isAbsent := !about.Required && refuses(m.Value, `""`)
		list = append(list, textArgument{about, types, isAbsent, valuesOf(m.Value, types)})
	}
	return list
}

// valuesOf returns the values that a schema lists, as text; nil if it allows others.
func valuesOf(schema *jsondoc.Value, types jsondoc.Types) (values []string) {
	for _, v := range schema.Listed() {
		values = append(values, cmp.Or(v.Text(), strings.Trim(string(v.Raw), `"`))) // as a client sends it
	}
	if values == nil && types == jsondoc.TypeBool {
		return []string{"true", "false"}
	}
	return values
}

// refuses reports whether a schema does not allow a value, which is JSON.
func refuses(schema *jsondoc.Value, value string) bool {
	s, err := reflectschema.ParseSchema(schema.AppendTo(nil))
	return err == nil && s.Check([]byte(value)) != nil
}

// find returns the argument with this name; nil if there is none.
func (l textArguments) find(name string) *textArgument {
	for i := range l {
		if l[i].Name == name {
			return &l[i]
		}
	}
	return nil
}

// object returns arguments that a client has sent, an object of strings, as JSON of their types.
func (l textArguments) object(owner string, args []byte) ([]byte, error) {
	s := rawjson.New(args, maxArgumentDepth)
	s.OpenObject()
	dst := append(make([]byte, 0, len(args)), '{')
	for name, ok := s.Member(); ok; name, ok = s.Member() {
		key := string(name)
		value := s.Value()
		if s.Err() != nil { // nested too deeply, for example
			break
		}
		if a := l.find(key); a != nil && !a.Required && rawjson.KindOf(value) == rawjson.Null {
			continue // absent
		}
		if rawjson.KindOf(value) != rawjson.String {
			return nil, &ArgumentError{Tool: owner, Err: &reflectschema.InvalidError{Total: 1, Violations: []reflectschema.Violation{{
				Path: key, Pointer: "/" + jsondoc.EscapeToken(key), Keyword: "type", Want: "string", Got: shorten(string(value)),
			}}}}
		}
		dst = l.append(dst, key, string(rawjson.Unquote(value)))
	}
	s.End()
	if err := s.Err(); err != nil {
		return nil, &ArgumentError{Tool: owner, Err: errors.New("the arguments are not an object of strings")}
	}
	return append(dst, '}'), nil
}

// append appends an argument as a member of an object. A text that cannot be converted to the type of the argument
// stays a string, so that the check of the arguments reports it.
func (l textArguments) append(dst []byte, name, text string) []byte {
	a := l.find(name)
	trimmed := strings.TrimSpace(text)
	if a != nil && a.isAbsent && trimmed == "" {
		return dst
	}
	if a == nil || a.types == jsondoc.TypeString {
		return rawjson.AppendString(rawjson.AppendName(dst, name), text)
	}
	if a.types == jsondoc.TypeBool {
		trimmed = strings.ToLower(trimmed)
	}
	dst = rawjson.AppendName(dst, name)
	begin := len(dst)
	dst = append(dst, trimmed...)
	value := dst[begin:]
	if kind := rawjson.KindOf(value); (kind == rawjson.Number || kind == rawjson.Bool) && rawjson.Valid(value, 1) == nil {
		return dst
	}
	return rawjson.AppendString(dst[:begin], text)
}
