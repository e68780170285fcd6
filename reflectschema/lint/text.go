package lint

import (
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

// formatsExcept reports formats that are not in the list for the type. Types without a list may have any format.
func formatsExcept(known map[string][]string) check {
	return func(l *linter, s *vet.Subschema) {
		format := s.Value.Get("format").Text()
		if format == "" {
			return
		}
		for kind, formats := range known {
			if s.Is(kind) && !slices.Contains(formats, format) {
				l.report(s, "format "+show.Quote(format, show.MaxName), "format")
				return
			}
		}
	}
}

// eachPattern calls fn with every pattern of a schema and its location below the schema.
func eachPattern(s *vet.Subschema, fn func(pattern string, below ...string)) {
	if pattern := s.Value.Get("pattern").Text(); pattern != "" {
		fn(pattern, "pattern")
	}
	for _, m := range s.Value.Get("patternProperties").Entries() {
		fn(m.Name, "patternProperties", m.Name)
	}
}

// lookaround reports patterns with lookahead or lookbehind.
func lookaround(l *linter, s *vet.Subschema) {
	eachPattern(s, func(pattern string, below ...string) {
		if looksAround(pattern) {
			l.report(s, "pattern "+show.Quote(pattern, show.MaxText), below...)
		}
	})
}

// looksAround reports whether a pattern contains a lookaround group, neither escaped nor inside a class.
func looksAround(pattern string) bool {
	inClass := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '(':
			rest := pattern[i+1:]
			for _, start := range []string{"?=", "?!", "?<=", "?<!"} {
				if strings.HasPrefix(rest, start) {
					return true
				}
			}
		}
	}
	return false
}

// notECMAScript reports patterns that are valid in Go and not in ECMAScript. It ignores patterns that are not valid in
// Go.
func notECMAScript(l *linter, s *vet.Subschema) {
	eachPattern(s, func(pattern string, below ...string) {
		if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
			return
		}
		if rules.NotECMA(pattern) != nil {
			l.report(s, "pattern "+show.Quote(pattern, show.MaxText), below...)
		}
	})
}

// namesExcept reports properties whose names are not legal.
func namesExcept(legal func(string) bool) check {
	return func(l *linter, s *vet.Subschema) {
		for _, m := range s.Value.Get("properties").Entries() {
			if !legal(m.Name) {
				l.report(s, "name "+show.Quote(m.Name, show.MaxName), "properties", m.Name)
			}
		}
	}
}

// maxNameLength is the maximum length of a property name in the model APIs, in bytes.
const maxNameLength = 64

// isAnthropicName reports whether name matches ^[a-zA-Z0-9_.-]{1,64}$.
func isAnthropicName(name string) bool {
	return onlyOf(name, alphanumerics+"_.-")
}

// isGeminiName reports whether name matches ^[a-zA-Z_][a-zA-Z0-9_]{0,63}$.
func isGeminiName(name string) bool {
	return onlyOf(name, alphanumerics+"_") && (name[0] < '0' || name[0] > '9')
}

const alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// onlyOf reports whether name has 1 to maxNameLength bytes and only characters in set.
func onlyOf(name, set string) bool {
	return name != "" && len(name) <= maxNameLength &&
		!strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(set, r) })
}

// enumOfOthers reports an enum that has values other than strings, or a type other than string.
func enumOfOthers(l *linter, s *vet.Subschema) {
	enum := s.Value.Get("enum")
	if enum == nil {
		return
	}
	other := slices.IndexFunc(enum.Items, func(d *jsondoc.Value) bool { return d.Kind != rawjson.String })
	switch {
	case other >= 0:
		l.report(s, "enum with "+show.Clip(string(enum.Items[other].Raw), show.MaxName), "enum")
	case s.Value.Get("type").Text() != "string":
		l.report(s, "enum with "+foundType(s.Value.Get("type")), "enum")
	}
}

// emptyEnumValue reports an empty string in an enum.
func emptyEnumValue(l *linter, s *vet.Subschema) {
	if enum := s.Value.Get("enum"); enum != nil && slices.ContainsFunc(enum.Items, func(d *jsondoc.Value) bool { return string(d.Raw) == `""` }) {
		l.report(s, `enum with ""`, "enum")
	}
}

// undescribed reports properties without a description. It skips references, because their target may have one, and
// constants, such as the discriminator of a union, because there is nothing to choose.
func undescribed(l *linter, s *vet.Subschema) {
	for _, m := range s.Value.Get("properties").Entries() {
		if m.Value.Get("description").Text() == "" && m.Value.Get("$ref") == nil && m.Value.Get("const") == nil {
			l.report(s, "no description", "properties", m.Name)
		}
	}
}

// describedBeyond reports descriptions of more than limit UTF-16 code units, the unit of string lengths in JavaScript.
func describedBeyond(limit int) check {
	return func(l *linter, s *vet.Subschema) {
		text := s.Value.Get("description").Text()
		n := 0
		for _, r := range text {
			n += max(1, utf16.RuneLen(r))
		}
		if n > limit {
			l.report(s, "a description of "+strconv.Itoa(n)+" characters", "description")
		}
	}
}
