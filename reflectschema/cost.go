package reflectschema

import (
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// instructionsPerByte is about how many instructions of a pattern are matched with a byte in the time in which a plan
// decodes a byte.
const instructionsPerByte = 4

// checkCost returns how many times as long as decoding a byte it may take to check a byte of a value, at most
// [callctx.Long].
func (s *Schema) checkCost() int {
	s.costed.once.Do(func() {
		programs, schemas := weigh(s.doc())
		s.costed.cost = 1 + programs/instructionsPerByte
		if s.rules() == nil { // every schema may be applied to every value
			s.costed.cost += schemas
		}
		s.costed.cost = min(s.costed.cost, callctx.Long)
	})
	return s.costed.cost
}

// weigh returns the instructions of all patterns in d, and the number of objects, which are schemas or contain some.
func weigh(d *jsondoc.Value) (programs, schemas int) {
	add := func(part *jsondoc.Value) {
		p, n := weigh(part)
		programs, schemas = min(programs+p, math.MaxInt32), schemas+n
	}
	for _, item := range d.Items {
		add(item)
	}
	if d.Kind != jsontext.KindBeginObject {
		return programs, schemas
	}
	schemas++
	for _, m := range d.Members {
		switch {
		case m.Name == "pattern" && m.Value.Kind == jsontext.KindString:
			programs += authority.PatternSize(m.Value.Text())
		case m.Name == "patternProperties":
			for _, p := range m.Value.Members {
				programs += authority.PatternSize(p.Name)
			}
		}
		add(m.Value)
	}
	return programs, schemas
}
