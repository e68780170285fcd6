package walk

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
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
		known := tag.TextType{Pattern: keyPatterns[key.Kind]}
		if key.Kind == codec.KindText {
			known = tag.TextTypes[tag.FullName(key.GoType)]
		}
		if known.Pattern != "" || known.Format != "" {
			return &jsonschema.Schema{Pattern: known.Pattern, Format: known.Format}
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
	origin := "its JSONSchema or JSONSchemaExtend method"
	if n.Registered != nil {
		origin = "the schema registered at " + registrationAt(n).Location
	}
	schema, err := d.finish(s)
	if err != nil {
		d.Refuse(at, fmt.Sprintf("the schema of %s cannot be used for a text: %s", n.GoType, err.Error()), "correct "+origin)
		return nil
	}
	types := schema.Doc().AllowedTypes()
	isText := n.Kind == codec.KindString || n.Kind == codec.KindText || n.Kind == codec.KindJSON
	switch {
	case !isText && allowsAll(n, schema.Doc()):
		return d.annotated(n, s)
	case types == jsondoc.AnyType && isText, types&jsondoc.TypeString != 0 && types != jsondoc.AnyType:
		own := *s
		own.Type, own.Default = "string", nil // a name has no default
		delete(own.Extras, "type")
		return &own
	case isText:
		d.Refuse(at, fmt.Sprintf("the schema of %s takes %s, and %s", n.GoType, types, because), "describe strings in "+origin)
		return nil
	}
	texts, ok := textsOf(n, schema)
	switch {
	case !ok:
		d.Refuse(at, fmt.Sprintf("the schema of %s restricts numbers in a way that is not possible for texts, and %s", n.GoType, because),
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

// allowsAll reports whether a schema allows every value of the Go type.
func allowsAll(n *codec.Node, doc *jsondoc.Value) bool {
	low, high := n.Range()
	for _, m := range doc.Members {
		bound, isNumber := m.Value.Number()
		switch {
		case jsondoc.IsAnnotation(m.Name) || m.Name == "format":
		case m.Name == "type" && (m.Value.Text() == "number" || m.Value.Text() == "integer" && n.Kind != codec.KindFloat):
		case m.Name == "type" && m.Value.Text() == "boolean" && n.Kind == codec.KindBool:
		case m.Name == "minimum" && isNumber && low != nil && bound.Cmp(low) <= 0:
		case m.Name == "maximum" && isNumber && high != nil && bound.Cmp(high) >= 0:
		default:
			return false
		}
	}
	return true
}

// textsOf lists the values that fit a schema of numbers or bools, as strings. It returns false if they are neither
// listed nor in a small range of integers.
func textsOf(n *codec.Node, schema codec.Schema) (texts []any, ok bool) {
	values := schema.Doc().Listed()
	switch {
	case values != nil:
	case n.Kind == codec.KindBool:
		values = []*jsondoc.Value{jsondoc.Parse([]byte("false")), jsondoc.Parse([]byte("true"))}
	default:
		if values = integers(schema.Doc()); values == nil || n.Kind == codec.KindFloat {
			return nil, false
		}
	}
	for _, v := range values {
		raw := v.AppendTo(nil)
		text, isReadable := textOf(n, raw)
		if isReadable && !slices.Contains(texts, any(text)) && schema.Check(raw, nil) == nil {
			texts = append(texts, text)
		}
	}
	return texts, schema.Doc().Listed() != nil || len(texts) <= maxListedTexts
}

// integers returns the integers between the bounds of a schema, including the bounds. It returns nil if there are more
// than maxListedTexts between them.
func integers(doc *jsondoc.Value) (list []*jsondoc.Value) {
	low, high := bound(doc, true), bound(doc, false)
	one := big.NewRat(1, 1)
	if low == nil || high == nil || new(big.Rat).Sub(high, low).Cmp(big.NewRat(maxListedTexts+1, 1)) > 0 {
		return nil
	}
	for i := jsondoc.CeilMultiple(low, one); i.Cmp(high) <= 0; i = new(big.Rat).Add(i, one) {
		list = append(list, jsondoc.Parse([]byte(i.RatString())))
	}
	return list
}

// bound returns a bound of a schema, any one if there are two, nil if there is none.
func bound(doc *jsondoc.Value, least bool) (at *big.Rat) {
	for _, k := range jsondoc.LimitsOf("", least) {
		if n, ok := doc.Get(k.Name).Number(); ok {
			at = n
		}
	}
	return at
}

// textOf returns a value as a string. It returns false if the Go type cannot decode the value.
func textOf(n *codec.Node, raw []byte) (string, bool) {
	v := reflect.New(n.GoType).Elem()
	if codec.Decode(&codec.Node{GoType: n.GoType, Kind: n.Kind}, raw, v) != nil {
		return "", false
	}
	quoted, failed := codec.Encode(&codec.Node{GoType: n.GoType, Kind: n.Kind, Quoted: true}, codec.Input, v)
	if failed != nil {
		return "", false
	}
	text, err := strconv.Unquote(string(quoted))
	return text, err == nil
}
