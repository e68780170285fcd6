package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// replacements are values that replace parts of others. All are exact as numbers of JavaScript.
var replacements = []string{
	`null`, `true`, `0`, `-1`, `1.5`, `3.0`, `1000000`, `""`, `"a"`, `"é 😀"`, `[]`, `[1,1]`, `{}`, `{"a":null}`,
	`"2026-01-31T09:30:00Z"`, `"2026-01-31"`, `"2026-02-30T00:00:00+01:00"`, `"P1D"`, `"a@b.example"`, `"@a"`, `"192.0.2.1"`, `"::1"`,
	`"https://example.com/a?b#c"`, `"https://example.com/{a}{?b}"`, `"{scheme}://a"`, `"{host}:8080/x"`, `"{"`, `"/a b"`, `"/é"`, `"a:b"`,
	`"123e4567-e89b-12d3-a456-426614174000"`, `"/a/0"`, `"^a$"`,
}

// valuesOf returns values for a schema as JSON texts: samples, which fit or have one mistake, and changed samples.
func valuesOf(s *reflectschema.Schema, r *rand.Rand, count int) (values []string) {
	for _, sample := range samples.Of(s) {
		values = append(values, string(sample.JSON))
	}
	if len(values) == 0 {
		values = []string{"{}"}
	}
	r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	values = values[:min(len(values), count/2)]
	for originals := values; len(values) < count; {
		values = append(values, changed(originals[r.IntN(len(originals))], r))
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// changed returns a value with one part removed, added or replaced.
func changed(text string, r *rand.Rand) string {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return "null"
	}
	data, err := json.Marshal(change(v, r))
	if err != nil {
		return "null"
	}
	return string(data)
}

func change(v any, r *rand.Rand) any {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		switch n := r.IntN(8); {
		case len(names) > 0 && n < 5:
			name := names[r.IntN(len(names))]
			v[name] = change(v[name], r)
			return v
		case len(names) > 0 && n < 6:
			delete(v, names[r.IntN(len(names))])
			return v
		case n < 7:
			v["another"] = replacement(r)
			return v
		}
	case []any:
		switch n := r.IntN(8); {
		case len(v) > 0 && n < 5:
			i := r.IntN(len(v))
			v[i] = change(v[i], r)
			return v
		case len(v) > 0 && n < 6:
			return append(v, v[0])
		case n < 7:
			return append(v, replacement(r))
		}
	}
	return replacement(r)
}

func replacement(r *rand.Rand) any { return json.RawMessage(replacements[r.IntN(len(replacements))]) }
