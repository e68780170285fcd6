package placeholder

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// formats has a text for each format that package authority checks, and for two others.
var formats = map[string]string{
	"date-time":             "2026-01-31T09:30:00Z",
	"date":                  "2026-01-31",
	"time":                  "09:30:00Z",
	"duration":              "PT1H30M",
	"email":                 "ada@example.com",
	"hostname":              "example.com",
	"ipv4":                  "192.0.2.1",
	"ipv6":                  "2001:db8::1",
	"uri":                   "https://example.com/",
	"iri":                   "https://example.com/",
	"uri-reference":         "/path",
	"iri-reference":         "/path",
	"uri-template":          "/items/{id}",
	"uuid":                  "123e4567-e89b-12d3-a456-426614174000",
	"json-pointer":          "/name",
	"relative-json-pointer": "1/name",
	"regex":                 "^a+$",
	"semver":                "1.2.3",
	"period":                "2026-01-01T00:00:00Z/P1D",
}

// OfFormat returns a text with a format, "" if the format is unknown.
func OfFormat(format string) string { return formats[format] }

// Texts are texts that usual patterns match, and that usual types with UnmarshalText accept: words, numbers, times,
// addresses.
var Texts = []string{
	"text", "1", "true", "a", "2026-01-31", "2026-01-31T09:30:00Z", "1h30m", "192.0.2.1", "192.0.2.0/24", "192.0.2.1:80",
	"123e4567-e89b-12d3-a456-426614174000", "1.2.3", "en", "EUR", "#ffffff",
}

// Listed returns a value that the schema d contains, nil if it has none.
func Listed(d *jsondoc.Value) *jsondoc.Value {
	for _, values := range [][]*jsondoc.Value{{d.Get("const")}, d.Get("examples").Elements(), {d.Get("default")}, d.Get("enum").Elements()} {
		if len(values) > 0 && values[0] != nil {
			return values[0]
		}
	}
	return nil
}

// text returns a string for d, nil if no placeholder matches its pattern.
func text(d *jsondoc.Value) *jsondoc.Value {
	if example := OfFormat(d.Get("format").Text()); example != "" {
		return jsondoc.String(example)
	}
	if pattern := d.Get("pattern"); pattern != nil {
		re, err := regexp.Compile(pattern.Text())
		if i := slices.IndexFunc(Texts, func(s string) bool { return err == nil && re.MatchString(s) }); i >= 0 {
			return jsondoc.String(Texts[i])
		}
		return nil
	}
	least := d.Get("minLength").Count()
	if least > MaxBytes {
		return nil
	}
	s := strings.Repeat("text", 1+least/4)[:max(4, least)]
	if d.Get("contentEncoding").Text() == "base64" {
		s = strings.Repeat("aGVs", max(0, least-5)/4) + "aGVsbG8="
	}
	if most := d.Get("maxLength"); most != nil {
		s = s[:min(len(s), most.Count())]
	}
	return jsondoc.String(s)
}

// number returns a number for d: 1 or the value of multipleOf if that is between the bounds, or else one next to a bound.
func number(d *jsondoc.Value, isInteger bool) *jsondoc.Value {
	unit, ok := d.Get("multipleOf").Number()
	if !ok && isInteger {
		unit = big.NewRat(1, 1)
	}
	step := cmp.Or(unit, big.NewRat(1, 1))
	n := step
	if low, ok := d.Get("minimum").Number(); ok && n.Cmp(low) < 0 {
		n = jsondoc.CeilMultiple(low, unit)
	}
	if low, ok := d.Get("exclusiveMinimum").Number(); ok && n.Cmp(low) <= 0 {
		n = jsondoc.FloorMultiple(low.Add(low, step), unit)
	}
	if high, ok := d.Get("maximum").Number(); ok && n.Cmp(high) > 0 {
		n = jsondoc.FloorMultiple(high, unit)
	}
	if high, ok := d.Get("exclusiveMaximum").Number(); ok && n.Cmp(high) >= 0 {
		n = jsondoc.CeilMultiple(high.Sub(high, step), unit)
	}
	return &jsondoc.Value{Raw: []byte(show.Rat(n))}
}

// TypeOf returns the type of values for d. Without the keyword type it is derived from the other keywords, "" if that is
// not possible.
func TypeOf(d *jsondoc.Value) string {
	if t := d.Get("type"); t.IsArray() {
		if i := slices.IndexFunc(t.Items, func(item *jsondoc.Value) bool { return item.Text() != "null" }); i >= 0 {
			return t.Items[i].Text()
		}
		return "null"
	} else if t != nil {
		return t.Text()
	}
	for _, hint := range []struct{ keyword, name string }{
		{"properties", "object"},
		{"required", "object"},
		{"additionalProperties", "object"},
		{"items", "array"},
		{"prefixItems", "array"},
		{"minLength", "string"},
		{"pattern", "string"},
		{"format", "string"},
		{"minimum", "number"},
		{"maximum", "number"},
	} {
		if d.Get(hint.keyword) != nil {
			return hint.name
		}
	}
	return ""
}
