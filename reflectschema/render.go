package reflectschema

import (
	"bytes"
	"cmp"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// render writes a schema as it is published: compact, with the fewest escapes,
// its keywords in the order in which people read them, true written as {}.
func render(s *jsonschema.Schema) (*Schema, error) {
	w, _ := schemaWriters.Get().(*schemaWriter)
	defer schemaWriters.Put(w)
	*w = schemaWriter{out: w.out[:0]}
	w.schema("", s)
	if w.err != nil {
		return nil, w.err
	}
	return newSchema(bytes.Clone(w.out)), nil
}

// schemaWriters are kept for the sake of what they write into: it grows to the size of the
// largest schema.
var schemaWriters = sync.Pool{New: func() any { return &schemaWriter{out: make([]byte, 0, 4<<10)} }}

// tidy is one schema without what clients stumble over. Some take a boolean for
// no schema at all; only where false is usual does it stay.
func tidy(keyword string, d *jsondoc.Value) *jsondoc.Value {
	if d.IsBool() {
		return jsondoc.Parse([]byte(boolText(keyword, d.Kind == jsontext.KindTrue)))
	}
	ordered := *d
	ordered.Members = slices.Clone(d.Members)
	slices.SortStableFunc(ordered.Members, func(a, b jsondoc.Member) int { return cmp.Compare(jsondoc.Reading(a.Name), jsondoc.Reading(b.Name)) })
	return &ordered
}

// boolText is the schema true or false under a keyword.
func boolText(keyword string, b bool) string {
	switch {
	case b:
		return `{}`
	case jsondoc.Closes(keyword):
		return `false`
	default:
		return `{"not":{}}`
	}
}
