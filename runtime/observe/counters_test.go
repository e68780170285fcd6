package observe_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/runtime/observe"
)

// TestCounters counts operations of several kinds, concurrently. Calls are also requests.
func TestCounters(t *testing.T) {
	t.Parallel()
	c := new(observe.Counters)
	if got := c.String(); got != "null" {
		t.Errorf("String of a zero Counters = %s, want null", got)
	}
	call := &observe.Operation{Kind: observe.KindRequest, Method: "tools/call", Bytes: 10}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			ctx := c.Begin(t.Context(), call)
			if ctx != t.Context() {
				t.Error("Begin = another context, want the same")
			}
			clear(c.Counts()) // a copy
			if i < 90 {
				c.End(ctx, call, observe.Result{Duration: time.Second, Bytes: 3, Failed: i < 20})
			}
		})
	}
	all.Wait()
	c.Begin(context.Background(), &observe.Operation{Kind: observe.KindSession})
	c.Begin(context.Background(), &observe.Operation{Kind: observe.KindTask, Method: "tools/call"})
	list := &observe.Operation{Kind: observe.KindRequest, Method: "tools/list"}
	c.End(c.Begin(context.Background(), list), list, observe.Result{})
	want := map[observe.Kind]observe.Count{
		observe.KindCall:    {Active: 10, Ended: 90, Failed: 20, Seconds: 90, BytesIn: 900, BytesOut: 270},
		observe.KindRequest: {Active: 10, Ended: 91, Failed: 20, Seconds: 90, BytesIn: 900, BytesOut: 270},
		observe.KindTask:    {Active: 1},
		observe.KindSession: {Active: 1},
	}
	if diff := cmp.Diff(want, c.Counts()); diff != "" {
		t.Errorf("Counts mismatch (-want +got):\n%s", diff)
	}
	const text = `{"call":{"active":10,"ended":90,"failed":20,"seconds":90,"bytesIn":900,"bytesOut":270},` +
		`"request":{"active":10,"ended":91,"failed":20,"seconds":90,"bytesIn":900,"bytesOut":270},` +
		`"session":{"active":1,"ended":0,"failed":0,"seconds":0,"bytesIn":0,"bytesOut":0},` +
		`"task":{"active":1,"ended":0,"failed":0,"seconds":0,"bytesIn":0,"bytesOut":0}}`
	if diff := cmp.Diff(text, c.String()); diff != "" {
		t.Errorf("String mismatch (-want +got):\n%s", diff)
	}
}

type noteKey struct{}

// noting is an observer that adds its name to a list in the context, and its results to ends.
type noting struct {
	name string
	ends *[]string
}

func (n noting) Begin(ctx context.Context, op *observe.Operation) context.Context {
	before, _ := ctx.Value(noteKey{}).(string)
	return context.WithValue(ctx, noteKey{}, before+n.name+op.Method)
}

func (n noting) End(ctx context.Context, op *observe.Operation, result observe.Result) {
	seen, _ := ctx.Value(noteKey{}).(string)
	*n.ends = append(*n.ends, n.name+" "+seen+" "+op.Method+result.Outcome.String())
}

// TestAll: All calls the observers in order and ignores nil.
func TestAll(t *testing.T) {
	t.Parallel()
	var ends []string
	o := observe.All(noting{"a", &ends}, nil, noting{"b", &ends})
	op := &observe.Operation{Method: "1"}
	o.End(o.Begin(t.Context(), op), op, observe.Result{Outcome: observe.OutcomeBusy})
	if diff := cmp.Diff([]string{"b a1b1 1busy", "a a1b1 1busy"}, ends); diff != "" {
		t.Errorf("ends mismatch (-want +got):\n%s", diff)
	}
}

// panicking is an observer that panics at the beginning and at the end of each operation.
type panicking struct{}

func (panicking) Begin(context.Context, *observe.Operation) context.Context { panic("begin") }

func (panicking) End(context.Context, *observe.Operation, observe.Result) { panic("end") }

// TestAllPanic: if an observer of All panics, the others are notified, and the panic goes on.
func TestAllPanic(t *testing.T) {
	t.Parallel()
	before, after := new(observe.Counters), new(observe.Counters)
	o := observe.All(before, panicking{}, after)
	op := &observe.Operation{Kind: observe.KindTask}
	recovered := func(fn func()) (value any) {
		defer func() { value = recover() }()
		fn()
		return nil
	}
	active, ended := map[observe.Kind]observe.Count{observe.KindTask: {Active: 1}}, map[observe.Kind]observe.Count{observe.KindTask: {Ended: 1}}
	for _, step := range []struct {
		panics string
		notify func()
		want   map[observe.Kind]observe.Count
	}{
		{"begin", func() { o.Begin(t.Context(), op) }, active},
		{"end", func() { o.End(t.Context(), op, observe.Result{}) }, ended},
	} {
		if got := recovered(step.notify); got != step.panics {
			t.Errorf("%s: recovered %v, want the panic of the observer", step.panics, got)
		}
		for name, c := range map[string]*observe.Counters{"before": before, "after": after} {
			if diff := cmp.Diff(step.want, c.Counts()); diff != "" {
				t.Errorf("%s: counts of the observer %s the one that panics mismatch (-want +got):\n%s", step.panics, name, diff)
			}
		}
	}
}
