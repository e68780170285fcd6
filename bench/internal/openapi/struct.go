package openapi

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/pb33f/go-yaml"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	"github.com/pb33f/libopenapi/orderedmap"
)

// structType returns the struct of an object with properties. It lacks the member without, the discriminator of a union.
func (t *typer) structType(p place, sh *shape, u use, without string) typeRef {
	key := typeKey{sh.id, u, without}
	if e := t.types[key]; e != nil {
		return e.ref
	}
	p = p.of(sh)
	d := &Decl{Kind: DeclStruct, Doc: t.docOf(sh)}
	e := t.declare(key, p.GoName, d)
	if !u.Result {
		t.noteStruct(p, sh)
	}
	taken := make(map[string]bool)
	for name, proxy := range sh.Properties.FromOldest() {
		if name == without && without != "" {
			continue
		}
		part := p.within("property "+plainText(name, 80), goName(name))
		property := t.shape(part, proxy)
		switch {
		case u.Result && property.writeOnly, !u.Result && property.readOnly:
			continue
		case !isMemberName(name):
			t.note(part, "encoding/json does not support the name, so the member is left out")
			continue
		}
		d.Fields = append(d.Fields, t.fieldOf(part, uniqueName(taken, goName(name), "", 0), name, slices.Contains(sh.Required, name), property, u))
	}
	t.addRequired(d, sh, without, taken, u)
	return e.ref
}

// addRequired adds the members that are required and have no schema, and to arguments the rules about members that are
// given together.
func (t *typer) addRequired(d *Decl, sh *shape, without string, taken map[string]bool, u use) {
	has := make(map[string]bool)
	for _, f := range d.Fields {
		has[f.JSON] = true
	}
	for _, name := range sh.Required {
		if _, known := sh.Properties.Get(name); !known && name != without && isMemberName(name) && !has[name] {
			d.Fields = append(d.Fields, Field{GoName: uniqueName(taken, goName(name), "", 0), JSON: name, Type: "any"})
			has[name] = true
		}
	}
	if u.Result {
		return
	}
	for name, others := range sh.DependentRequired.FromOldest() {
		for i := range d.Fields {
			for _, other := range others {
				if f := &d.Fields[i]; f.JSON == name && has[other] && f.Absent && other != name {
					f.Keywords = append(f.Keywords, keyword("dependentRequired", other))
				}
			}
		}
	}
}

// noteStruct notes the keywords of an object that a struct cannot express.
func (t *typer) noteStruct(p place, sh *shape) {
	if sh.AdditionalProperties != nil && (sh.AdditionalProperties.IsA() || sh.AdditionalProperties.B) {
		t.note(p, "members other than the properties are not accepted")
	}
	for _, k := range []struct {
		name    string
		present bool
	}{
		{"not", sh.Not != nil},
		{"if", sh.If != nil},
		{"patternProperties", orderedmap.Len(sh.PatternProperties) > 0},
		{"dependentSchemas", orderedmap.Len(sh.DependentSchemas) > 0},
		{"minProperties", sh.MinProperties != nil && *sh.MinProperties > 0},
		{"maxProperties", sh.MaxProperties != nil},
	} {
		if k.present {
			t.note(p, "%s is not checked", k.name)
		}
	}
}

// isMemberName reports whether encoding/json accepts a name in a tag.
func isMemberName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// field returns the field of a struct for a parameter or a member.
func (t *typer) field(p place, goName, jsonName string, required bool, s *base.SchemaProxy, u use) Field {
	return t.fieldOf(p, goName, jsonName, required, t.shape(p, s), u)
}

func (t *typer) fieldOf(p place, goName, jsonName string, required bool, sh *shape, u use) Field {
	ref := t.ofShape(p, sh, u)
	f := Field{GoName: goName, JSON: jsonName, Type: ref.Go, Doc: ref.Doc, Absent: !required}
	pointer := t.needsPointer(ref.Go)
	if u.Result {
		if pointer && (!required || ref.Nullable) {
			f.Type = "*" + ref.Go
		}
		return f
	}
	f.Keywords = slices.Clone(ref.Keywords)
	if sh.deprecated {
		f.Keywords = append(f.Keywords, "deprecated")
	}
	fallback := t.fallback(p, sh, ref, u, &f)
	if e := example(sh.example, ref.Go); e != nil && t.try(t.probe(ref.Go), slices.Concat(f.Keywords, e)) == nil {
		f.Keywords = append(f.Keywords, e...)
	}
	switch {
	case fallback && ref.Nullable && ref.Go != "any":
		f.Keywords = append(f.Keywords, "nullable")
		if pointer {
			f.Type = "*" + ref.Go
		}
	case fallback, ref.Go == "any", ref.Go == "json.RawMessage":
	case ref.Nullable && !required:
		f.Type = "mcptool.Optional[" + ref.Go + "]"
	case ref.Nullable && pointer:
		f.Type, f.Keywords = "*"+ref.Go, append(f.Keywords, "nullable", "required")
	case ref.Nullable:
		f.Keywords = append(f.Keywords, "nullable")
	case !required && pointer:
		f.Type = "*" + ref.Go
	case t.isRaw(ref.Go): // Its zero value is null, which the schema may not allow, and then the client could not write it.
		f.Type, f.Keywords = "*"+ref.Go, append(f.Keywords, "required")
	}
	if f.Type != ref.Go && t.probe(ref.Go) == probes["string"] { // beside null, the text "null" is refused
		f.Keywords = t.accepted(p, reflect.PointerTo(probes["string"]), f.Keywords)
	}
	return f
}

// fallback adds the default of a field to its keywords, and reports whether it did. Otherwise the description mentions it.
func (t *typer) fallback(p place, sh *shape, ref typeRef, u use, f *Field) bool {
	if sh.fallback == nil || sh.fallback.Tag == "!!null" {
		return false
	}
	words := literals("default", sh.fallback, ref.Go)
	if words != nil && !u.Patch {
		err := t.try(t.probe(ref.Go), slices.Concat(f.Keywords, words))
		if err == nil {
			f.Keywords, f.Absent = append(f.Keywords, words...), true
			return true
		}
		t.note(p, "the default %s is left out: %s", shown(sh.fallback), reason(err))
		return false
	}
	if text := shown(sh.fallback); text != "" && !strings.Contains(f.Doc, text) {
		f.Doc = strings.TrimSpace(f.Doc + " (default " + text + ")")
	}
	return false
}

// shown returns a value of the document as text, "" if it is empty or long.
func shown(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return plainText(n.Value, 60)
	}
	if data := jsonOf(n); len(data) > 2 && len(data) <= 60 {
		return plainText(data, 60)
	}
	return ""
}
