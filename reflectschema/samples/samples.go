// Package samples makes values from a schema, for tests of programs that read such values.
package samples

import (
	"encoding/json"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// A Sample is a value made from a schema.
type Sample struct {
	// JSON is the value as compact JSON.
	JSON json.RawMessage
	// Path is the location that the sample varies, items[0].qty; empty for the whole value.
	Path string
	// About describes the value at that location: "just above maximum", "omitted".
	About string
	// Fits reports whether the value fits the schema.
	Fits bool
}

var schemas = reflectschema.Internal(private.Key{})

// Of returns values at the limits of the schema, inside and outside: at each bound and just beyond it; each value of an
// enum, and one that it does not list; strings that match a pattern or have a format, and strings that do not; with and
// without each optional and each required member; with an unknown member; null and every other type at each location;
// strings with characters beyond ASCII. Most differ in one location, given by Path, from a value that is as small as
// possible. References are followed, recursive ones twice. The first sample is the [Example], if
// there is one.
//
// There are at most 2000 samples, all with different JSON, and they are the same in every run. It is possible that none
// of them fits, because combinations of keywords are not solved.
func Of(s *reflectschema.Schema) []Sample {
	var samples []Sample
	seen := map[string]bool{}
	add := func(v variant) {
		if !seen[string(v.JSON)] && len(samples) < maxVariants {
			seen[string(v.JSON)] = true
			samples = append(samples, Sample{JSON: v.JSON, Path: v.Path, About: v.About, Fits: schemas.Judge(s, v.JSON) == nil})
		}
	}
	if example := Example(s); example != nil {
		add(variant{JSON: example, About: "the example"})
	}
	for _, v := range variants(makerOf(s)) {
		add(v)
	}
	return samples
}
