package walk

import (
	"fmt"
	"math/big"
	"reflect"
	"strconv"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// maxListedTexts is the maximum number of integers that are listed as strings, because a schema cannot otherwise
// express a range of numbers in strings.
const maxListedTexts = 100

// memberNames returns the schema of the member names of a map, nil if all names are valid. It is derived from the
// schema that the key type has by its methods or by registration.
func (d *Builder) memberNames(key *codec.Node, at Location) *jsonschema.Schema {
	if key.Registered == nil && HookOf(key.GoType) == nil {
		format := ""
		if key.Kind == codec.KindText {
			format = tag.TextFormat(key.GoType)
		}
		if pattern := keyPatterns[key.Kind]; pattern != "" || format != "" {
			return &jsonschema.Schema{Pattern: pattern, Format: format}
		}
		return nil
	}
	return d.asText(key, d.body(key, at), at, "the names of members are strings")
}

// quotedHook returns the schema of a number or bool inside a string, for a type that describes itself.
func (d *Builder) quotedHook(n *codec.Node, at Location) *jsonschema.Schema {
	bare := &codec.Node{GoType: n.GoType, Kind: n.Kind}
	if s := d.asText(n, d.body(bare, at), at, `json:",string" writes strings`); s != nil {
		return s
	}
	return d.derive(n, at)
}

// asText converts the schema that a type has by its methods or by registration to a schema for the strings that its
// values are written as. A schema of strings is kept. A schema of numbers or bools becomes a list of its values. If
// that is impossible, asText adds a mistake, with because as the reason why strings are needed, and returns nil.
func (d *Builder) asText(n *codec.Node, s *jsonschema.Schema, at Location, because string) *jsonschema.Schema {
	t := textForm{node: n}
	origin := "its JSONSchema or JSONSchemaExtend method"
	if n.Registered != nil {
		origin = "the schema registered at " + registrationAt(n).Location
	}
	if err := t.read(s, d.finish); err != nil {
		d.Refuse(at, fmt.Sprintf("the schema of %s cannot be used for a text: %s", n.GoType, err.Error()), "correct "+origin)
		return nil
	}
	isText := n.Kind == codec.KindString || n.Kind == codec.KindText || n.Kind == codec.KindJSON
	switch {
	case t.annotates() && !isText:
		return d.annotated(n, s)
	case t.types == jsondoc.AnyType && isText, t.types&jsondoc.TypeString != 0 && t.types != jsondoc.AnyType:
		own := *s
		own.Type, own.Default = "string", nil // a name has no default
		delete(own.Extras, "type")
		return &own
	case isText:
		d.Refuse(at, fmt.Sprintf("the schema of %s takes %s, and %s", n.GoType, t.types, because), "describe strings in "+origin)
		return nil
	}
	texts, ok := t.texts()
	switch {
	case !ok:
		d.Refuse(at, fmt.Sprintf("the schema of %s restricts numbers in a way that cannot be said of texts, and %s", n.GoType, because),
			fmt.Sprintf("list the values in an enum, give at most %d of them a minimum and a maximum, or use a type without the restriction", maxListedTexts))
		return nil
	case len(texts) == 0:
		d.Refuse(at, fmt.Sprintf("no value of %s fits its own schema", n.GoType), "correct "+origin)
		return nil
	}
	return &jsonschema.Schema{Title: s.Title, Description: s.Description, Type: "string", Enum: texts}
}

// annotated returns the schema of a string whose type has a schema with annotations only.
func (d *Builder) annotated(n *codec.Node, s *jsonschema.Schema) *jsonschema.Schema {
	own := &jsonschema.Schema{Type: "string", Pattern: keyPatterns[n.Kind]}
	if n.Quoted {
		own = quotedLeaf(n)
	}
	own.Title, own.Description = s.Title, s.Description
	return own
}

// A textForm lists the values that are valid for a schema, as strings.
type textForm struct {
	node     *codec.Node
	schema   codec.Schema
	types    jsondoc.Types
	branches jsondoc.Alternatives // nil if unknown
}

// read sets the schema and its alternatives.
func (t *textForm) read(s *jsonschema.Schema, finish func(*jsonschema.Schema) (codec.Schema, error)) error {
	schema, err := finish(s)
	if err != nil {
		return err
	}
	t.schema, t.types = schema, jsondoc.AnyType
	doc := schema.Doc()
	if list, ok := (&jsondoc.Splitter{Root: doc}).Branches(jsondoc.Alternatives{{doc}}); ok {
		t.branches, t.types = list, list.Types()
	}
	return nil
}

// annotates reports whether the schema allows every value of the Go type.
func (t *textForm) annotates() bool {
	low, high := t.node.Range()
	for _, m := range t.schema.Doc().Members {
		bound, isNumber := m.Value.Number()
		switch {
		case jsondoc.IsAnnotation(m.Name) || m.Name == "format":
		case m.Name == "type" && (m.Value.Text() == "number" || m.Value.Text() == "integer" && t.node.Kind != codec.KindFloat):
		case m.Name == "type" && m.Value.Text() == "boolean" && t.node.Kind == codec.KindBool:
		case m.Name == "minimum" && isNumber && low != nil && bound.Cmp(low) <= 0:
		case m.Name == "maximum" && isNumber && high != nil && bound.Cmp(high) >= 0:
		default:
			return false
		}
	}
	return true
}

// texts lists the valid values as strings. It returns false if there are too many.
func (t *textForm) texts() (texts []any, ok bool) {
	seen := map[string]bool{}
	for _, b := range t.branches {
		candidates, finite := t.candidates(b)
		if !finite {
			return nil, false
		}
		for _, raw := range candidates {
			text, readable := t.text(raw)
			if readable && !seen[text] && t.schema.Check(raw) == nil {
				seen[text] = true
				texts = append(texts, text)
			}
		}
	}
	return texts, t.branches != nil
}

// candidates lists the values that may be valid for one branch. It returns false if there are too many.
func (t *textForm) candidates(b jsondoc.Branch) (raw [][]byte, ok bool) {
	if values := b.Listed(); values != nil {
		for _, v := range values {
			raw = append(raw, v.AppendTo(nil))
		}
		return raw, true
	}
	if t.node.Kind == codec.KindBool {
		return [][]byte{[]byte("false"), []byte("true")}, true
	}
	whole := b.Types()&jsondoc.TypeNumber == jsondoc.TypeInteger
	_, low, _ := b.Bound(true, whole)
	_, high, _ := b.Bound(false, whole)
	if low == nil || high == nil || t.node.Kind == codec.KindFloat {
		return nil, false
	}
	one := big.NewRat(1, 1)
	for i := jsondoc.CeilMultiple(low, one); i.Cmp(high) <= 0; i = new(big.Rat).Add(i, one) {
		if len(raw) == maxListedTexts {
			return nil, false
		}
		raw = append(raw, []byte(i.RatString()))
	}
	return raw, true
}

// text returns a value as a string. It returns false if the Go type cannot decode the value.
func (t *textForm) text(raw []byte) (string, bool) {
	v := reflect.New(t.node.GoType).Elem()
	if codec.Decode(&codec.Node{GoType: t.node.GoType, Kind: t.node.Kind}, raw, v, nil, false) != nil {
		return "", false
	}
	quoted, failed := codec.Encode(&codec.Node{GoType: t.node.GoType, Kind: t.node.Kind, Quoted: true}, codec.Input, v)
	if failed != nil {
		return "", false
	}
	text, err := strconv.Unquote(string(quoted))
	return text, err == nil
}
