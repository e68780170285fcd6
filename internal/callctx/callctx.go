// Package callctx holds the keys under which the context of a call answers what
// package mcptool asks of it, for a server whose calls are contexts themselves.
package callctx

import (
	"context"

	"github.com/mcptool-go/mcptool/internal/processor"
)

type (
	// Host is the key of the call's [mcptool.Host].
	Host struct{}
	// Tool is the key of the [*mcptool.Tool] that runs.
	Tool struct{}
	// URI is the key of the URI that the resource which runs is read by, a string in normal form. It is absent for
	// anything else.
	URI struct{}
	// CoercionKey is the key of the call's [Coercion].
	CoercionKey struct{}
	// Result is the key of the call's [Encoding].
	Result struct{}
)

// Coercion is the handling of arguments of a wrong type by a server.
type Coercion interface {
	// Coerces reports whether they are converted if the tool does not set that.
	Coerces() bool
	// Record is called when arguments of a tool were converted.
	Record(tool string, locations []string)
}

// Encoding is what a server says about the encoding of the result of a call. Its methods are called by who encodes it.
type Encoding interface {
	// Sizes returns how long the answer is likely to be, 0 if that is not known, and how long the JSON of a value may be,
	// in bytes.
	Sizes() (likely, most int)
	// Turn returns the turn of the answer, after waiting for it: what is long is encoded in it. The server ends it when the
	// answer is complete, so that what waits for a turn has not taken memory yet. The error is that of the call's context.
	Turn() (*processor.Turn, error)
	// MaxContents returns how many bytes the contents of a resource may have: more are never sent.
	MaxContents() int
	// Reserve reserves memory for decoded arguments, and for contents that are read, until the call has ended. The error is for the client.
	Reserve(bytes int) error
}

// EncodingIn returns what is in a context, nil if there is nothing.
func EncodingIn(ctx context.Context) Encoding {
	if e, ok := ctx.(Encoding); ok { // the call itself, and nothing around it
		return e
	}
	e, _ := ctx.Value(Result{}).(Encoding)
	return e
}
