package mcptool

import (
	"context"
	"reflect"
	"sync"
)

// authorFunc is a func with the signature of a tool, without its static types. Generic constructors and services
// produce it, and the rest of the package uses only it.
type authorFunc struct {
	name      string // its name in Go, "" for a func literal
	comment   string // its doc comment, see package reflectschema/doccomment
	isNil     bool
	ofService bool // found by RegisterService or NewService
	in, out   reflect.Type
	bind      func(c *codec) invoke // decodes the arguments with c, runs the func and encodes its result
}

// erase removes the static types of a func.
func erase[In, Out any](fn func(context.Context, In) (Out, error)) authorFunc {
	// A frame holds the argument and the result of a call, on the heap so that reflection can set them. The func gets a
	// copy of the argument, so the frame can be reused, unless a method may have kept a pointer into it.
	type frame struct {
		in  In
		out Out
	}
	name, text := funcName(reflect.ValueOf(fn))
	return authorFunc{
		name:    name,
		comment: text,
		isNil:   fn == nil,
		in:      reflect.TypeFor[In](),
		out:     reflect.TypeFor[Out](),
		bind: func(c *codec) invoke {
			var frames sync.Pool
			return func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
				f, used := frames.Get().(*frame)
				if !used {
					f = new(frame)
				}
				if err := c.decode(ctx, args, reflect.ValueOf(&f.in).Elem()); err != nil {
					return dst, nil, err
				}
				out, err := fn(ctx, f.in)
				if err != nil {
					return dst, nil, authorError(err)
				}
				f.out = out
				dst, rest, err := c.encode(ctx, args, dst, reflect.ValueOf(&f.out).Elem())
				if used || !c.callsMethods() {
					*f = frame{}
					frames.Put(f)
				}
				return dst, rest, err
			}
		},
	}
}

// authorError returns an error of the author's func after calling its Error method: a typed nil pointer panics here,
// where the panic is recovered, instead of in the server.
func authorError(err error) error {
	_ = err.Error()
	return err
}
