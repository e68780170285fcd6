package openapi

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pb33f/go-yaml"
	"github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	"github.com/pb33f/libopenapi/orderedmap"
)

// schemasOf parses a document whose components are the given YAML.
func schemasOf(t *testing.T, version, components string) *orderedmap.Map[string, *base.SchemaProxy] {
	t.Helper()
	text := "openapi: " + version + "\ninfo: {title: t, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n"
	for line := range strings.Lines(components) {
		text += "    " + line
	}
	document, err := libopenapi.NewDocument([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	model, err := document.BuildV3Model()
	if model == nil {
		t.Fatal(err)
	}
	return model.Model.Components.Schemas
}

// translate translates the schemas In, as arguments, and Out, as a result, of YAML components. An operation uses both. The types have
// names that are not taken.
func translate(t *testing.T, version, components string, u use, taken map[string]bool) (*API, error) {
	t.Helper()
	schemas := schemasOf(t, version, components)
	op := &Operation{Args: &Decl{GoName: uniqueName(taken, "CallIn", "", 0), Kind: DeclStruct}}
	api := &API{Services: []*Service{{GoName: "Calls", Operations: []*Operation{op}}}}
	typer := newTyper(api, schemas, taken)
	err := typer.attempt(func() {
		if in, ok := schemas.Get("In"); ok {
			op.Args.Fields = append(op.Args.Fields, typer.field(place{"POST /call", "body", "CallInBody"}, "Body", "body", true, in, u))
		}
		if out, ok := schemas.Get("Out"); ok {
			op.Result = Result{Kind: ResultJSON, Type: typer.of(place{"POST /call", "result", "CallOut"}, out, use{Result: true}).Go}
		}
	})
	if err != nil {
		return nil, err
	}
	typer.finish()
	return api, nil
}

// declarations returns the declarations of an API as Go, in the order of their names.
func declarations(api *API) string {
	decls := slices.Clone(api.Types)
	for _, s := range api.Services {
		decls = append(decls, s.Types...)
		for _, op := range s.Operations {
			decls = append(decls, op.Args)
			if op.Result.Type != "" {
				decls = append(decls, &Decl{GoName: "Result" + strings.TrimPrefix(op.Args.GoName, "CallIn"), Kind: DeclNamed, Type: "= " + op.Result.Type})
			}
		}
	}
	slices.SortFunc(decls, func(a, b *Decl) int { return cmp.Compare(a.GoName, b.GoName) })
	var b bytes.Buffer
	for _, d := range decls {
		writeDecl(&b, d)
	}
	formatted, err := format.Source(b.Bytes())
	if err != nil {
		return err.Error() + "\n" + b.String()
	}
	return string(formatted)
}

func writeDecl(b *bytes.Buffer, d *Decl) {
	switch d.Kind {
	case DeclStruct:
		fmt.Fprintf(b, "type %s struct {\n", d.GoName)
		for _, f := range d.Fields {
			name := f.JSON
			if f.Absent {
				name += ",omitzero"
			}
			tag := "json:" + strconv.Quote(name)
			if f.Keywords != nil {
				tag += " jsonschema:" + strconv.Quote(strings.Join(f.Keywords, ","))
			}
			if f.Doc != "" {
				tag += " doc:" + strconv.Quote(f.Doc)
			}
			quoted := "`" + tag + "`"
			if strings.Contains(tag, "`") {
				quoted = strconv.Quote(tag)
			}
			fmt.Fprintf(b, "%s %s %s\n", f.GoName, f.Type, quoted)
		}
		fmt.Fprintln(b, "}")
	case DeclEnum:
		fmt.Fprintf(b, "type %s %s\nconst (\n", d.GoName, d.Type)
		for _, v := range d.Values {
			fmt.Fprintf(b, "%s %s = %q\n", v.GoName, d.GoName, v.Value)
		}
		fmt.Fprintln(b, ")")
	case DeclNamed:
		fmt.Fprintf(b, "type %s %s\n", d.GoName, d.Type)
	case DeclRaw:
		fmt.Fprintf(b, "type %s struct{ json.RawMessage } // %s\n", d.GoName, d.Schema)
	case DeclUnion:
		fmt.Fprintf(b, "type %s interface{ is%[1]s() } // %s", d.GoName, d.Discriminator)
		for _, m := range d.Members {
			fmt.Fprintf(b, ", %s: %s", m.Value, m.GoName)
		}
		fmt.Fprintln(b)
	}
}

// typeCases are documents with lines of the declarations, and notes, that they must lead to.
var typeCases = []struct {
	name, version, components string
	use                       use
	want                      []string // lines, without alignment
	absent                    []string
	notes                     []string
}{
	{
		name: "arguments have constraints, results do not", version: "3.0.3",
		components: `
In: {$ref: '#/components/schemas/Pet'}
Out: {type: array, items: {$ref: '#/components/schemas/Pet'}}
Pet:
  type: object
  description: A pet.
  required: [id, name]
  properties:
    id: {type: integer, format: int64, readOnly: true}
    name: {type: string, minLength: 1, pattern: '^[a-z,]+$'}
    secret: {type: string, writeOnly: true}
    born: {type: string, format: date-time}
    count: {type: integer, format: int32, minimum: 0, exclusiveMinimum: true, default: 5}
    kids: {type: array, maxItems: 3, items: {$ref: '#/components/schemas/Pet'}}
`,
		want: []string{
			"type CallIn struct {", "Body PetInput `json:\"body\" doc:\"A pet.\"`",
			"ID int64 `json:\"id\"`", "Name string `json:\"name\"`",
			"Name string `json:\"name\" jsonschema:\"minLength=1,pattern=^[a-z\\\\,]+$\"`",
			"Secret *string `json:\"secret,omitzero\"`", "Born *time.Time `json:\"born,omitzero\"`", "Born *string `json:\"born,omitzero\"`",
			"Count int32 `json:\"count,omitzero\" jsonschema:\"exclusiveMinimum=0,default=5\"`",
			"Kids []PetInput `json:\"kids,omitzero\" jsonschema:\"maxItems=3\"`", "type Result = []Pet",
		},
	},
	{
		name: "equal arguments and results are one type", version: "3.0.3",
		components: `
In: {$ref: '#/components/schemas/Node'}
Out: {$ref: '#/components/schemas/Node'}
Node:
  type: object
  required: [name, code]
  properties:
    name: {type: string}
    left: {$ref: '#/components/schemas/Node'}
    others: {type: object, additionalProperties: {$ref: '#/components/schemas/Node'}}
`,
		want: []string{
			"Body Node `json:\"body\"`", "type Result = Node", "Code any `json:\"code\"`", "Left *Node `json:\"left,omitzero\"`", "Others map[string]Node `json:\"others,omitzero\"`",
		},
		absent: []string{"NodeInput"},
	},
	{
		name: "null and absent", version: "3.1.0",
		components: `
In:
  type: object
  required: [a, b, c]
  properties:
    a: {type: [string, 'null'], minLength: 2}
    b: {anyOf: [{type: integer}, {type: 'null'}]}
    c: {type: [array, 'null'], items: {type: string}}
    d: {type: [string, 'null'], enum: [x, y, null]}
    e: {type: boolean}
    f: {type: [string, 'null'], default: z}
Out: {$ref: '#/components/schemas/In'}
`,
		want: []string{
			"A *string `json:\"a\" jsonschema:\"minLength=2,nullable,required\"`", "B *int64 `json:\"b\" jsonschema:\"nullable,required\"`",
			"C []string `json:\"c\" jsonschema:\"nullable\"`", "D mcptool.Optional[string] `json:\"d,omitzero\" jsonschema:\"enum=x,enum=y\"`",
			"E *bool `json:\"e,omitzero\"`", "F *string `json:\"f,omitzero\" jsonschema:\"default=z,nullable\"`",
			"A *string `json:\"a\"`", "C []string `json:\"c\"`", "D *string `json:\"d,omitzero\"`",
		},
	},
	{
		name: "defaults of a PATCH are not applied", version: "3.0.3", use: use{Patch: true},
		components: `
In: {type: object, properties: {size: {type: integer, default: 10, description: Size.}, name: {type: string, nullable: true}}}
`,
		want: []string{"Size *int64 `json:\"size,omitzero\" doc:\"Size. (default 10)\"`", "Name mcptool.Optional[string] `json:\"name,omitzero\"`"},
	},
	{
		name: "allOf is merged", version: "3.0.3",
		components: `
In:
  allOf:
    - $ref: '#/components/schemas/Base'
    - type: object
      required: [name, extra]
      properties:
        name: {maxLength: 5, description: The name.}
        extra: {allOf: [{$ref: '#/components/schemas/Kind'}], description: Its kind.}
Base: {type: object, required: [id], properties: {id: {type: integer}, name: {type: string, minLength: 1, maxLength: 9}}}
Kind: {type: string, enum: [cat, small dog, '+1']}
`,
		want: []string{
			"ID int64 `json:\"id\"`", "Name string `json:\"name\" jsonschema:\"minLength=1,maxLength=5\" doc:\"The name.\"`",
			"Extra Kind `json:\"extra\" jsonschema:\"enum=cat,enum=small dog,enum=+1\" doc:\"Its kind.\"`",
			"KindSmallDog Kind = \"small dog\"", "KindPlus1 Kind = \"+1\"",
		},
		absent: []string{"type Base "},
	},
	{
		name: "unions", version: "3.0.3",
		components: `
In:
  type: object
  required: [shape]
  properties:
    shape:
      oneOf: [{$ref: '#/components/schemas/Circle'}, {$ref: '#/components/schemas/Group'}]
      discriminator: {propertyName: kind, mapping: {circle: '#/components/schemas/Circle', group: Group}}
Circle: {type: object, required: [kind, r], properties: {kind: {type: string}, r: {type: number, minimum: 0}}}
Group: {type: object, required: [kind], properties: {kind: {type: string}, parts: {type: array, items: {$ref: '#/components/schemas/In'}}}}
Out: {$ref: '#/components/schemas/In'}
`,
		want: []string{
			"type CallInBodyShape interface{ isCallInBodyShape() } // kind, circle: Circle, group: Group", "R float64 `json:\"r\" jsonschema:\"minimum=0\"`",
			"Shape json.RawMessage `json:\"shape\"`", "Parts []CallInBodyInput `json:\"parts,omitzero\"`",
		},
		absent: []string{"Kind "},
	},
	{
		name: "choices that Go does not have", version: "3.1.0",
		components: `
In:
  type: object
  required: [key]
  properties:
    key: {type: [string, integer]}
    id: {type: [string, integer]}
    size: {oneOf: [{type: string}, {type: integer}]}
    ids: {type: array, items: {type: [string, integer]}}
    text: {oneOf: [{type: string, enum: [a]}, {const: b}]}
    amount: {anyOf: [{type: integer}, {type: number}]}
    filter: {oneOf: [{type: string, maxLength: 9}, {type: array, items: {$ref: '#/components/schemas/In'}}]}
    pair: {type: array, prefixItems: [{type: string}, {type: integer}]}
    either: {type: object, properties: {x: {type: string}, y: {type: string}}, anyOf: [{required: [x]}, {required: [y]}]}
`,
		want: []string{
			`type StringOrInteger struct{ json.RawMessage } // {"anyOf":[{"type":"string"},{"type":"integer"}]}`, "IDs []StringOrInteger `json:\"ids,omitzero\"`", "Key *StringOrInteger `json:\"key\" jsonschema:\"required\"`", "ID *StringOrInteger `json:\"id,omitzero\"`", "Size *StringOrInteger `json:\"size,omitzero\"`", "Text *string `json:\"text,omitzero\" jsonschema:\"enum=a,enum=b\"`",
			"Amount *float64 `json:\"amount,omitzero\"`", "Either *CallInBodyEither `json:\"either,omitzero\"`",
			`type CallInBodyPair struct{ json.RawMessage } // {"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]}`,
		},
		absent: []string{"Filter map", "StringOrInteger2"},
		notes:  []string{"the choice between groups of required members is not checked"},
	},
	{
		name: "a discriminator with two values for a struct", version: "3.0.3",
		components: `
In: {oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: kind, mapping: {cat: '#/components/schemas/Cat', kitten: Cat, dog: Dog}}}
Cat: {type: object, required: [kind], properties: {kind: {type: string}, claws: {type: integer}}}
Dog: {type: object, required: [kind], properties: {kind: {type: string}}}
`,
		want: []string{
			"Body *CallInBody `json:\"body\" jsonschema:\"required\"`",
			`type CallInBody struct{ json.RawMessage } // {"anyOf":[{"type":"object","properties":{"kind":{"type":"string"},"claws":{"type":"integer"}},"required":["kind"]},{"type":"object","properties":{"kind":{"type":"string"}},"required":["kind"]}]}`,
		},
	},
	{
		name: "subtypes of a discriminator", version: "3.0.3",
		components: `
In: {type: object, required: [pet], properties: {pet: {$ref: '#/components/schemas/Pet'}}}
Pet:
  type: object
  required: [kind]
  properties: {kind: {type: string}, name: {type: string}}
  discriminator: {propertyName: kind, mapping: {cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}}
Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, properties: {claws: {type: integer}}}]}
Dog: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, properties: {friend: {$ref: '#/components/schemas/Pet'}}}]}
Out: {$ref: '#/components/schemas/In'}
`,
		want: []string{
			"Pet Pet `json:\"pet\"`", "type Pet interface{ isPet() } // kind, cat: Cat, dog: Dog", "Claws *int64 `json:\"claws,omitzero\"`", //nolint:dupword // a list of values
			"Friend Pet `json:\"friend,omitzero\"`", "Pet json.RawMessage `json:\"pet\"`",
		},
		absent: []string{"Kind "},
	},
	{
		name: "recursion without structs", version: "3.0.3",
		components: `
In: {$ref: '#/components/schemas/Tree'}
Tree: {type: array, items: {$ref: '#/components/schemas/Tree'}}
Out: {$ref: '#/components/schemas/Table'}
Table: {type: object, additionalProperties: {$ref: '#/components/schemas/Table'}}
`,
		want: []string{"type Tree []Tree", "Body Tree `json:\"body\"`", "type Table map[string]Table", "type Result = Table"},
	},
	{
		name: "a struct that requires itself", version: "3.0.3",
		components: `
In: {$ref: '#/components/schemas/A'}
A: {type: object, required: [b], properties: {b: {$ref: '#/components/schemas/B'}}}
B: {type: object, required: [a], properties: {a: {$ref: '#/components/schemas/A'}}}
`,
		want: []string{"B B `json:\"b\"`", "A *A `json:\"a,omitzero\"`"}, //nolint:dupword // a list of values
	},
	{
		name: "what the engine refuses is left out", version: "3.0.3",
		components: `
In:
  type: object
  properties:
    look: {type: string, pattern: '^(?=a)', maxLength: 3}
    slashes: {type: string, pattern: '/^[a-z]+$/i'}
    dir: {type: string, pattern: '^/a/$'}
    bad: {type: integer, default: many, minimum: 5, maximum: 9223372036854775807}
    path: {type: string, default: 'C:\'}
    map: {type: object, additionalProperties: {type: string, minLength: 1}}
    'a"b': {type: string}
    password: {type: string, format: password}
    state: {type: string, enum: ['null', open]}
`,
		want: []string{
			"State *string `json:\"state,omitzero\"`",
			"Look *string `json:\"look,omitzero\" jsonschema:\"maxLength=3\"`", "Slashes *string `json:\"slashes,omitzero\"`", "Dir *string `json:\"dir,omitzero\" jsonschema:\"pattern=^/a/$\"`", "Bad *int64 `json:\"bad,omitzero\" jsonschema:\"minimum=5\"`",
			"Path *string `json:\"path,omitzero\"`", "Password *string `json:\"password,omitzero\"`",
		},
		notes: []string{
			"pattern=/^[a-z]+$/i is not checked: no text matches it",
			"pattern=^(?=a) is not checked", "the default many is left out", "minLength=1 of the values of a map is not checked",
			"encoding/json does not support the name", "ends with a backslash", "enum=null, enum=open is not checked",
		},
	},
	{
		name: "names that collide", version: "3.0.3",
		components: `
In: {type: object, properties: {pet_id: {type: string}, petId: {type: string}, '+1': {type: integer}, '-1': {type: integer}, '名': {type: string}, client: {$ref: '#/components/schemas/client'}}}
client: {type: object, properties: {a: {type: string}}}
`,
		want: []string{
			"PetID *string `json:\"pet_id,omitzero\"`", "PetID2 *string `json:\"petId,omitzero\"`", "Plus1 *int64 `json:\"+1,omitzero\"`",
			"Minus1 *int64 `json:\"-1,omitzero\"`", "X名 *string `json:\"名,omitzero\"`", "Client *Client2 `json:\"client,omitzero\"`",
		},
	},
	{
		name: "schemas that allow anything", version: "3.1.0",
		components: `
In: {type: object, properties: {a: {}, b: true, c: {type: object}, d: {type: array}, e: {type: object, additionalProperties: true}, f: {type: 'null'}}}
`,
		want: []string{
			"A any `json:\"a,omitzero\"`", "B any `json:\"b,omitzero\"`", "C map[string]any `json:\"c,omitzero\"`", "D []any `json:\"d,omitzero\"`",
			"E map[string]any `json:\"e,omitzero\"`", "F any `json:\"f,omitzero\"`",
		},
	},
	{
		name: "keywords beside a reference", version: "3.1.0",
		components: `
In: {type: object, properties: {owner: {$ref: '#/components/schemas/User', description: Who owns it., deprecated: true}, id: {$ref: '#/components/schemas/ID', readOnly: true}}}
User: {type: object, description: A user., properties: {name: {type: string}}}
ID: {type: string}
`,
		want:   []string{"Owner *User `json:\"owner,omitzero\" jsonschema:\"deprecated\" doc:\"Who owns it.\"`"},
		absent: []string{"ID "},
	},
}

func TestTypes(t *testing.T) {
	for _, tt := range typeCases {
		t.Run(tt.name, func(t *testing.T) {
			api, err := translate(t, tt.version, tt.components, tt.use, reservedNames())
			if err != nil {
				t.Fatal(err)
			}
			got := declarations(api)
			var lines []string
			for line := range strings.Lines(got) {
				lines = append(lines, strings.Join(strings.Fields(line), " "))
			}
			for _, want := range tt.want {
				if !slices.Contains(lines, want) {
					t.Errorf("no line\n\t%s", want)
				}
			}
			for _, absent := range tt.absent {
				if slices.ContainsFunc(lines, func(line string) bool {
					return strings.HasPrefix(line, absent) || strings.Contains(line, "type "+absent)
				}) {
					t.Errorf("a line has %q", absent)
				}
			}
			for _, note := range tt.notes {
				if !slices.ContainsFunc(api.Notes, func(n Note) bool { return strings.Contains(n.Text, note) }) {
					t.Errorf("no note contains %q: %v", note, api.Notes)
				}
			}
			if t.Failed() {
				t.Logf("the declarations are\n%s", got)
			}
		})
	}
}

func TestRecursiveAllOf(t *testing.T) {
	for _, components := range []string{
		"In: {allOf: [{$ref: '#/components/schemas/In'}, {type: object}]}",
		"In: {$ref: '#/components/schemas/A'}\nA: {allOf: [{$ref: '#/components/schemas/B'}]}\nB: {allOf: [{$ref: '#/components/schemas/A'}]}",
	} {
		if _, err := translate(t, "3.0.3", components, use{}, reservedNames()); err == nil || !strings.Contains(err.Error(), "contains itself through allOf") {
			t.Errorf("%s: the error is %v", components, err)
		}
	}
}

func TestPrune(t *testing.T) {
	schemas := schemasOf(t, "3.0.3", `
Pet: {type: object, properties: {id: {type: integer}, name: {type: string}, owner: {$ref: '#/components/schemas/User'}, tags: {type: array, items: {$ref: '#/components/schemas/User'}}}}
User: {type: object, properties: {login: {type: string}, email: {type: string}}}
Pets: {type: array, items: {$ref: '#/components/schemas/Pet'}}
`)
	prune := func(fields ...string) (*API, error) {
		op := &Operation{Args: &Decl{GoName: "CallIn", Kind: DeclStruct}}
		api := &API{Services: []*Service{{GoName: "Calls", Operations: []*Operation{op}}}}
		typer := newTyper(api, nil, reservedNames())
		at := place{"GET /pets", "result", "ListPetsOut"}
		pets, _ := schemas.Get("Pets")
		err := typer.attempt(func() {
			op.Result.Type = typer.prune(at, typer.of(at, pets, use{Result: true}), fields).Go
		})
		typer.finish()
		return api, err
	}
	api, err := prune("id", "owner", "tags.login")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(declarations(api)), " ")
	want := "type CallIn struct { } type ListPetsOut struct { ID *int64 `json:\"id,omitzero\"` Owner *User `json:\"owner,omitzero\"` " +
		"Tags []ListPetsOutTags `json:\"tags,omitzero\"` } type ListPetsOutTags struct { Login *string `json:\"login,omitzero\"` } " +
		"type Result = []ListPetsOut type User struct { Login *string `json:\"login,omitzero\"` Email *string `json:\"email,omitzero\"` }"
	if got != want {
		t.Errorf("the declarations are\n%s\nnot\n%s", got, want)
	}
	for _, tt := range []struct{ field, want string }{
		{"size", "result has no member size; it has id, name, owner, tags"},
		{"owner.size", "result, member owner has no member size; it has login, email"},
		{"id.x", "result, member id has no members to choose from: it is *int64"},
	} {
		if _, err := prune(tt.field); err == nil || err.Error() != tt.want {
			t.Errorf("--fields %s: the error is %v, not %s", tt.field, err, tt.want)
		}
	}
}

// Each part of a schema that is used by several services, or by one, is declared where it is used.
func TestServicesOfTypes(t *testing.T) {
	schemas := schemasOf(t, "3.0.3", `
Shared: {type: object, properties: {a: {type: string}}}
Pet: {type: object, properties: {shared: {$ref: '#/components/schemas/Shared'}}}
`)
	api := new(API)
	typer := newTyper(api, nil, reservedNames())
	for name, schema := range schemas.FromOldest() {
		ref := typer.of(place{"GET /" + name, "result", name}, schema, use{Result: true})
		op := &Operation{Args: &Decl{GoName: "Get" + name + "In", Kind: DeclStruct}, Result: Result{Type: ref.Go}}
		api.Services = append(api.Services, &Service{GoName: name + "Service", Operations: []*Operation{op}})
	}
	typer.finish()
	if len(api.Types) != 1 || api.Types[0].GoName != "Shared" || len(api.Services[0].Types) != 0 || len(api.Services[1].Types) != 1 || api.Services[1].Types[0].GoName != "Pet" {
		t.Errorf("the shared types are %v, those of Pet %v", api.Types, api.Services[1].Types)
	}
}

// TestLargeEnum has an enum that would take a minute if each value were compared with each other.
func TestLargeEnum(t *testing.T) {
	sh := &shape{Schema: new(base.Schema)}
	for n := range 200_000 {
		sh.Enum = append(sh.Enum, &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.Itoa(n % 100_000)})
	}
	if got := len(sh.enum()); got != 100_000 {
		t.Errorf("got %d values, want 100,000", got)
	}
	if got := len(valuesOf(sh, nil)); got != 100_000 {
		t.Errorf("raw JSON has %d values, want 100,000", got)
	}
	into := *sh.Schema
	newTyper(new(API), nil, nil).merge(place{}, &into, sh)
	if got := len(into.Enum); got != 200_000 {
		t.Errorf("an allOf has %d values, want 200,000", got)
	}
}

// TestLongChain has 3,000 schemas of which each refers to the next one, and whose forms for arguments and results differ because
// the last one has two forms. A comparison of all types for each schema would take minutes.
func TestLongChain(t *testing.T) {
	const last = 3000
	var b strings.Builder
	b.WriteString("In: {$ref: '#/components/schemas/S0'}\nOut: {$ref: '#/components/schemas/S0'}\n")
	for n := range last {
		fmt.Fprintf(&b, "S%d: {properties: {next: {$ref: '#/components/schemas/S%d'}}}\n", n, n+1)
	}
	fmt.Fprintf(&b, "S%d: {properties: {a: {type: string}, b: {type: string, readOnly: true}}}", last)
	api, err := translate(t, "3.0.3", b.String(), use{}, reservedNames())
	if err != nil {
		t.Fatal(err)
	}
	if got := len(api.Services[0].Types); got != 2*(last+1) {
		t.Errorf("got %d types, want two for each schema", got)
	}
}

// TestCombinedRecursion translates recursive schemas in an allOf, which also combines their members.
func TestCombinedRecursion(t *testing.T) {
	for _, components := range []string{
		"In: {allOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}\nA: {properties: {next: {$ref: '#/components/schemas/A'}, a: {type: string}}}\nB: {properties: {next: {$ref: '#/components/schemas/B'}, b: {type: string}}}",
		"In: {allOf: [{$ref: '#/components/schemas/A'}, {properties: {next: {$ref: '#/components/schemas/In'}, b: {type: string}}}]}\nA: {properties: {next: {$ref: '#/components/schemas/A'}, a: {type: string}}}",
	} {
		api, err := translate(t, "3.0.3", components, use{}, reservedNames())
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"A *string", "B *string", "Next *"} {
			if got := strings.Join(strings.Fields(declarations(api)), " "); !strings.Contains(got, want) {
				t.Errorf("the declarations do not have %q: %s", want, got)
			}
		}
	}
}
