package authority

import "context"

// Limits of the work for one value, in units of about 100 ns. Applying a schema to a value is one unit.
const (
	maxWork      = 20_000_000  // of all checks
	collectWork  = maxWork / 4 // of a pass that collects failures; there are at most two
	tolerateWork = maxWork / 4 // of Tolerate
	pollWork     = 10_000      // units after which the context is asked again whether it has ended
)

// A Budget limits the work for one value, such as the arguments of a call: for all its checks together, and for its
// conversions. The work also ends with a context. A Budget is for one goroutine.
type Budget struct {
	// Matched is the work of matching in plans, see [MaxPlanMatch].
	Matched int

	ctx                      context.Context //nolint:containedctx // a Budget lives as long as a call
	check, collect, tolerate int             // units left
}

// NewBudget returns the budget for the arguments of a call with this context.
func NewBudget(ctx context.Context) *Budget {
	b := (*Budget)(nil).OrNew()
	b.ctx = ctx
	return b
}

// OrNew returns b, or a new budget without a context if b is nil.
func (b *Budget) OrNew() *Budget {
	if b == nil {
		return &Budget{check: maxWork, collect: 2 * collectWork, tolerate: tolerateWork}
	}
	return b
}

// Err returns the error of the context.
func (b *Budget) Err() error {
	if b == nil || b.ctx == nil {
		return nil
	}
	return b.ctx.Err()
}

// A budget is the work that one pass may still do.
type budget struct {
	ctx    context.Context //nolint:containedctx // a budget lives as long as one pass
	work   int             // units left
	pollAt int             // the context is asked when fewer units than this are left
	over   bool            // the pass has ended without an outcome, because it is too much work or the context has ended
}

// newBudget returns a budget of n units.
func newBudget(ctx context.Context, n int) budget {
	return budget{ctx: ctx, work: n, pollAt: max(n-pollWork, 0)}
}

// spend counts n units of work.
func (b *budget) spend(n int) {
	if b.work -= n; b.work < b.pollAt {
		b.over = b.over || b.work < 0 || b.ctx != nil && b.ctx.Err() != nil
		b.pollAt = max(b.work-pollWork, 0)
	}
}
