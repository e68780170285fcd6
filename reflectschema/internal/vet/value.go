package vet

import (
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// RefusedValue finds defaults, examples and listed values that do not fit their own schema.
var RefusedValue = &Check{
	Name: "refused-value",
	Why:  "its own schema rejects the value, so clients that use it get an error",
	Fix:  "correct the value, or the schema",
	find: refusedValues,
}

// Limits on the number of checked values, so that the time is not quadratic in the size of a document.
const (
	maxEnumChecked = 200  // values of one enum or examples
	maxValues      = 2000 // values of one document
)

func refusedValues(s *Subschema, report Report) {
	for _, keyword := range []string{"default", "const", "examples", "enum"} {
		values := s.Value.Get(keyword)
		switch {
		case values == nil:
		case keyword == "default" || keyword == "const":
			s.refuses(report, keyword, values)
		default:
			for _, value := range values.Items[:min(maxEnumChecked, len(values.Items))] {
				s.refuses(report, keyword, value)
			}
		}
	}
}

// refuses reports a value that does not fit the schema of s.
func (s *Subschema) refuses(report Report, keyword string, value *jsondoc.Value) {
	if s.document.values++; s.document.values > maxValues {
		return
	}
	if reason := s.document.Misfit(s.Pointer(), keyword, value); reason != "" {
		report(keyword+" "+show.Clip(string(value.AppendTo(nil)), show.MaxName)+": "+reason, keyword)
	}
}
