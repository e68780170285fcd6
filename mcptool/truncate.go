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

// truncate is [private.Calls].Truncate; the lists are cut as [reflectschema.Lists.Shorten] does it.
func (t *Tool) truncate(structured []byte, most int, weigh func(part []byte) int) (short []byte, cuts []reflectschema.Cut, fits bool) {
	if t.lists == nil {
		return nil, nil, false
	}
	short, cuts, fits = t.lists.Shorten(structured, most, weigh)
	if !fits || t.output.schema != nil && t.output.schema.Check(short) != nil {
		return nil, nil, false
	}
	return short, cuts, true
}
