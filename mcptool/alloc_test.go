//go:build !race

// The race detector drops what pools hold at random, and so makes more allocations.

package mcptool_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestCallAllocations keeps what this package adds to a call small, beside what
// reflectschema needs to check, decode and encode.
func TestCallAllocations(t *testing.T) {
	ctx, args := t.Context(), []byte(`{"a":1,"b":2}`)
	count := func(fn func()) float64 { return testing.AllocsPerRun(100, fn) }

	raw, err := mcptool.NewRaw("n", objectSchema, func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	codec := count(func() { _ = raw.InputSchema().Check(args) })
	if own := count(func() { _, _ = raw.Call(ctx, args) }) - codec; own > 4 {
		t.Errorf("a raw call costs %v allocations of its own; want 4: the context, the func's result, what checks it, the checked one", own)
	}

	typed := mustNew(t, Add)
	in, err := reflectschema.Compile(reflect.TypeFor[addIn](), reflectschema.Options{Direction: reflectschema.Input, OmitRootDescription: true})
	if err != nil {
		t.Fatal(err)
	}
	out, err := reflectschema.Compile(reflect.TypeFor[addOut](), reflectschema.Options{Direction: reflectschema.Output})
	if err != nil {
		t.Fatal(err)
	}
	arg, value := reflect.New(reflect.TypeFor[addIn]()).Elem(), reflect.New(reflect.TypeFor[addOut]()).Elem()
	value.Field(0).SetInt(3) // what Add returns
	buf := make([]byte, 0, 256)
	codec = count(func() {
		_ = in.Decode(args, arg)
		_, _ = out.AppendEncode(buf, value)
	})
	if own := count(func() { _, _ = typed.Call(ctx, args) }) - codec; own > 4 {
		t.Errorf("a typed call costs %v allocations of its own; want 4: the context, the JSON of the func's value, that as an "+
			"interface, the result", own)
	}
}
