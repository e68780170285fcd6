package mcptool

import (
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// findLists notes which lists in results of the type may be cut, and which fields with the tag cannot be.
func (d *definition) findLists(compiled *reflectschema.Type, t reflect.Type) {
	lists, err := compiled.Lists()
	if err != nil {
		d.typeMistakes(err, "", t)
		return
	}
	d.lists = lists
}

// Truncate makes structured, the Structured of a result of the tool, weigh no more than so much, for servers that
// bound what they send: it cuts lists whose fields are tagged mcp:"truncate", from the end, as [reflectschema.Lists.Shorten]
// says. Weigh says what a part of the text weighs. What is left fits the output schema; if there is nothing to cut, or
// not enough, Truncate reports that.
func (t *Tool) Truncate(structured []byte, most int, weigh func(part []byte) int) (short []byte, cuts []reflectschema.Cut, fits bool) {
	if t.lists == nil {
		return nil, nil, false
	}
	short, cuts, fits = t.lists.Shorten(structured, most, weigh)
	if !fits || t.output.schema != nil && t.output.schema.Check(short) != nil {
		return nil, nil, false
	}
	return short, cuts, true
}
