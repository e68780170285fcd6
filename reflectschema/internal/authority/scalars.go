package authority

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// isOfType applies type.
func (e *evaluator) isOfType(s *jsonschema.Schema, v any) bool {
	if s.Types == nil || s.Types.IsEmpty() || *s.Types&typesOf(TypeName(v)) != 0 {
		return true
	}
	if number, ok := v.(json.Number); ok && *s.Types&integerType != 0 {
		if strings.ContainsAny(string(number), ".eE") {
			e.spend(numberWork)
		}
		if isIntegral(string(number)) {
			return true
		}
	}
	return e.collects() && e.fail(s, "type", v, s.Types.ToStrings())
}

// integerType is the set of the type integer.
var integerType = typesOf("integer")

func typesOf(name string) (t jsonschema.Types) {
	t.Add(name)
	return t
}

// TypeName returns the JSON Schema type of v, "number" for every number.
func TypeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	default:
		return "number"
	}
}

// isIntegral reports whether the value of a JSON number is an integer, in any spelling, such as 1.0 or 1e2.
func isIntegral(number string) bool {
	if !strings.ContainsAny(number, ".eE") {
		return true
	}
	var room [2 * MaxNumber]byte
	return !bytes.Contains(AppendDecimal(room[:0], number), []byte("e-"))
}

// isListed applies const and enum.
func (e *evaluator) isListed(s *jsonschema.Schema, v any) bool {
	if s.Const != nil && !e.equal(v, *s.Const) {
		return e.collects() && e.fail(s, "const", v, []any{*s.Const})
	}
	if s.Enum != nil && !e.isAmong(s.Enum, v) {
		return e.fail(s, "enum", v, s.Enum.Values)
	}
	return true
}

// hasFormat applies format. A long string that exceeds maxLength is not checked; see [longText].
func (e *evaluator) hasFormat(s *jsonschema.Schema, v any) bool {
	text, isText := v.(string)
	if s.Format == nil || !isText || e.isTooLong(s, text) {
		return true
	}
	e.spend(1 + len(text)/bytesWork)
	if s.Format.Name == "regex" {
		e.spend(regexWork * min(len(text), maxPatternBytes))
	}
	return !e.over && (s.Format.Validate(v) == nil || e.fail(s, "format", v, s.Format.Name))
}

// isTooLong reports whether a long string exceeds maxLength.
func (e *evaluator) isTooLong(s *jsonschema.Schema, text string) bool {
	return s.MaxLength != nil && len(text) > longText && e.lengthOf(text) > *s.MaxLength
}

// limits applies the keywords that do not apply other schemas: limits of sizes and numbers, required, and pattern.
func (e *evaluator) limits(s *jsonschema.Schema, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		ok := e.within(s, "Properties", s.MinProperties, s.MaxProperties, v, len(v))
		return !e.ended(ok) && e.hasNames(s, "required", "", s.Required, v) && ok
	case []any:
		return e.within(s, "Items", s.MinItems, s.MaxItems, v, len(v))
	case string:
		return e.limitsOfText(s, v)
	case json.Number:
		return e.limitsOfNumber(s, v)
	default:
		return true
	}
}

// within applies the keywords min… and max… to n, the size of v.
func (e *evaluator) within(s *jsonschema.Schema, of string, least, most *int, v any, n int) bool {
	ok := least == nil || n >= *least || e.record(Failure{Keyword: "min" + of, Schema: s, Got: v, Want: *least, Count: n})
	return (most == nil || n <= *most || e.record(Failure{Keyword: "max" + of, Schema: s, Got: v, Want: *most, Count: n})) && ok
}

// limitsOfText applies minLength, maxLength and pattern. The keywords for the content of strings are annotations.
func (e *evaluator) limitsOfText(s *jsonschema.Schema, text string) bool {
	ok := true
	if s.MinLength != nil || s.MaxLength != nil {
		ok = e.within(s, "Length", s.MinLength, s.MaxLength, text, e.lengthOf(text))
	}
	if s.Pattern == nil || e.ended(ok) || e.isTooLong(s, text) || e.matches(s.Pattern, text) {
		return ok && !e.over
	}
	return e.fail(s, "pattern", text, s.Pattern.String())
}

// lengthOf returns the length of a string in characters. The result for the last string is cached.
func (e *evaluator) lengthOf(text string) int {
	if text != e.text {
		if e.spend(len(text) / countWork); !e.over {
			e.text, e.characters = text, utf8.RuneCountInString(text)
		}
	}
	return e.characters
}

// matches reports whether a pattern matches text.
func (e *evaluator) matches(re jsonschema.Regexp, text string) bool {
	cost := Pattern{Program: maxPatternProgram} // of a pattern of a meta-schema
	if p, ok := re.(*Pattern); ok {
		cost.Program = p.Program
	}
	e.spend(1 + cost.Work(len(text))/matchWork)
	return !e.over && re.MatchString(text)
}

// limitsOfNumber applies the keywords for numbers with exact arithmetic.
func (e *evaluator) limitsOfNumber(s *jsonschema.Schema, number json.Number) bool {
	if s.Minimum == nil && s.Maximum == nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil && s.MultipleOf == nil {
		return true
	}
	e.spend(numberWork)
	if strings.ContainsAny(string(number), "eE") {
		e.spend(powerWork)
	}
	if e.over {
		return false
	}
	n, ok := new(big.Rat).SetString(string(number))
	if !ok {
		return false
	}
	for _, limit := range []struct {
		keyword string
		bound   *big.Rat
		allows  func(bound *big.Rat) bool
	}{
		{"minimum", s.Minimum, func(bound *big.Rat) bool { return n.Cmp(bound) >= 0 }},
		{"maximum", s.Maximum, func(bound *big.Rat) bool { return n.Cmp(bound) <= 0 }},
		{"exclusiveMinimum", s.ExclusiveMinimum, func(bound *big.Rat) bool { return n.Cmp(bound) > 0 }},
		{"exclusiveMaximum", s.ExclusiveMaximum, func(bound *big.Rat) bool { return n.Cmp(bound) < 0 }},
		{"multipleOf", s.MultipleOf, func(bound *big.Rat) bool { return new(big.Rat).Quo(n, bound).IsInt() }},
	} {
		if limit.bound != nil && !e.ended(ok) && !limit.allows(limit.bound) {
			ok = e.fail(s, limit.keyword, number, limit.bound)
		}
	}
	return ok
}

// equal reports whether two values are equal (JSON Schema Core, section 4.2.2).
func (b *budget) equal(x, y any) bool {
	b.spend(1)
	switch x := x.(type) {
	case map[string]any:
		y, ok := y.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for name, v := range x {
			if w, ok := y[name]; !ok || b.over || !b.equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		y, ok := y.([]any)
		return ok && slices.EqualFunc(x, y, func(v, w any) bool { return !b.over && b.equal(v, w) })
	case json.Number:
		y, ok := y.(json.Number)
		return ok && (x == y || b.equalNumbers(string(x), string(y)))
	case string:
		y, ok := y.(string)
		if !ok || len(x) != len(y) {
			return false
		}
		b.spend(len(x) / countWork)
		return x == y
	default:
		return TypeName(x) == TypeName(y) && x == y
	}
}

// equalNumbers is equal for numbers that are written differently.
func (b *budget) equalNumbers(x, y string) bool {
	b.spend((len(x) + len(y)) / bytesWork)
	var one, two [2 * MaxNumber]byte
	return bytes.Equal(AppendDecimal(one[:0], x), AppendDecimal(two[:0], y))
}
