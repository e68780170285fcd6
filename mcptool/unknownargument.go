package mcptool

import (
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// IgnoringUnknown returns the tool with a schema that allows unknown arguments, which are removed before the arguments are
// checked; t itself if its schema allows them already, or if patterns decide which names are allowed. Members of objects
// within the arguments are not affected.
func (internals) IgnoringUnknown(t *Tool) *Tool {
	doc := schemas.Document(t.input).Root
	if !doc.Get("additionalProperties").IsFalse() || doc.Get("patternProperties") != nil {
		return t
	}
	open, err := reflectschema.ParseSchema(doc.With("additionalProperties", jsondoc.Parse([]byte("true"))).AppendTo(nil))
	if err != nil {
		return t // unreachable: the schema was valid
	}
	made := *t
	made.input, made.known = open, make(map[string]bool)
	for _, m := range doc.Get("properties").Entries() {
		made.known[m.Name] = true
	}
	return &made
}

// WithoutUnknown returns the arguments without those that a tool of IgnoringUnknown does not have, and the names of the
// first ones that were removed, for the log. It does not modify args.
func (internals) WithoutUnknown(t *Tool, args []byte) (kept []byte, names []string) {
	const most = 10
	scan := func(visit func(name, value []byte)) error {
		s := rawjson.New(args, 0)
		s.OpenObject()
		for name, ok := s.Member(); ok; name, ok = s.Member() {
			visit(name, s.Value())
		}
		s.End()
		return s.Err()
	}
	if t.known == nil {
		return args, nil
	}
	err := scan(func(name, _ []byte) {
		if !t.known[string(name)] && len(names) < most {
			names = append(names, shorten(string(name)))
		}
	})
	if err != nil || names == nil {
		return args, nil // the check reports an error
	}
	kept = append(make([]byte, 0, len(args)), '{')
	_ = scan(func(name, value []byte) {
		if t.known[string(name)] {
			kept = append(append(rawjson.AppendString(rawjson.AppendComma(kept), name), ':'), value...)
		}
	})
	return append(kept, '}'), names
}
