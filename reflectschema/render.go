package reflectschema

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// render returns the document of a schema: the output of its MarshalJSON, without escapes that JSON does not need, with
// keywords in reading order, and with {} for true.
func render(s *jsonschema.Schema) (*Schema, error) {
	raw, err := s.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("marshal: %w", err)
	}
	text := jsontext.Value(raw)
	if err := text.Format(); err != nil {
		return nil, fmt.Errorf("format: %w", err) // such as a keyword that is both a field and among the extras
	}
	return newSchema(tidy("", jsondoc.Parse(text).MapSchemas(tidy)).AppendTo(make([]byte, 0, len(text)))), nil
}

// tidy returns the schema d under a keyword in the form that most clients read. Some clients expect an object wherever there
// is a schema; booleans stay only where false is usual.
func tidy(keyword string, d *jsondoc.Value) *jsondoc.Value {
	switch {
	case d.IsTrue():
		return &jsondoc.Value{Kind: jsontext.KindBeginObject}
	case d.IsFalse() && !jsondoc.Closes(keyword):
		return jsondoc.Parse([]byte(`{"not":{}}`))
	}
	members := slices.Clone(d.Members)
	slices.SortStableFunc(members, func(a, b jsondoc.Member) int { return cmp.Compare(jsondoc.Reading(a.Name), jsondoc.Reading(b.Name)) })
	return d.WithParts(members, nil)
}
