package observe

import (
	"context"
	"slices"
)

// All returns an observer that notifies all of these: of the beginning of an operation in this order,
// each with the context of the one before, and of its end in reverse order, all with the last context.
// It ignores those that are nil. If one panics, the others are notified as well, and the panic goes on.
func All(observers ...Observer) Observer {
	return all(slices.DeleteFunc(slices.Clone(observers), func(o Observer) bool { return o == nil }))
}

type all []Observer

// Begin implements [Observer].
func (a all) Begin(ctx context.Context, op *Operation) context.Context {
	if len(a) == 0 {
		return ctx
	}
	begun := false
	defer func() {
		if !begun {
			a[1:].Begin(ctx, op)
		}
	}()
	next := a[0].Begin(ctx, op)
	begun = true
	return a[1:].Begin(next, op)
}

// End implements [Observer].
func (a all) End(ctx context.Context, op *Operation, result Result) {
	if len(a) == 0 {
		return
	}
	defer a[0].End(ctx, op, result) // after the others, even if one of them panics
	a[1:].End(ctx, op, result)
}
