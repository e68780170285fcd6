package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// declarations returns the source of declarations.
func (p *printer) declarations(decls []*Decl) string {
	var b strings.Builder
	for _, d := range decls {
		b.WriteString(p.declaration(d) + "\n")
	}
	return b.String()
}

// findBodies records the operations that send a type.
func (p *printer) findBodies() {
	for _, s := range p.services {
		for _, o := range s.Operations {
			for _, f := range o.Args.Fields {
				if name := strings.TrimPrefix(f.Type, "*"); o.Body != nil && f.GoName == o.Body.Field {
					p.bodies[name] = append(p.bodies[name], o.GoName)
				}
			}
		}
	}
}

func (p *printer) declaration(d *Decl) string {
	name := p.code(d.GoName)
	about := ""
	if text := clean(d.Doc); text != "" {
		about = name + ": " + text
	} else if operations := strings.Join(p.bodies[d.GoName], ", "); operations != "" && (strings.HasSuffix(name, "Body") || strings.HasSuffix(name, "Input") || strings.HasSuffix(name, "Patch")) { // not a result too
		about = fmt.Sprintf("%s is the body of %s.", name, operations)
	}
	doc := comment(about)
	switch d.Kind {
	case DeclStruct:
		return doc + p.structType(name, "", d.Fields)
	case DeclNamed:
		return fmt.Sprintf("%stype %s %s\n", doc, name, p.code(d.Type))
	case DeclEnum:
		return doc + p.enum(name, d.Values)
	case DeclUnion:
		return p.union(name, about, d)
	case DeclRaw:
		return fmt.Sprintf("%stype %s struct{ json.RawMessage }\n\nfunc init() {\n\treflectschema.RegisterSchema[%s](%s)\n}\n",
			doc, name, name, literal(indented(d.Schema)))
	default:
		p.errorf("%s: unknown kind of declaration %q", name, d.Kind)
		return ""
	}
}

// structType returns a struct; blank is the tag of its blank field, "" for none.
func (p *printer) structType(name, blank string, fields []Field) string {
	var b strings.Builder
	fmt.Fprintf(&b, "type %s struct {\n", name)
	if blank != "" {
		fmt.Fprintf(&b, "\t_ struct{}%s\n", blank)
	}
	for _, f := range fields {
		if f.JSON == "" {
			fmt.Fprintf(&b, "\t%s\n", p.code(f.Type))
			continue
		}
		jsonTag := f.JSON
		switch {
		case f.Absent:
			jsonTag += ",omitzero"
		case f.JSON == "-":
			jsonTag += "," // - by itself means that the field is not in the JSON
		}
		tag := structTag("json", jsonTag, "jsonschema", strings.Join(f.Keywords, ","), "doc", clean(f.Doc))
		fmt.Fprintf(&b, "\t%s %s%s\n", p.code(f.GoName), p.code(f.Type), tag)
	}
	b.WriteString("}\n")
	return b.String()
}

func (p *printer) enum(name string, values []EnumItem) string {
	var b strings.Builder
	fmt.Fprintf(&b, "type %s string\n", name)
	if len(values) > 0 {
		fmt.Fprintf(&b, "\n// The values of %s that the document lists.\nconst (\n", name)
		for _, v := range values {
			constant := p.code(v.GoName)
			fmt.Fprintf(&b, "\t%s %s = %s\n", constant, name, strconv.Quote(v.Value))
		}
		b.WriteString(")\n")
	}
	return b.String()
}

func (p *printer) union(name, about string, d *Decl) string {
	var b, members strings.Builder
	var structs []string
	for _, m := range d.Members {
		member := p.code(m.GoName)
		if !slices.Contains(structs, member) {
			structs = append(structs, member)
		}
		fmt.Fprintf(&members, "\t\t%s: %s{},\n", strconv.Quote(m.Value), member)
	}
	b.WriteString(comment(about, fmt.Sprintf("%s is one of %s, told apart by the member %s.", name, strings.Join(structs, ", "), d.Discriminator)))
	fmt.Fprintf(&b, "type %s interface{ is%s() }\n\n", name, name)
	for _, member := range structs {
		fmt.Fprintf(&b, "func (%s) is%s() {}\n", member, name)
	}
	fmt.Fprintf(&b, "\nfunc init() {\n\treflectschema.RegisterUnion(%s, map[string]%s{\n%s\t})\n}\n", strconv.Quote(d.Discriminator), name, members.String())
	return b.String()
}

// indented returns JSON in several lines if it is long.
func indented(text string) string {
	const maxLine = 100
	var b bytes.Buffer
	if len(text) <= maxLine || json.Indent(&b, []byte(text), "", "\t") != nil {
		return text
	}
	return b.String()
}
