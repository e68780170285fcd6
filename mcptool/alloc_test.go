//go:build !race

// The race detector drops pooled items at random, which adds allocations.

package mcptool_test

import (
	"context"
	"encoding/json"
	"reflect"
	goruntime "runtime"
	"testing"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestCallAllocations limits the allocations of a call beyond what reflectschema allocates for validation, decoding and
// encoding.
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
	if own := count(func() { _, _ = raw.Call(ctx, args) }) - codec; own > 9 {
		t.Errorf("a raw call makes %v additional allocations, want at most 9: the context, 5 for Once without a host, the func's result, what checks it, the checked one", own)
	}

	typed := mustNew(t, Add)
	in, err := reflectschema.Internal(private.Key{}).CompileUndescribed(reflect.TypeFor[addIn](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	out, err := reflectschema.Compile(reflect.TypeFor[addOut](), reflectschema.DirectionOutput)
	if err != nil {
		t.Fatal(err)
	}
	arg, value := reflect.New(reflect.TypeFor[addIn]()).Elem(), reflect.New(reflect.TypeFor[addOut]()).Elem()
	value.Field(0).SetInt(3) // what Add returns
	buf := make([]byte, 0, 256)
	codec = count(func() {
		_ = in.Decode(args, arg)
		_, _ = schemas.AppendEncode(context.Background(), out, buf, value, 0, false)
	})
	if own := count(func() { _, _ = typed.Call(ctx, args) }) - codec; own > 9 {
		t.Errorf("a typed call makes %v additional allocations, want at most 9: the context, 5 for Once without a host, the JSON of the func's value, that as an "+
			"interface, the result", own)
	}
}

// The types of a func that is already a tool.
type (
	knownIn struct {
		_    struct{} `mcp:"title=Add,readOnly"`
		A, B int
	}
	knownOut struct{ Sum int }
)

func known(context.Context, knownIn) (knownOut, error) { return knownOut{}, nil }

// TestNewOfKnownTypes limits what each further tool of the same types costs: the tags, the comments and the schemas of
// types are read once.
func TestNewOfKnownTypes(t *testing.T) {
	opts := []mcptool.ToolOption{mcptool.Name("add"), mcptool.Description("Adds two numbers.")}
	made := func() {
		if _, err := mcptool.New(known, opts...); err != nil {
			t.Fatal(err)
		}
	}
	made()
	const n = 1000
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	allocs := testing.AllocsPerRun(n, made)
	goruntime.ReadMemStats(&after)
	if size := (after.TotalAlloc - before.TotalAlloc) / n; allocs > 12 || size > 2<<10 {
		t.Errorf("New makes %.0f allocations and %d bytes, want at most 12 and 2048", allocs, size)
	}
}

// BenchmarkNew measures New with known types.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := mcptool.New(known, mcptool.Name("add")); err != nil {
			b.Fatal(err)
		}
	}
}
