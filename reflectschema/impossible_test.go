package reflectschema_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// impossibleKind is a Go type, the schema of its values, tags, and enough values to show whether a schema accepts any.
type impossibleKind struct {
	goType reflect.Type
	schema string // without braces
	// tags maps keywords to values, in the form of the tag, which is also JSON.
	tags   map[string][]string
	values []string
}

func impossibleKinds() map[string]impossibleKind {
	numbers := func(values ...string) map[string][]string {
		m := map[string][]string{"multipleOf": {"2", "3", "7"}}
		for _, k := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
			m[k] = values
		}
		return m
	}
	whole := numbers("-3", "-1", "0", "1", "2", "4", "6")
	fractions := numbers("-1.5", "-1", "0", "0.5", "1", "1.5", "2", "2.5")
	fractions["multipleOf"] = []string{"0.75", "2", "3"}
	counts := func(of string) map[string][]string {
		return map[string][]string{"min" + of: {"0", "1", "2", "3", "4"}, "max" + of: {"0", "1", "2", "3"}}
	}
	lists := counts("Items")
	lists["uniqueItems"] = []string{"true"}
	texts := counts("Length")
	texts["pattern"] = []string{"^a{2,3}$", "a{3}", "^(a|aa)?$", "^a+$", "^aa", "^$"}
	formats := map[string][]string{
		"minLength": {"1", "9", "11", "20", "37"}, "maxLength": {"1", "2", "8", "10", "16", "36", "40"},
		"format": {"date", "time", "date-time", "uuid", "ipv4", "ipv6", "duration", "hostname"},
	}
	return map[string]impossibleKind{
		"int":               {reflect.TypeFor[int](), `"type":"integer"`, whole, between(-40, 40, 1)},
		"uint":              {reflect.TypeFor[uint](), `"type":"integer","minimum":0`, numbers("0", "1", "2", "4", "6"), between(0, 40, 1)},
		"float64":           {reflect.TypeFor[float64](), `"type":"number"`, fractions, between(-10, 10, 0.25)},
		"string":            {reflect.TypeFor[string](), `"type":"string"`, texts, repeatedTexts(7)},
		"string of formats": {reflect.TypeFor[string](), `"type":"string"`, formats, formatTexts()},
		"slice":             {reflect.TypeFor[[]int](), `"type":"array","items":{"type":"integer"}`, lists, someLists("0", "1", "2", "3")},
		"slice of bool":     {reflect.TypeFor[[]bool](), `"type":"array","items":{"type":"boolean"}`, lists, someLists("true", "false", "true", "false")},
		"map":               {reflect.TypeFor[map[string]int](), `"type":"object"`, counts("Properties"), someMaps(5)},
		"map of an enum":    {reflect.TypeFor[map[keyEnum]int](), `"type":"object","propertyNames":{"enum":["a","b"]}`, counts("Properties"), someMaps(2)},
	}
}

func between(low, high, step float64) (values []string) {
	for n := low; n <= high; n += step {
		values = append(values, strconv.FormatFloat(n, 'f', -1, 64))
	}
	return values
}

func repeatedTexts(n int) (values []string) {
	for i := range n {
		values = append(values, strconv.Quote(strings.Repeat("a", i)))
	}
	return values
}

func formatTexts() []string {
	texts := []string{
		"", "a", strings.Repeat("a", 9), strings.Repeat("a", 20), strings.Repeat("a", 37), strings.Repeat("a.", 19) + "a",
		"2026-01-31", "09:30:00Z", "09:30:00.1Z", "09:30:00.12345678901Z", "09:30:00." + strings.Repeat("1", 28) + "Z", "2026-01-31T09:30:00Z",
		"2026-01-31T09:30:00." + strings.Repeat("1", 17) + "Z", "123e4567-e89b-12d3-a456-426614174000",
		"1.1.1.1", "255.1.1.1", "255.255.1.1", "::", "::1:2:3:4:5", "1:2:3:4:5:6:7:8", "1111:2222:3:4:5:6:7:8", "1111:2222:3333:4444:5555:6666:77:8", "1111:2222:3333:4444:5555:6666:7777:8888",
		"1:2:3:4::5", "P1D", "P10000000D", "P100000D", "P1Y2M10DT2H", "P1000Y2000M10DT2000H", "P" + strings.Repeat("1", 35) + "D",
	}
	for i, text := range texts {
		texts[i] = strconv.Quote(text)
	}
	return texts
}

// someLists returns lists of the first items.
func someLists(items ...string) (values []string) {
	for i := range len(items) + 1 {
		values = append(values, "["+strings.Join(items[:i], ",")+"]")
	}
	return values
}

func someMaps(n int) (values []string) {
	text := ""
	for i := range n + 1 {
		values = append(values, "{"+strings.TrimSuffix(text, ",")+"}")
		text += fmt.Sprintf("%q:0,", string(rune('a'+i)))
	}
	return values
}

// TestImpossibleTags checks that a tag with up to four keywords is refused exactly if its schema accepts no value.
func TestImpossibleTags(t *testing.T) {
	t.Parallel()
	schemas := reflectschema.Internal(private.Key{})
	for name, kind := range impossibleKinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, 2))
			var tried [2]int
			seen := map[string]bool{}
			for range 3000 {
				tag, schema := kind.pick(rng)
				if seen[tag] {
					continue
				}
				seen[tag] = true
				s, err := reflectschema.ParseSchema([]byte(schema))
				if err != nil {
					t.Fatalf("%s: %v", schema, err)
				}
				fits := slices.ContainsFunc(kind.values, func(v string) bool { return schemas.Judge(s, []byte(v)) == nil })
				field := reflect.StructField{Name: "F", Type: kind.goType, Tag: reflect.StructTag(fmt.Sprintf("jsonschema:%q", tag))}
				_, err = reflectschema.Compile(reflect.StructOf([]reflect.StructField{field}), reflectschema.DirectionInput)
				if isRefused := err != nil && strings.Contains(err.Error(), " meets "); isRefused == fits || isRefused != (err != nil) {
					t.Errorf("%s: a value fits: %v, but got error %v", tag, fits, err)
				}
				if fits {
					tried[1]++
				} else {
					tried[0]++
				}
			}
			if tried[0] == 0 || tried[1] == 0 {
				t.Errorf("%d impossible tags, %d possible; want some of both", tried[0], tried[1])
			}
		})
	}
}

// pick returns a tag with one to four keywords, and the schema of a field with it.
func (k impossibleKind) pick(rng *rand.Rand) (tag, schema string) {
	keywords := slices.Sorted(maps.Keys(k.tags))
	rng.Shuffle(len(keywords), func(i, j int) { keywords[i], keywords[j] = keywords[j], keywords[i] })
	var settings, members []string
	for _, keyword := range keywords[:1+rng.IntN(min(4, len(keywords)))] {
		value := k.tags[keyword][rng.IntN(len(k.tags[keyword]))]
		settings = append(settings, strings.TrimSuffix(keyword+"="+strings.ReplaceAll(value, ",", `\,`), "=true"))
		if _, err := strconv.ParseFloat(value, 64); err != nil && value != "true" {
			value = strconv.Quote(value)
		}
		members = append(members, fmt.Sprintf("%q:%s", keyword, value))
	}
	return strings.Join(settings, ","), fmt.Sprintf(`{"allOf":[{%s},{%s}]}`, k.schema, strings.Join(members, ","))
}
