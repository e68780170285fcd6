package runtime

import (
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// outputForm is the form of a tool's structured result for clients of a revision.
type outputForm uint8

const (
	outputNone    outputForm = iota // not sent: the client gets only the text block
	outputObjects                   // sent unchanged if it is an object; no schema
	outputPlain                     // sent unchanged
	outputWrapped                   // sent as the member "result" of an object
)

// output returns the form and the schema of t's structured result for clients of revision v. For revisions that require
// an object, other schemas and values are wrapped into one, in lists and results.
func output(t *mcptool.Tool, v wire.Version) (outputForm, *reflectschema.Schema) {
	schema := t.OutputSchema()
	switch {
	case !v.Has(wire.Structured):
		return outputNone, nil
	case v.Has(wire.StructuredAny):
		return outputPlain, schema
	case schema == nil:
		return outputObjects, nil
	case schemas.IsObject(schema):
		return outputPlain, schema
	}
	if wrapped, ok := schemas.Wrapped(schema, "result"); ok {
		return outputWrapped, wrapped
	}
	return outputNone, nil
}
