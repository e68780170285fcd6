package gotype

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"
)

// heaviest is the maximum number of leaves of a declared type that is used in others. Without a limit, types would grow
// without bound.
const heaviest = 10

// File is the required name of the generated source, which embeds itself for reports.
const File = "types.go"

// Declare generates a file of package name that declares count structs, the types that they use, and a func Subjects
// that returns all of them, some as tools.
func Declare(name string, seed uint64, count int) ([]byte, error) {
	d := &declarations{Generator: NewGenerator(seed)}
	for i := range count {
		d.helper(i)
		d.declareStruct(i)
	}
	return d.file(name)
}

// declarations collects the declarations of a file.
type declarations struct {
	*Generator
	body     bytes.Buffer
	subjects bytes.Buffer
	embed    []leaf   // structs that others may embed
	outputs  []string // names of structs that a tool may return
}

// helper occasionally declares a type other than a struct.
func (d *declarations) helper(i int) {
	switch d.IntN(8) {
	case 0:
		d.declareNamed(i)
	case 1:
		d.declareEnum(i)
	case 2:
		d.declareUnion(i)
	case 3:
		of := d.leaf()
		generic := pick(d.Generator, "Box[%s]", "List[%s]", "Pair[string, %s]", "Pair[%s, *int]", "Pair[[]%s, pool.Color]")
		d.share(leaf{source: "pool." + fmt.Sprintf(generic, of.Source()), class: structClass, weight: 1 + of.weight()})
	}
}

// share makes a leaf available to later types if it is not too large.
func (d *declarations) share(l leaf) {
	if l.weight <= heaviest {
		d.more = append(d.more, l)
	}
}

// declareNamed declares a type without methods.
func (d *declarations) declareNamed(i int) {
	name := fmt.Sprintf("N%d", i)
	of := d.leaf()
	if d.IntN(2) == 0 {
		of = pick(d.Generator, &Type{kind: sliceKind, elem: of}, &Type{kind: mapKind, key: d.keyType(), elem: of}, &Type{kind: arrayKind, length: 2, elem: of})
	}
	l := leaf{source: name, weight: of.weight()}
	switch {
	case of.kind != leafKind:
	case !of.isQuotable() && of.leaf.class != stringClass:
		return // it would lose its methods, or is a struct
	default:
		l.class, l.key = of.leaf.class, of.leaf.key
	}
	fmt.Fprintf(&d.body, "type %s %s\n\n", name, of.Source())
	d.share(l)
}

// declareEnum declares an enumerated string type, either by its methods or by its schema.
func (d *declarations) declareEnum(i int) {
	name := fmt.Sprintf("E%d", i)
	values := []string{"one", "two words", "drei", "vière"}[:2+d.IntN(3)]
	if d.IntN(2) == 0 {
		d.share(leaf{source: name})
		fmt.Fprintf(&d.body, "type %s string\n\nfunc (%s) JSONSchema() *jsonschema.Schema {\nreturn &jsonschema.Schema{Type: \"string\", Enum: []any{%q}}\n}\n\n",
			name, name, values[0])
		return
	}
	d.share(leaf{source: name, key: true})
	fmt.Fprintf(&d.body, `type %[1]s uint8

func (e %[1]s) MarshalText() ([]byte, error) {
	if int(e) >= len(values%[1]s) {
		return nil, fmt.Errorf("no value %%d", e)
	}
	return []byte(values%[1]s[e]), nil
}

func (e *%[1]s) UnmarshalText(text []byte) error {
	i := slices.Index(values%[1]s, string(text))
	if i < 0 {
		return fmt.Errorf("no value %%q", text)
	}
	*e = %[1]s(i)
	return nil
}

var values%[1]s = %[2]s

`, name, fmt.Sprintf("%#v", values))
}

// declareUnion declares an interface with two or three members.
func (d *declarations) declareUnion(i int) {
	name := fmt.Sprintf("U%d", i)
	var members strings.Builder
	weight := 0
	for _, letter := range []string{"A", "B", "C"}[:2+d.IntN(2)] {
		member := name + letter
		t := d.Struct(2)
		weight += t.weight()
		fmt.Fprintf(&d.body, "type %s %s\n\n", member, t.Source())
		if d.IntN(2) == 0 {
			fmt.Fprintf(&d.body, "func (%s) is%s() {}\n\n", member, name)
			fmt.Fprintf(&members, "%q: %s{},", strings.ToLower(letter), member)
		} else {
			fmt.Fprintf(&d.body, "func (*%s) is%s() {}\n\n", member, name)
			fmt.Fprintf(&members, "%q: (*%s)(nil),", strings.ToLower(letter), member)
		}
	}
	fmt.Fprintf(&d.body, "type %s interface{ is%s() }\n\nfunc init() {\nreflectschema.RegisterUnion(%q, map[string]%s{%s})\n}\n\n", name, name, pick(d.Generator, "kind", "type", "$t"), name, members.String())
	d.share(leaf{source: name, class: unionClass, weight: weight})
}

// declareStruct declares a struct to check.
func (d *declarations) declareStruct(i int) {
	name := fmt.Sprintf("S%d", i)
	t := d.Struct(3)
	var front []Field
	isTool := len(d.outputs) > 0 && d.IntN(2) == 0
	switch {
	case isTool:
		tag := fmt.Sprintf(`mcp:"name=tool_%d%s" doc:"What the tool does"`, i, pick(d.Generator, "", ",readOnly", ",title=A tool,idempotent", ",timeout=30s", ",destructive=false"))
		front = append(front, Field{name: "_", goType: &Type{kind: structKind}, tag: tag})
	case d.IntN(6) == 0:
		tag := pick(d.Generator, `jsonschema:"additionalProperties=true"`, `doc:"What it is"`, `jsonschema:"title=A title,deprecated" doc:"What it is"`)
		front = append(front, Field{name: "_", goType: &Type{kind: structKind}, tag: tag})
	}
	front = append(front, d.embedded()...)
	if d.IntN(6) == 0 {
		self := &Type{leaf: leaf{source: name, class: structClass}}
		self = pick(d.Generator, &Type{kind: pointerKind, elem: self}, &Type{kind: sliceKind, elem: self},
			&Type{kind: mapKind, key: d.keyType(), elem: self}, &Type{kind: sliceKind, elem: &Type{kind: pointerKind, elem: self}})
		t.fields = append(t.fields, Field{name: "Self", goType: self, tag: `json:"self,omitempty"`})
	}
	t.fields = append(front, t.fields...)
	fmt.Fprintf(&d.body, "type %s %s\n\n", name, t.Source())
	if isTool {
		fmt.Fprintf(&d.subjects, "verdict.Tool[%s, %s](%q, source),\n", name, pick(d.Generator, d.outputs...), name)
		return
	}
	fmt.Fprintf(&d.subjects, "verdict.Type[%s](%q, source),\n", name, name)
	d.outputs = append(d.outputs, name)
	l := leaf{source: name, class: structClass, weight: t.weight()}
	if l.weight <= heaviest {
		d.embed = append(d.embed, l)
	}
	if d.IntN(3) == 0 {
		d.share(l)
	}
}

// embedded generates the embedded fields of a struct. Its own fields shadow embedded ones of the same name.
func (d *declarations) embedded() []Field {
	if d.IntN(3) > 0 {
		return nil
	}
	t := &Type{leaf: leaf{source: pick(d.Generator, "pool.Base", "pool.Even", "pool.Box[string]", "pool.Pair[int, *string]", "pool.Wife"), class: structClass}}
	if len(d.embed) > 0 && d.IntN(4) > 0 {
		t.leaf = pick(d.Generator, d.embed[max(0, len(d.embed)-20):]...)
	}
	if d.IntN(3) == 0 {
		t = &Type{kind: pointerKind, elem: t}
	}
	return []Field{{goType: t, embedded: true}}
}

// imports are the packages that declarations may need, in groups.
var imports = [][]string{
	{"encoding/json", "fmt", "math/big", "net/netip", "slices", "time"},
	{"github.com/invopop/jsonschema"},
	{
		"github.com/mcptool-go/mcptool/internal/lab/crosscheck/pool", "github.com/mcptool-go/mcptool/internal/lab/crosscheck/verdict",
		"github.com/mcptool-go/mcptool/reflectschema",
	},
}

// file returns the whole file.
func (d *declarations) file(name string) ([]byte, error) {
	body := d.body.String() + "verdict."
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by crosscheck; DO NOT EDIT.\n\npackage %s\n\nimport (\n_ \"embed\" // for the source\n", name)
	for _, group := range imports {
		for _, path := range group {
			if strings.Contains(body, path[strings.LastIndexByte(path, '/')+1:]+".") {
				fmt.Fprintf(&b, "%q\n", path)
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, ")\n\n//go:embed %s\nvar source string\n\n", File)
	b.Write(d.body.Bytes())
	fmt.Fprintf(&b, "// Subjects returns what is declared here.\nfunc Subjects() []verdict.Subject {\nreturn []verdict.Subject{\n%s}\n}\n", d.subjects.String())
	return format.Source(b.Bytes())
}
