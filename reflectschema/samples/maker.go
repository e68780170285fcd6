package samples

import (
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// A maker makes values for a schema.
type maker struct {
	schema *jsondoc.Value
	draft7 bool   // the schema is in draft-07, which ignores keywords beside a $ref
	reader reader // of the values
}

// makerOf returns a maker of values for a schema. If it is derived from a Go type, the type can decode them.
func makerOf(s *reflectschema.Schema) *maker {
	root := schemas.Root(s)
	draft7 := authority.DraftOf(root.Get("$schema").Text()) == authority.Draft7
	return &maker{schema: root, draft7: draft7, reader: readerOf(schemas.Node(s))}
}

// check returns a function that reports whether a value is valid against a part of the schema.
func (*maker) check(part *jsondoc.Value) (fits func(value []byte) bool) {
	schema, err := reflectschema.ParseSchema(part.AppendTo(nil))
	return func(value []byte) bool { return err == nil && schema.Check(value) == nil }
}
