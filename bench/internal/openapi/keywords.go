package openapi

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pb33f/go-yaml"
	"github.com/pb33f/libopenapi/datamodel/high/base"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/datetime"
)

// formats are the formats that the engine checks, without those that have a Go type.
var formats = []string{
	"time", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference", "uri-template", "uuid",
	"json-pointer", "relative-json-pointer", "regex",
}

// keyword returns a keyword of a jsonschema tag, with its commas escaped.
func keyword(name, value string) string { return name + "=" + strings.ReplaceAll(value, ",", `\,`) }

// count returns a keyword for a bound that is a count, nil for one without effect.
func count(name string, bound *int64) []string {
	if bound == nil || *bound == 0 && strings.HasPrefix(name, "min") || *bound < 0 {
		return nil
	}
	return []string{name + "=" + strconv.FormatInt(*bound, 10)}
}

func (sh *shape) lengths() []string {
	return slices.Concat(count("minLength", sh.MinLength), count("maxLength", sh.MaxLength))
}

func (sh *shape) sizes() []string {
	keywords := slices.Concat(count("minItems", sh.MinItems), count("maxItems", sh.MaxItems))
	if isTrue(sh.UniqueItems) {
		keywords = append(keywords, "uniqueItems")
	}
	return keywords
}

func (sh *shape) memberCounts() []string {
	return slices.Concat(count("minProperties", sh.MinProperties), count("maxProperties", sh.MaxProperties))
}

// bounds returns the keywords of a number. Bounds at the limits of int64 have no effect.
func (sh *shape) bounds() (keywords []string) {
	add := func(name string, bound *float64) {
		if bound != nil && math.Abs(*bound) < 1<<63 {
			keywords = append(keywords, name+"="+number(*bound))
		}
	}
	limit := func(name, exclusive string, bound *float64, other *base.DynamicValue[bool, float64]) {
		switch {
		case other != nil && other.IsB(): // since 3.1
			add(name, bound)
			add(exclusive, &other.B)
		case other != nil && other.A:
			add(exclusive, bound)
		default:
			add(name, bound)
		}
	}
	limit("minimum", "exclusiveMinimum", sh.Minimum, sh.ExclusiveMinimum)
	limit("maximum", "exclusiveMaximum", sh.Maximum, sh.ExclusiveMaximum)
	add("multipleOf", sh.MultipleOf)
	return keywords
}

func number(f float64) string {
	if math.Abs(f) >= 1e15 || f != 0 && math.Abs(f) < 1e-6 {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// enum returns the keywords of the only possible values of a scalar.
func (sh *shape) enum() (keywords []string) {
	values := sh.values()
	if len(values) == 1 {
		return []string{keyword("const", values[0].Value)}
	}
	listed := make(map[string]bool, len(values))
	for _, value := range values {
		if word := keyword("enum", value.Value); !listed[word] {
			listed[word], keywords = true, append(keywords, word)
		}
	}
	return keywords
}

// literals returns a keyword whose value is a value of a Go type, nil if a tag cannot express it. A list is repeated keywords.
func literals(name string, n *yaml.Node, goType string) []string {
	element, isList := strings.CutPrefix(goType, "[]")
	switch {
	case n.Value == "null": // the engine refuses the text beside nullable
		return nil
	case n.Kind == yaml.ScalarNode && n.Tag != "!!null" && !isList && !strings.HasPrefix(goType, "map["), goType == "[]byte":
		return []string{keyword(name, n.Value)}
	case isList && n.Kind == yaml.SequenceNode:
		var all []string
		for _, item := range n.Content {
			one := literals(name, item, element)
			if one == nil {
				return nil
			}
			all = append(all, one...)
		}
		return all
	}
	if data := jsonOf(n); strings.HasPrefix(goType, "map[") && len(data) > 2 {
		return []string{keyword(name, data)}
	}
	return nil
}

// example returns the keyword for an example, nil if it is long or cannot be expressed.
func example(n *yaml.Node, goType string) []string {
	if n == nil || n.Kind != yaml.ScalarNode || len(n.Value) > 80 || strings.HasPrefix(goType, "[]") || n.Value == "" {
		return nil
	}
	return literals("example", n, goType)
}

// jsonOf returns a value of the document as JSON, without line breaks.
func jsonOf(n *yaml.Node) string {
	data, _ := json.Marshal(jsonValue(n)) //nolint:errchkjson // it is made of strings, numbers, lists and maps
	return string(data)
}

var errBackslash = errors.New("a tag cannot express a value that ends with a backslash")

// A probedFile is the type File of the generated package.
type probedFile struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

var probes = map[string]reflect.Type{
	"string": reflect.TypeFor[string](), "bool": reflect.TypeFor[bool](), "int32": reflect.TypeFor[int32](), "int64": reflect.TypeFor[int64](),
	"float64": reflect.TypeFor[float64](), "any": reflect.TypeFor[any](), "[]byte": reflect.TypeFor[[]byte](), "File": reflect.TypeFor[probedFile](),
	"json.RawMessage": reflect.TypeFor[json.RawMessage](), "time.Time": reflect.TypeFor[time.Time](), "datetime.Date": reflect.TypeFor[datetime.Date](),
}

// probe returns a type that takes the same keywords as a Go type of the generated package.
func (t *typer) probe(goType string) reflect.Type {
	if known := probes[goType]; known != nil {
		return known
	}
	if rest, ok := strings.CutPrefix(goType, "[]"); ok {
		return reflect.SliceOf(t.probe(rest))
	}
	if rest, ok := strings.CutPrefix(goType, "map[string]"); ok {
		return reflect.MapOf(probes["string"], t.probe(rest))
	}
	switch d := t.declOf(goType); {
	case d == nil, d.Kind == DeclUnion, d.Kind == DeclRaw:
		return probes["any"]
	case d.Kind == DeclEnum:
		return probes["string"]
	case d.Kind == DeclNamed:
		return reflect.TypeFor[[]any]()
	}
	return reflect.TypeFor[struct{}]()
}

// accepted returns the keywords that the engine accepts for a type, and notes the others.
func (t *typer) accepted(p place, probe reflect.Type, keywords []string) []string {
	if len(keywords) == 0 || t.try(probe, keywords) == nil {
		return keywords
	}
	var kept []string
	for len(keywords) > 0 {
		name, _, _ := strings.Cut(keywords[0], "=")
		n := slices.IndexFunc(keywords, func(word string) bool { return word != name && !strings.HasPrefix(word, name+"=") })
		if n < 0 {
			n = len(keywords)
		}
		if err := t.try(probe, slices.Concat(kept, keywords[:n])); err == nil {
			kept = append(kept, keywords[:n]...)
		} else {
			t.note(p, "%s is not checked: %s", strings.Join(keywords[:n], ", "), reason(err))
		}
		keywords = keywords[n:]
	}
	return kept
}

// drop notes keywords that cannot be expressed.
func (t *typer) drop(p place, keywords []string, of string) {
	if len(keywords) > 0 {
		t.note(p, "%s %s is not checked", strings.Join(keywords, ", "), of)
	}
}

// try returns the error of the engine for a field with a tag.
func (t *typer) try(probe reflect.Type, keywords []string) error {
	tag := strings.Join(keywords, ",")
	key := probe.String() + " " + tag
	err, known := t.tries[key]
	if known {
		return err
	}
	if slices.ContainsFunc(keywords, func(word string) bool { return strings.HasSuffix(word, `\`) }) {
		err = errBackslash
	} else {
		field := reflect.StructField{Name: "F", Type: probe, Tag: reflect.StructTag(`json:"f" jsonschema:` + strconv.Quote(tag))}
		_, err = reflectschema.Compile(reflect.StructOf([]reflect.StructField{field}), reflectschema.DirectionInput)
	}
	t.tries[key] = err
	return err
}

// reason returns the reason of an error of the engine, without its location and its advice.
func reason(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	if _, after, ok := strings.Cut(text, "`: "); ok {
		text = after
	}
	text, _, _ = strings.Cut(text, "; ")
	return plainText(text, 200)
}
