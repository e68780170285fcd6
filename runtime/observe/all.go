package observe

import (
	"context"
	"slices"
)

// All returns an observer that notifies all of these: of the beginning of an operation in this order,
// each with the context of the one before, and of its end in reverse order, all with the last context.
// It ignores those that are nil.
func All(observers ...Observer) Observer {
	return all(slices.DeleteFunc(slices.Clone(observers), func(o Observer) bool { return o == nil }))
}

type all []Observer

// Begin implements [Observer].
func (a all) Begin(ctx context.Context, op *Operation) context.Context {
	for _, o := range a {
		ctx = o.Begin(ctx, op) //nolint:fatcontext // each one adds to it
	}
	return ctx
}

// End implements [Observer].
func (a all) End(ctx context.Context, op *Operation, result Result) {
	for i := range a {
		a[len(a)-1-i].End(ctx, op, result)
	}
}
