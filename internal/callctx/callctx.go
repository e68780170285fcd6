// Package callctx defines the values that packages of this module store in the context of a call.
package callctx

import (
	"context"
	"encoding/json"
)

// Call is the value in the context of a call. It is zero outside of a call.
type Call struct {
	Host   any    // the host of package mcptool; nil if there is none
	Tool   any    // the *mcptool.Tool that runs; nil outside of its func
	URI    string // the URI that a resource is read by, in normal form; "" for other calls
	Kept   Keeper // has the values of mcptool.Once if the Host cannot keep them; nil outside of a func
	Server Server // nil without a server
}

// Keeper stores the values of mcptool.Once during a call.
type Keeper interface {
	Once(ctx context.Context, key, goType string, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error)
}

// Server has the settings and limits of the server for a call.
type Server interface {
	// Coerces reports whether arguments of a wrong type are converted, unless the tool has its own setting.
	Coerces() bool
	// RecordCoerced is called when arguments of a tool were converted.
	RecordCoerced(tool string, locations []string)
	// Sizes returns the expected length of the response, 0 if unknown, and the maximum length of the JSON of a value,
	// in bytes.
	Sizes() (likely, most int)
	// Enter waits for one of the slots for long work, which leave gives back. If the call has a slot already, it does
	// not wait for another one, which might never be free. The error is the error of the call's context; leave is then
	// empty. Any goroutine may call Enter and leave.
	Enter() (leave func(), err error)
	// EnterResponse is like Enter for the goroutine that makes the response. The server gives the slot back when the
	// response is complete, so that calls that wait for a slot have not allocated memory for a response yet.
	EnterResponse() error
	// Admit is called after the question of mcptool.AskFirst, before the func of the tool. It waits until the tool may
	// run, within its limit of concurrent calls. The error is for the client.
	Admit() error
	// MaxContents returns the maximum size of the contents of a resource, in bytes.
	MaxContents() int
	// Reserve reserves memory for decoded arguments, and for contents that are read, until the call has ended. The
	// error is for the client.
	Reserve(bytes int) error
}

// Long is the size from which a text is long work, in bytes: to parse, check, decode or encode it takes a tenth of a
// millisecond and more.
const Long = 16 << 10

// Enter calls Enter of the server in ctx, if there is one, for work on a text of this size, if it is long. The cost is
// how many times as long as usual the work on a byte takes. Leave must be called, also after an error, and should be
// deferred, because methods of authors' types may end the goroutine.
func Enter(ctx context.Context, size, cost int) (leave func(), err error) {
	if size >= Long/cost {
		if server := Of(ctx).Server; server != nil {
			return server.Enter()
		}
	}
	return func() {}, nil
}

// Key is the key of the [Provider] in a context.
type Key struct{}

// Provider returns the Call of a context. A server makes it for each lookup, so that its calls need not store one.
type Provider interface{ CallContext() Call }

// Of returns the Call of a context.
func Of(ctx context.Context) Call {
	if p, ok := ctx.Value(Key{}).(Provider); ok {
		return p.CallContext()
	}
	return Call{}
}

// Context is a context with a Call. Usually it is the Call of the parent with some changes.
type Context struct {
	context.Context //nolint:containedctx // the type is a context

	Call Call
}

// Value implements [context.Context].
func (c *Context) Value(key any) any {
	if key == (Key{}) {
		return c
	}
	return c.Context.Value(key)
}

// CallContext implements [Provider].
func (c *Context) CallContext() Call { return c.Call }

// Reserver limits the memory that a task.Store uses for the request of a client. It must be safe for concurrent use.
type Reserver interface {
	// Reserve reserves bytes, or releases them if the number is negative. It may wait until enough memory is available
	// or the context ends.
	Reserve(bytes int) error
	// Release releases all bytes.
	Release()
}

// ReserverKey is the key of the [Reserver] in the context of a store's method. Without one, memory is not limited.
type ReserverKey struct{}
