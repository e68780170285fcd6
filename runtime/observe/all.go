package observe

import (
	"context"
	"slices"

	"github.com/mcptool-go/mcptool/runtime"
)

// All returns an observer that notifies all of these: of the beginning of an operation in this order,
// each with the context of the one before, and of its end in reverse order, all with the last context.
// It ignores those that are nil.
func All(observers ...runtime.Observer) runtime.Observer {
	return all(slices.DeleteFunc(slices.Clone(observers), func(o runtime.Observer) bool { return o == nil }))
}

type all []runtime.Observer

// Begin implements [runtime.Observer].
func (a all) Begin(ctx context.Context, op *runtime.Operation) context.Context {
	for _, o := range a {
		ctx = o.Begin(ctx, op) //nolint:fatcontext // each one adds to it
	}
	return ctx
}

// End implements [runtime.Observer].
func (a all) End(ctx context.Context, op *runtime.Operation, result runtime.OperationResult) {
	for i := range a {
		a[len(a)-1-i].End(ctx, op, result)
	}
}
