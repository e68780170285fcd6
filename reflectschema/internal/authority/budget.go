package authority

import (
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/processor"
)

// How many schemas the library may apply to find out what is wrong with a value: so many, and some more for each part
// of the value. Each mistake copies the place where it is, so that a step 500 levels down takes ten times as long as
// one near the root: it counts as one more for every so many levels. Names that it lists count, too.
// The mistake itself, of up to a kilobyte, counts as another one.
const (
	maxSteps      = 300_000
	stepsPerPart  = 8
	levelsPerStep = 16
	namesPerStep  = 4 // names that a mistake lists: members that are missing, or unknown
)

// A budget is how much work a check may still do, and the turn that it does it in, nil if it need not wait for one.
type budget struct {
	work int
	turn *processor.Turn
}

// Reasons for which there is no verdict.
var (
	ErrOverBudget = errors.New("too many alternatives to try")
	errTooMuch    = errors.New("too much to check against this schema")
	ErrPanic      = errors.New("the validator failed") // which no input should bring about
)

// sharedIn returns the schemas that more than one schema refers to. A schema that only one refers to is applied to a
// value as often as that one; so these are where the number of steps can multiply.
func sharedIn(at map[string]*jsonschema.Schema) map[*jsonschema.Schema]bool {
	references := map[*jsonschema.Schema]int{}
	for _, s := range at {
		for _, sub := range subschemas(s) {
			references[sub]++
		}
		for _, ext := range s.Extensions {
			if p, ok := ext.(propertyNames); ok {
				references[p.names]++
			}
		}
	}
	shared := map[*jsonschema.Schema]bool{}
	for s, n := range references {
		if n > 1 {
			shared[s] = true
		}
	}
	return shared
}
