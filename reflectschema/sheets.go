package reflectschema

import (
	"sync"

	"github.com/invopop/jsonschema"
)

// sheets are the schemas that a document is drafted on. They are large, most of a document
// stands on a few of them, and nobody needs them once it is written: the next draft
// takes the same ones.
type sheets struct {
	made []*jsonschema.Schema
	used int
}

// keepSheets is how many sheets are worth keeping: one large type must not pin
// its own for ever.
const keepSheets = 100

var freeSheets = sync.Pool{New: func() any { return &sheets{} }}

// newSheets returns sheets for one draft; give them back with free.
func newSheets() *sheets {
	s, _ := freeSheets.Get().(*sheets)
	return s
}

// put returns a sheet with what is on draft.
func (s *sheets) put(draft jsonschema.Schema) *jsonschema.Schema {
	if s.used == len(s.made) {
		s.made = append(s.made, new(jsonschema.Schema))
	}
	sheet := s.made[s.used]
	s.used++
	*sheet = draft
	return sheet
}

// free gives the sheets back. Nothing that was drafted on them may be used any more.
func (s *sheets) free() {
	for _, sheet := range s.made[:s.used] {
		*sheet = jsonschema.Schema{}
	}
	keep := min(len(s.made), keepSheets)
	clear(s.made[keep:])
	s.made, s.used = s.made[:keep], 0
	freeSheets.Put(s)
}
