package lint

import (
	"fmt"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

// sizes contains the size of a document, counted as model APIs do.
type sizes struct {
	properties int            // of all objects
	enums      int            // values of all enums
	text       int            // characters of property names, definition names, enum values and const values
	deepest    *vet.Subschema // the object nested in the most objects
	references int            // of all schemas
	reference  *vet.Subschema // the first schema with one
}

func (z *sizes) add(s *vet.Subschema) {
	properties := s.Value.Get("properties").Entries()
	z.properties += len(properties)
	for _, named := range [][]jsondoc.Member{properties, s.Value.Get("$defs").Entries(), s.Value.Get("definitions").Entries()} {
		for _, m := range named {
			z.text += utf8.RuneCountInString(m.Name)
		}
	}
	if s.Value.Get("$ref").Text() != "" {
		z.references++
		if z.reference == nil {
			z.reference = s
		}
	}
	if enum := s.Value.Get("enum"); enum != nil {
		z.enums += len(enum.Items)
		for _, value := range enum.Items {
			z.text += lengthOf(value)
		}
	}
	if value := s.Value.Get("const"); value != nil {
		z.text += lengthOf(value)
	}
	if s.Is("object") && (z.deepest == nil || s.Objects > z.deepest.Objects) {
		z.deepest = s
	}
}

// lengthOf returns the length of a scalar: characters of a string, bytes of any other value.
func lengthOf(d *jsondoc.Value) int {
	if d.Kind == rawjson.String {
		return utf8.RuneCountInString(d.Text())
	}
	return len(d.Raw)
}

// more reports a document that has more of something than limit.
func more(limit int, what string, count func(*sizes) int) check {
	return func(l *linter, s *vet.Subschema) {
		if n := count(&l.sizes); n > limit {
			l.report(s, fmt.Sprintf("%d %s, more than %d", n, what, limit))
		}
	}
}

// deeperThan reports the most deeply nested object if it has more than limit levels, the root being the first.
func deeperThan(limit int) check {
	return func(l *linter, _ *vet.Subschema) {
		if deep := l.sizes.deepest; deep != nil && deep.Objects+1 > limit {
			l.report(deep, fmt.Sprintf("%d levels of objects, more than %d", deep.Objects+1, limit))
		}
	}
}

// longEnum reports an enum of more than values strings that together have more than the given number of characters.
func longEnum(values, characters int) check {
	return func(l *linter, s *vet.Subschema) {
		enum := s.Value.Get("enum")
		if enum == nil || len(enum.Items) <= values {
			return
		}
		n := 0
		for _, value := range enum.Items {
			if value.Kind == rawjson.String {
				n += lengthOf(value)
			}
		}
		if n > characters {
			l.report(s, fmt.Sprintf("enum of %d characters in %d values", n, len(enum.Items)), "enum")
		}
	}
}

// references reports the first $ref of a document, and the number of all others.
func references(l *linter, _ *vet.Subschema) {
	if first := l.sizes.reference; first != nil {
		l.report(first, "$ref "+show.Quote(first.Value.Get("$ref").Text(), show.MaxText), "$ref")
		l.findings[len(l.findings)-1].More = l.sizes.references - 1
	}
}
