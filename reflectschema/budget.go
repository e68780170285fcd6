package reflectschema

import (
	"errors"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// How many schemas may be applied in one check of a recursive schema that tries
// alternatives: so many, and some more for each part of the value. At worst a small
// value takes half a second and a hundred megabytes; one that is nested 15 levels
// deep in two alternatives just fits. Each mistake copies the place where it is, so
// that a step 500 levels down takes ten times as long as one near the root: it counts as
// one more for every so many levels.
const (
	maxSteps      = 300_000
	stepsPerPart  = 8
	levelsPerStep = 16
)

// errOverBudget ends a check that would not end by itself.
var errOverBudget = errors.New("too many alternatives to try")

// budget counts the steps of one check at a time. The library tries each of two
// alternatives that recur, and in each of them both again: a value nested n levels
// deep takes two to the n, and has no way to stop it but a panic. Schemas that
// cannot do so have no budget, and are checked by many at once.
type budget struct {
	mu   sync.Mutex
	left int
}

// Validate implements [jsonschema.SchemaExt]: one more schema was applied.
func (b *budget) Validate(ctx *jsonschema.ValidatorContext, _ any) {
	b.left -= 1 + len(ctx.ValueLocation())/levelsPerStep
	if b.left < 0 {
		panic(errOverBudget) //nolint:forbidigo // recovered in authority.check; the library can only be left so
	}
}

// begin starts the check of a value of size parts; the caller calls the function
// returned when it is over.
func (b *budget) begin(size int) (end func()) {
	if b == nil {
		return func() {}
	}
	b.mu.Lock()
	b.left = maxSteps + stepsPerPart*size
	return b.mu.Unlock
}

// budgetFor returns the budget that the schemas below root need, nil if none,
// and lets them count their steps.
func budgetFor(root *jsonschema.Schema) *budget {
	b := &budget{}
	needed := false
	for _, group := range cycles(root) {
		in := map[*jsonschema.Schema]bool{}
		for _, s := range group {
			in[s] = true
		}
		if !slices.ContainsFunc(group, func(s *jsonschema.Schema) bool { return branches(s, in) }) {
			continue
		}
		needed = true
		for _, s := range group {
			s.Extensions = append(s.Extensions, b)
		}
	}
	if !needed {
		return nil
	}
	return b
}

// branches reports whether s can lead one and the same value, or part of it,
// into the cycle more than once.
func branches(s *jsonschema.Schema, cycle map[*jsonschema.Schema]bool) bool {
	recurring := func(list []*jsonschema.Schema) (n int) {
		for _, sub := range list {
			if cycle[sub] {
				n++
			}
		}
		return n
	}
	same := recurring(inPlace(s))
	parts := recurring(subschemas(s)) - same
	for _, d := range discriminatedOf(s) { // of these, a value is led into one
		same -= max(recurring(d.branches)-1, 0)
	}
	overlapping := recurring([]*jsonschema.Schema{s.Contains, s.UnevaluatedItems, s.UnevaluatedProperties})
	for _, sub := range s.PatternProperties {
		overlapping += recurring([]*jsonschema.Schema{sub})
	}
	return same > 1 || (same == 1 && parts > 0) || (overlapping > 0 && parts > 1)
}

// cycles returns the groups of schemas that lead to each other, by Tarjan's
// algorithm.
func cycles(root *jsonschema.Schema) [][]*jsonschema.Schema {
	type state struct {
		order, low int
		open       bool
	}
	var (
		groups [][]*jsonschema.Schema
		stack  []*jsonschema.Schema
		seen   = map[*jsonschema.Schema]*state{}
		visit  func(s *jsonschema.Schema) *state
	)
	visit = func(s *jsonschema.Schema) *state {
		me := &state{len(seen), len(seen), true}
		seen[s] = me
		stack = append(stack, s)
		self := false
		for _, sub := range subschemas(s) {
			self = self || sub == s
			other := seen[sub]
			if other == nil {
				other = visit(sub)
			}
			if other.open {
				me.low = min(me.low, other.low)
			}
		}
		if me.low == me.order {
			from := slices.Index(stack, s)
			group := slices.Clone(stack[from:])
			stack = stack[:from]
			for _, closed := range group {
				seen[closed].open = false
			}
			if len(group) > 1 || self {
				groups = append(groups, group)
			}
		}
		return me
	}
	visit(root)
	return groups
}
