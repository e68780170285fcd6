package reflectschema

import (
	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// quickMatch is how much of [authority.MaxPlanMatch] a plan may use without a turn: some 0.1 ms.
const quickMatch = 16_000

// inTurn has a plan pass over a text of so many bytes for a caller. If the text is long, or much of it is matched
// with patterns, that waits for its turn. The pass is told what counts as matched before, and returns that with what it
// has matched. The turn returned is for the work that is left, and the caller ends it. The error is that of the turn.
func inTurn(caller processor.Caller, size int, pass func(matched int) (known bool, after int)) (known bool, turn *processor.Turn, err error) {
	before := authority.MaxPlanMatch - quickMatch
	if size >= processor.Long {
		if turn, err = caller.Begin(size); err != nil {
			return false, turn, err
		}
		if turn != nil {
			before = 0
		}
	}
	known, after := pass(before)
	if known {
		return true, turn, nil
	}
	if turn == nil {
		turn = caller.Turn()
	}
	if before > 0 && after > authority.MaxPlanMatch {
		if err := turn.Continue(); err != nil {
			return false, turn, err
		}
		known, _ = pass(0)
	}
	return known, turn, nil
}
