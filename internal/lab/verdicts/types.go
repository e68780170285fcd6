package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/crosscheck/gotype"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

var schemas = reflectschema.Internal(private.Key{})

// directions are compiled one after the other.
var directions = []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput, reflectschema.DirectionStored}

// typeCase compiles a random struct in each direction, and decodes and encodes documents.
func typeCase(_ context.Context, g *generator) (input, answer string) {
	t := gotype.NewGenerator(g.Uint64()).Struct(3).Reflect()
	return t.String(), verdictOn(g, t, func(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s)))[:16] })
}

// verdictOn returns the answers about a type, with its schemas as show returns them.
//
//nolint:contextcheck,nolintlint // encoding a value has nothing to cancel; the linter reads this at the callers
func verdictOn(g *generator, t reflect.Type, show func(schema string) string) string {
	var answers []string
	for _, d := range directions {
		compiled, err := reflectschema.Compile(t, d)
		if err != nil {
			answers = append(answers, fmt.Sprintf("refused %d: %v", d, err))
			continue
		}
		answers = append(answers, show(string(compiled.Schema().JSON())))
		if d == reflectschema.DirectionOutput {
			continue
		}
		for range 3 {
			doc := encode(g.valueOf(t, 6))
			dst := reflect.New(t).Elem()
			if err := compiled.Decode(doc, dst); err != nil {
				answers = append(answers, fmt.Sprintf("%s: %v", doc, err))
				continue
			}
			again, err := schemas.AppendEncode(context.Background(), compiled, nil, dst, 0, false)
			answers = append(answers, fmt.Sprintf("%s -> %s %v", doc, again, err))
		}
		if d == reflectschema.DirectionInput {
			_, err := schemas.Form(compiled)
			answers = append(answers, fmt.Sprint("form: ", err))
		}
	}
	return strings.Join(answers, " | ")
}

// encode encodes a generated value.
func encode(v any) []byte {
	doc, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return doc
}

// fieldTypes are the types of a field with a random tag.
var fieldTypes = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[uint8](), reflect.TypeFor[float64](), reflect.TypeFor[bool](), reflect.TypeFor[any](),
	reflect.TypeFor[[]string](), reflect.TypeFor[[]int](), reflect.TypeFor[map[string]int](), reflect.TypeFor[*string](), reflect.TypeFor[*int](), reflect.TypeFor[time.Time](),
	reflect.TypeFor[json.RawMessage](), reflect.TypeFor[[]byte](), reflect.TypeFor[struct{ A int }](), reflect.TypeFor[[2]int](), reflect.TypeFor[reflectschema.Optional[string]](),
	reflect.TypeFor[chan int](), reflect.TypeFor[time.Duration](), reflect.TypeFor[[][]string](), reflect.TypeFor[map[int]string](),
}

var (
	keywords = strings.Fields(`minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format minItems maxItems uniqueItems
		minProperties maxProperties enum enumTitle const default example title description deprecated optional required nullable additionalProperties
		contentMediaType x-order x-mcp-header minimun Maximum maxlength readOnly writeOnly dependentRequired`)
	words     = []string{"0", "1", "-1", "2.5", "7", "1e3", "9999999999999999999", "a", "abc", "^a+$", "(", "email", "date", "uuid", "date-time", "true", "null", "[1]", `{}`, "", "é", `a\\,b`, "2026-01-02", " 1"}
	jsonNames = []string{"a", "a,omitempty", "a,omitzero", ",omitempty", "a,string", "", "-", "a b", "a,inline", "é", "a,unknown"}
)

// tag returns a random tag of a field.
func (g *generator) tag() string {
	var list []string
	for range g.IntN(4) {
		word := pick(g, keywords...)
		if !g.oneIn(6) {
			word += "=" + pick(g, words...)
		}
		list = append(list, word)
	}
	tag := `json:"` + pick(g, jsonNames...) + `"`
	if len(list) > 0 {
		tag += ` jsonschema:"` + strings.ReplaceAll(strings.Join(list, pick(g, ",", ",", ",", ", ")), `"`, `\"`) + `"`
	}
	return tag + pick(g, "", "", "", ` doc:"Some text"`, ` doc:""`, ` yaml:"x"`, ` jsonschema_description:"Other text"`, ` jsonschema:"title=Twice"`, `broken`)
}

// tagCase compiles a struct with one field, or two of them.
func tagCase(_ context.Context, g *generator) (input, answer string) {
	t := g.structType()
	return t.String(), verdictOn(g, t, func(schema string) string { return schema })
}

// structType returns a struct with the given fields and one or two random ones.
func (g *generator) structType(more ...reflect.StructField) reflect.Type {
	fields := append(more, reflect.StructField{Name: "F", Type: pick(g, fieldTypes...), Tag: reflect.StructTag(g.tag())})
	if g.oneIn(4) {
		fields = append(fields, reflect.StructField{Name: "G", Type: pick(g, fieldTypes...), Tag: reflect.StructTag(strings.Replace(g.tag(), `"a`, `"g`, 1))})
	}
	return reflect.StructOf(fields)
}

var (
	toolKeys   = strings.Fields("name title readOnly destructive idempotent openWorld timeout concurrent task ttl scopes askFirst coerce durable omitOutputSchema uri mimeType truncate redOnly auditArguments")
	toolValues = []string{"true", "false", "a", "a b", "10s", "-1s", "3", "0", "required", "optional", "Do {a}?", "Do {x}?", "memo://{a}", "memo:a", "text/plain", "", "a:b"}
)

// toolCase defines a tool, a prompt and a resource whose argument is a struct with an mcp tag.
func toolCase(_ context.Context, g *generator) (input, answer string) {
	var list []string
	for range 1 + g.IntN(4) {
		key := pick(g, toolKeys...)
		if !g.oneIn(3) {
			key += "=" + pick(g, toolValues...)
		}
		list = append(list, key)
	}
	tag := reflect.StructTag(`mcp:"` + strings.Join(list, ",") + `"` + pick(g, "", ` doc:"What it does"`, ` doc:" "`))
	t := g.structType(reflect.StructField{Name: "_", PkgPath: "main", Type: reflect.TypeFor[struct{}](), Tag: tag})
	out := pick(g, reflect.TypeFor[string](), reflect.TypeFor[*mcptool.Result](), reflect.TypeFor[struct{ A int }](), reflect.TypeFor[[]string](), reflect.TypeFor[chan int]())
	var mistakes []string
	for _, options := range []any{[]mcptool.ToolOption{}, []mcptool.PromptOption{}, []mcptool.ResourceOption{}} {
		for _, m := range mcptool.Internal(private.Key{}).Check("f", t, out, options) {
			mistakes = append(mistakes, m.String())
		}
		mistakes = append(mistakes, "|")
	}
	return t.String() + " " + out.String(), strings.Join(mistakes, "\n")
}

// schemaCase parses a random schema, and checks documents with it.
func schemaCase(_ context.Context, g *generator) (input, answer string) {
	raw := encode(g.schema(3))
	schema, err := reflectschema.ParseSchema(raw)
	if err != nil {
		return string(raw), err.Error()
	}
	var answers []string
	for range 5 {
		doc := encode(g.value(3))
		answers = append(answers, fmt.Sprintf("%s: %v", doc, schema.Check(doc)))
	}
	var inTool *mcptool.RegisterError
	if _, err := mcptool.NewRaw("f", raw, handle); errors.As(err, &inTool) {
		for _, m := range inTool.Mistakes { // the text of the error has the line of this call
			answers = append(answers, m.String())
		}
	}
	return string(raw), strings.Join(answers, " | ")
}
