package authority

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// hasType reports whether v is of a type that s allows.
func hasType(s *jsonschema.Schema, v any) bool {
	if s.Types == nil || s.Types.IsEmpty() {
		return true
	}
	if *s.Types&typesOf(typeName(v)) != 0 {
		return true
	}
	number, ok := v.(json.Number)
	return ok && wantsInteger(s) && isIntegral(string(number))
}

// fitsType is hasType, and spends the work of finding out whether a number with a fraction or an exponent is an integer.
func (e *evaluator) fitsType(s *jsonschema.Schema, v any) bool {
	if number, ok := v.(json.Number); ok && wantsInteger(s) {
		switch at := strings.IndexAny(string(number), ".eE"); {
		case at < 0:
		case e.all && strings.ContainsAny(string(number[at:]), "eE"):
			e.spend(powerWork) // the library computes the number
		default:
			e.spend(numberWork)
		}
	}
	return hasType(s, v)
}

// wantsInteger reports whether s allows integers, but no other numbers.
func wantsInteger(s *jsonschema.Schema) bool {
	return s.Types != nil && *s.Types&integerType != 0 && *s.Types&numberType == 0
}

// The types that a number may have.
var integerType, numberType = typesOf("integer"), typesOf("number")

func typesOf(name string) (t jsonschema.Types) {
	t.Add(name)
	return t
}

// isIntegral reports whether a JSON number has no fraction, however it is written.
func isIntegral(number string) bool {
	if !strings.ContainsAny(number, ".eE") {
		return true
	}
	mantissa, exponent := number, 0
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa = number[:i]
		exponent, _ = strconv.Atoi(strings.TrimPrefix(number[i+1:], "+")) // at most three digits
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	fraction = strings.TrimRight(fraction, "0")
	switch {
	case fraction != "":
		return exponent >= len(fraction)
	case exponent >= 0:
		return true
	default:
		zeros := len(whole) - len(strings.TrimRight(whole, "0"))
		return zeros >= -exponent || strings.Trim(whole, "-0") == ""
	}
}

// isChosen applies const, enum and format.
func (e *evaluator) isChosen(s *jsonschema.Schema, v any) bool {
	if s.Const != nil && !e.equal(v, *s.Const) {
		return false
	}
	if s.Enum != nil && !e.isAmong(s.Enum, v) {
		return false
	}
	if s.Format == nil {
		return true
	}
	if text, ok := v.(string); ok {
		if s.MaxLength != nil && len(text) > longText && e.lengthOf(text) > *s.MaxLength {
			return true // own refuses it
		}
		e.spend(1 + len(text)/bytesWork)
		if s.Format.Name == "regex" {
			e.spend(regexWork * min(len(text), maxPatternBytes))
		}
	}
	return !e.over && s.Format.Validate(v) == nil
}

// equal reports whether JSON Schema calls two values equal.
func (e *evaluator) equal(x, y any) bool {
	e.spend(1)
	switch x := x.(type) {
	case map[string]any:
		y, ok := y.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for name, v := range x {
			if w, ok := y[name]; !ok || e.over || !e.equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		y, ok := y.([]any)
		return ok && slices.EqualFunc(x, y, func(v, w any) bool { return !e.over && e.equal(v, w) })
	case json.Number:
		y, ok := y.(json.Number)
		return ok && (x == y || e.equalNumbers(string(x), string(y)))
	case string:
		y, ok := y.(string)
		if !ok || len(x) != len(y) {
			return false
		}
		e.spend(len(x) / countWork)
		return x == y
	default:
		return typeName(x) == typeName(y) && x == y
	}
}

// equalNumbers is equal for numbers that are written differently. The first one is often the same as before: an enum has
// many values to compare it with.
func (e *evaluator) equalNumbers(x, y string) bool {
	e.spend((len(x) + len(y)) / (2 * bytesWork))
	if e.all { // the library computes both
		e.spend(numberWork)
		if strings.ContainsAny(x, "eE") || strings.ContainsAny(y, "eE") {
			e.spend(powerWork)
		}
	}
	if x != e.compared {
		e.compared, e.decimal = x, AppendDecimal(e.decimal[:0], x)
	}
	var other [2 * MaxNumber]byte
	return string(e.decimal) == string(AppendDecimal(other[:0], y))
}

// own applies what s demands of v itself and not of its parts. Sizes come first.
func (e *evaluator) own(s *jsonschema.Schema, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		ok := within(len(v), s.MinProperties, s.MaxProperties)
		return !e.ended(ok) && e.hasRequired(s, v) && ok
	case []any:
		return within(len(v), s.MinItems, s.MaxItems)
	case string:
		return e.text(s, v)
	case json.Number:
		return e.number(s, string(v))
	default:
		return true
	}
}

// within reports whether n is inside the bounds that are not nil.
func within(n int, least, most *int) bool {
	return (least == nil || n >= *least) && (most == nil || n <= *most)
}

// hasRequired applies required, dependentRequired and the form of dependencies that lists names.
func (e *evaluator) hasRequired(s *jsonschema.Schema, obj map[string]any) bool {
	ok := e.hasNames(s.Required, obj)
	e.spend((len(s.DependentRequired) + len(s.Dependencies)) / lookupWork)
	for name, names := range s.DependentRequired {
		if e.ended(ok) {
			return false
		}
		if _, given := obj[name]; given {
			ok = e.hasNames(names, obj) && ok
		}
	}
	for name, dependency := range s.Dependencies {
		if e.ended(ok) {
			return false
		}
		names, isNames := dependency.([]string)
		if _, given := obj[name]; given && isNames {
			ok = e.hasNames(names, obj) && ok
		}
	}
	return ok
}

// hasNames reports whether obj has members of all these names, and counts those that it lacks.
func (e *evaluator) hasNames(names []string, obj map[string]any) bool {
	e.spend(len(names) / bytesWork)
	ok := true
	for _, name := range names {
		if _, given := obj[name]; !given {
			e.listed++
			if ok = false; !e.all {
				break
			}
		}
	}
	return ok
}

// text applies the keywords for strings. Those for their content assert nothing.
func (e *evaluator) text(s *jsonschema.Schema, text string) bool {
	if s.MinLength != nil || s.MaxLength != nil {
		if length := e.lengthOf(text); e.over || !within(length, s.MinLength, s.MaxLength) {
			return false
		}
	}
	return s.Pattern == nil || e.matches(s.Pattern, text)
}

// lengthOf returns the length of a text in characters. It counts those of the same text once, but spends the work each
// time where the library will count them each time.
func (e *evaluator) lengthOf(text string) int {
	isNew := text != e.counted
	if isNew || e.all {
		e.spend(len(text) / countWork)
	}
	if isNew && !e.over {
		e.counted, e.characters = text, utf8.RuneCountInString(text)
	}
	return e.characters
}

// matches applies a pattern.
func (e *evaluator) matches(re jsonschema.Regexp, text string) bool {
	program := maxPatternProgram
	if p, ok := re.(*Pattern); ok {
		program = p.Program
	}
	e.spend(1 + matchCost(program, len(text))/matchWork)
	return !e.over && re.MatchString(text)
}

// number applies the keywords for numbers, exactly.
func (e *evaluator) number(s *jsonschema.Schema, text string) bool {
	if s.Minimum == nil && s.Maximum == nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil && s.MultipleOf == nil {
		return true
	}
	e.spend(numberWork)
	if strings.ContainsAny(text, "eE") {
		e.spend(powerWork)
	}
	if e.over {
		return false
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		return false
	}
	return (s.Minimum == nil || n.Cmp(s.Minimum) >= 0) && (s.Maximum == nil || n.Cmp(s.Maximum) <= 0) &&
		(s.ExclusiveMinimum == nil || n.Cmp(s.ExclusiveMinimum) > 0) && (s.ExclusiveMaximum == nil || n.Cmp(s.ExclusiveMaximum) < 0) &&
		(s.MultipleOf == nil || new(big.Rat).Quo(n, s.MultipleOf).IsInt())
}
