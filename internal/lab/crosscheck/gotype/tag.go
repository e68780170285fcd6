package gotype

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// oneInOdd is the inverse frequency of fields with keywords for possibly another type, which must
// be rejected.
const oneInOdd = 250

// tag generates the tag of a field.
func (g *Generator) tag(t *Type, name string, oddName bool) string {
	options, words := "", []string{}
	switch inner := t.pointed(); {
	case g.IntN(oneInOdd) == 0:
		words = g.scalarWords(g.leaf().leaf)
	case g.IntN(14) == 0 && t.kind == leafKind && inner.isQuotable():
		options = ",string"
	case g.IntN(2) == 0:
		words = g.keywords(inner)
	}
	switch g.IntN(8) {
	case 0:
		if t.canBeEmpty() {
			options += ",omitempty"
		}
	case 1:
		options += ",omitzero"
	case 2:
		words = append(words, "optional")
	case 3:
		if t.kind == pointerKind || t.kind == sliceKind || t.kind == mapKind || t.leaf.class == unionClass {
			words = append(words, "nullable")
		}
	}
	var keys []string
	if json := g.jsonName(name, oddName) + options; json != "" {
		keys = append(keys, `json:"`+json+`"`)
	}
	if g.IntN(10) == 0 {
		words = append(words, pick(g, "title=A title", "deprecated", "x-order=3", "description=What it is\\\\, in short"))
	}
	if len(words) > 0 {
		keys = append(keys, `jsonschema:"`+strings.ReplaceAll(strings.Join(words, ","), `"`, `\"`)+`"`)
	}
	if g.IntN(5) == 0 && !strings.Contains(strings.Join(words, ","), "description") {
		keys = append(keys, `doc:"Some prose, with a comma"`)
	}
	return strings.Join(keys, " ")
}

// jsonName generates a member name, usually the name of the field.
func (g *Generator) jsonName(name string, odd bool) string {
	lower := strings.ToLower(name)
	switch kind := g.IntN(10); {
	case kind == 0:
		return ""
	case kind == 1 && odd: // a name derived from the field avoids duplicates
		return pick(g, "x.", "ü", "a b ", "$", "~", "a/b", "[0]", "%41", "漢", "_") + lower
	default:
		return lower
	}
}

// pointed returns the type behind pointers.
func (t *Type) pointed() *Type {
	for t.kind == pointerKind {
		t = t.elem
	}
	return t
}

func (t *Type) isQuotable() bool {
	return t.kind == leafKind && (t.leaf.class == boolClass || t.leaf.class == intClass || t.leaf.class == uintClass || t.leaf.class == floatClass) &&
		t.leaf.source != "json.Number"
}

// canBeEmpty reports whether omitempty has an effect.
func (t *Type) canBeEmpty() bool {
	switch t.kind {
	case structKind:
		return false
	case arrayKind:
		return t.length == 0
	case leafKind:
		if t.leaf.goType == nil {
			return t.leaf.class != structClass
		}
		return t.leaf.goType.Kind() != reflect.Struct
	default:
		return true
	}
}

// keywords generates JSON Schema keywords for a type.
func (g *Generator) keywords(t *Type) []string {
	switch t.kind {
	case sliceKind:
		if t.elem.kind == leafKind && t.elem.leaf.source == "uint8" {
			return nil // []byte
		}
		words := pick(g, nil, []string{"minItems=1"}, []string{"maxItems=3"}, []string{"minItems=1", "maxItems=2"}, []string{"uniqueItems"}, []string{"minItems=0"})
		if t.elem.kind == leafKind && g.IntN(2) == 0 {
			for _, word := range g.scalarWords(t.elem.leaf) {
				if !strings.HasPrefix(word, "default") && !strings.HasPrefix(word, "const") {
					words = append(words[:len(words):len(words)], word)
				}
			}
		}
		return words
	case arrayKind:
		if t.length > 1 && g.IntN(3) == 0 && t.elem.kind == leafKind && t.elem.leaf.class != boolClass {
			return []string{"uniqueItems"}
		}
		return nil
	case mapKind:
		return pick(g, nil, []string{"minProperties=1"}, []string{"maxProperties=2"}, []string{"minProperties=1", "maxProperties=3"})
	case leafKind:
		return g.scalarWords(t.leaf)
	default:
		return nil
	}
}

func (g *Generator) scalarWords(l leaf) []string {
	switch l.class {
	case boolClass:
		return pick(g, nil, []string{"default=true"}, []string{"const=true"}, []string{"enum=false"}, []string{"example=true"})
	case intClass:
		low := g.IntN(20) - 12
		high := low + g.IntN(40)
		return g.numberWords(low, high)
	case uintClass:
		low := g.IntN(9)
		return g.numberWords(low, low+g.IntN(90))
	case floatClass:
		return pick(g, nil, []string{"minimum=-0.5", "exclusiveMaximum=0.75"}, []string{"multipleOf=0.25"}, []string{"minimum=0.1"}, []string{"maximum=1e10"},
			[]string{"multipleOf=0.1"}, []string{"enum=0.5", "enum=1", "enum=-2"}, []string{"default=2.5"}, []string{"const=0"}, []string{"exclusiveMinimum=-3", "example=1"})
	case stringClass:
		return g.textWords()
	case anyClass:
		return pick(g, nil, []string{`enum="a"`, "enum=1"}, []string{"default={}"}, []string{"const=[1]"})
	default:
		return nil
	}
}

func (g *Generator) numberWords(low, high int) []string {
	minimum, maximum := "minimum="+strconv.Itoa(low), "maximum="+strconv.Itoa(high)
	switch g.IntN(9) {
	case 0:
		return []string{minimum}
	case 1:
		return []string{maximum}
	case 2:
		return []string{minimum, maximum}
	case 3:
		return []string{fmt.Sprintf("exclusiveMinimum=%d", low), fmt.Sprintf("exclusiveMaximum=%d", high+2)}
	case 4:
		return []string{fmt.Sprintf("multipleOf=%d", 1+g.IntN(7))}
	case 5:
		return []string{fmt.Sprintf("enum=%d", low), fmt.Sprintf("enum=%d", high+1)}
	case 6:
		return []string{minimum, fmt.Sprintf("default=%d", low)}
	case 7:
		return []string{fmt.Sprintf("const=%d", high)}
	default:
		return []string{fmt.Sprintf("example=%d", high)}
	}
}

// textWords generates keywords for a string. Samples can be found for its patterns.
func (g *Generator) textWords() []string {
	switch g.IntN(8) {
	case 0:
		return []string{"minLength=1"}
	case 1:
		return []string{fmt.Sprintf("maxLength=%d", g.IntN(6))}
	case 2:
		return []string{"minLength=2", "maxLength=5"}
	case 3:
		return []string{"pattern=" + pick(g, "^[a-z]+$", "a+", "^[A-Z]{1\\\\,3}$", "^(ab|cd)*$", "^\\\\d{2}$", "^.{0\\\\,4}$", "é")}
	case 4:
		return []string{"format=" + pick(g, "date-time", "date", "time", "email", "ipv4", "ipv6", "uuid", "uri", "regex")}
	case 5:
		return []string{"enum=a", "enum=b\\\\,c", "enum=é"}
	case 6:
		return []string{"default=x", "maxLength=3"}
	default:
		return []string{"const=v1"}
	}
}
