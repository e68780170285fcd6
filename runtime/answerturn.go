package runtime

import (
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/processor"
)

// answerTurn is the turn in which the answer of a call is made, if it is long. One turn covers all of it, so that calls that
// wait for theirs have not taken memory for it, and those whose clients have gone never do.
type answerTurn struct {
	turn   *processor.Turn // of the goroutine that makes the answer
	inTurn atomic.Bool     // turn has a place
}

// Sizes implements [callctx.Encoding].
func (c *call) Sizes() (likely, most int) { return c.toolState.size.expected(), c.session.maxJSON }

// Turn implements [callctx.Encoding].
func (c *call) Turn() (*processor.Turn, error) {
	if c.access == nil {
		return nil, nil //nolint:nilnil // trusted peers do not wait
	}
	x := c.needExtras()
	if x.turn == nil {
		x.turn = processor.CallerIn(c).Turn()
	}
	err := x.turn.Continue()
	x.inTurn.Store(err == nil)
	return x.turn, err
}

// beginTurn waits for the turn if what there is to do is long: so many bytes, or what the answer is likely to have.
func (c *call) beginTurn(size int) error {
	if size < processor.Long && c.toolState.size.expected() < processor.Long {
		return nil
	}
	_, err := c.Turn()
	return err
}

// endTurn ends the turn, if it has begun.
func (c *call) endTurn() {
	if x := c.extras(); x != nil && x.turn != nil {
		x.turn.End()
		x.inTurn.Store(false)
	}
}
