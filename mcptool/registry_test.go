package mcptool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// rawTool returns a tool that does nothing.
func rawTool(tb testing.TB, name string) *mcptool.Tool {
	tb.Helper()
	tool, err := mcptool.NewRaw(name, objectSchema, func(context.Context, json.RawMessage) (*mcptool.Result, error) { return nil, nil })
	if err != nil {
		tb.Fatal(err)
	}
	return tool
}

// wantTools checks that Tools and Lookup return want, in order.
func wantTools(tb testing.TB, r *mcptool.Registry, want ...*mcptool.Tool) {
	tb.Helper()
	if got := slices.Collect(r.Tools()); !slices.Equal(got, want) {
		tb.Errorf("got the tools %v, want %v", names(r.Tools()), names(slices.Values(want)))
	}
	for _, tool := range want {
		if got, ok := r.Lookup(tool.Info().Name); !ok || got != tool {
			tb.Errorf("Lookup(%q) = %v, %v", tool.Info().Name, got, ok)
		}
	}
}

func names(tools iter.Seq[*mcptool.Tool]) []string {
	var names []string
	for tool := range tools {
		names = append(names, tool.Info().Name)
	}
	return names
}

// generation returns the generation of the tools.
func generation(r *mcptool.Registry) uint64 { return internals.Generations(r)[0] }

func TestRegistry(t *testing.T) {
	t.Parallel()
	a, b, c, otherB := rawTool(t, "a"), rawTool(t, "b"), rawTool(t, "c"), rawTool(t, "b")
	var r mcptool.Registry
	changes := 0
	stop := internals.Watch(&r, func(int, bool) { changes++ }, ignoreUpdates, nil)
	if generation(&r) != 0 {
		t.Errorf("generation of an empty registry = %d", generation(&r))
	}
	for i, step := range []struct {
		reason  string
		do      func() bool // reports success
		changes int
		want    []*mcptool.Tool
	}{
		{"empty registry", func() bool {
			_, ok := r.Lookup("a")
			return !ok && r.Remove(a, (*mcptool.Tool)(nil), nil, &mcptool.Tool{}) == 0
		}, 0, nil},
		{"adding no tools is not a change", func() bool { return r.Add() == nil && r.Replace() == nil }, 0, nil},
		{"tools are sorted", func() bool { return r.Add(c, b) == nil }, 1, []*mcptool.Tool{b, c}},
		{"a clash adds nothing", func() bool { return r.Add(a, otherB) != nil }, 1, []*mcptool.Tool{b, c}},
		{"adding the same tool again is a clash", func() bool { return r.Add(b) != nil }, 1, []*mcptool.Tool{b, c}},
		{"Replace adds and replaces at once", func() bool { return r.Replace(otherB, a) == nil }, 2, []*mcptool.Tool{a, otherB, c}},
		{"Replace with a duplicate name", func() bool { return r.Replace(a, b, otherB) != nil }, 2, []*mcptool.Tool{a, otherB, c}},
		{"Remove returns the number of removed tools", func() bool { return r.Remove(a, rawTool(t, "x"), c, a) == 2 }, 3, []*mcptool.Tool{otherB}},
		{"names are case-sensitive", func() bool { _, ok := r.Lookup("B"); return !ok }, 3, []*mcptool.Tool{otherB}},
		{"empty tools are refused", func() bool { return r.Add(a, nil) != nil && r.Add(&mcptool.Tool{}) != nil }, 3, []*mcptool.Tool{otherB}},
		{"no notification after stop", func() bool { stop(); stop(); return r.Remove(b) == 1 }, 3, nil},
	} {
		before := generation(&r)
		if !step.do() {
			t.Errorf("step %d failed: %s", i, step.reason)
		}
		wantTools(t, &r, step.want...)
		if changes != step.changes {
			t.Errorf("step %d: %s: %d notifications, want %d", i, step.reason, changes, step.changes)
		}
		if grown := generation(&r) > before; grown != (i == 2 || i == 5 || i == 7 || i == 10) {
			t.Errorf("step %d: %s: generation went from %d to %d", i, step.reason, before, generation(&r))
		}
	}
}

func TestRegistryRefusesEmptyItems(t *testing.T) {
	t.Parallel()
	var r mcptool.Registry
	for kind, add := range map[string]func() error{
		"tool":     func() error { return r.Add((*mcptool.Tool)(nil), &mcptool.Tool{}) },
		"prompt":   func() error { return r.Add((*mcptool.Prompt)(nil), &mcptool.Prompt{}) },
		"resource": func() error { return r.Add((*mcptool.Resource)(nil), &mcptool.Resource{}) },
	} {
		wantMistakes(t, registerError(t, nil, add()), kind+" 1 of the call is empty", kind+" 2 of the call is empty")
	}
	if internals.Generations(&r) != [3]uint64{} {
		t.Error("the registry accepted an empty item")
	}
}

func TestClashNamesBothSides(t *testing.T) {
	t.Parallel()
	t.Run("T-TOOL-02 two tools of one name", clashNamesBothSides)
}

func clashNamesBothSides(t *testing.T) {
	var r mcptool.Registry
	first := rawTool(t, "same")
	if err := r.Add(first); err != nil {
		t.Fatal(err)
	}
	err := r.Add(rawTool(t, "other"), //
		rawTool(t, "same"),
		nil,
		first)
	got := registerError(t, nil, err)
	wantMistakes(t, got, "item 3 of the call is nil", "same: the tool defined at ", "is added twice; add it once")
	if n := strings.Count(got.Mistakes[1].Reason, "registry_test.go:"); n != 2 {
		t.Errorf("got %q, want the file:line of both definitions", got.Mistakes[1])
	}
	if !strings.Contains(got.Location, "registry_test.go:") {
		t.Errorf("Location = %s", got.Location)
	}
}

func TestWatcherMayUseTheRegistry(t *testing.T) {
	t.Parallel()
	var r mcptool.Registry
	var seen []string
	var stop func()
	stop = internals.Watch(&r, func(int, bool) {
		seen = names(r.Tools())
		stop()
		removeTools(&r)
	}, ignoreUpdates, nil)
	if err := r.Add(rawTool(t, "a")); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(seen, []string{"a"}) || len(names(r.Tools())) != 0 {
		t.Errorf("the subscriber got %v; tools afterwards: %v", seen, names(r.Tools()))
	}
}

// TestRegistryConcurrently runs writers and readers concurrently. Readers must see each change as a whole: b1 and b2
// are added and removed together.
func TestRegistryConcurrently(t *testing.T) {
	t.Parallel()
	const rounds = 200
	var (
		r       mcptool.Registry
		wg      sync.WaitGroup
		changes atomic.Int64
	)
	defer internals.Watch(&r, func(int, bool) { changes.Add(1) }, ignoreUpdates, nil)()
	for w := range 2 {
		mine := rawTool(t, fmt.Sprintf("a%d", w))
		wg.Go(func() {
			for range rounds {
				if err := r.Add(mine); err != nil {
					t.Error(err)
				}
				internals.Watch(&r, func(int, bool) {}, ignoreUpdates, nil)()
				r.Remove(mine)
			}
		})
	}
	pair := mcptool.Tools{rawTool(t, "b1"), rawTool(t, "b2")}
	wg.Go(func() {
		for range rounds {
			if err := r.Replace(pair); err != nil {
				t.Error(err)
			}
			r.Remove(pair)
		}
	})
	wg.Go(func() {
		for range rounds * 10 {
			before := generation(&r)
			seen := names(r.Tools())
			if slices.Contains(seen, "b1") != slices.Contains(seen, "b2") {
				t.Errorf("partial change: %v", seen)
			}
			if generation(&r) < before {
				t.Error("the generation decreased")
			}
		}
	})
	wg.Wait()
	if got := changes.Load(); got != 6*rounds || generation(&r) != uint64(got) {
		t.Errorf("%d notifications and generation %d, want %d for both", got, generation(&r), 6*rounds)
	}
}

func TestRegistryReadsDoNotAllocate(t *testing.T) {
	var r mcptool.Registry
	if err := r.Add(rawTool(t, "a"), rawTool(t, "b")); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		_, _ = r.Lookup("a")
		_ = generation(&r)
	}); n != 0 {
		t.Errorf("reading a registry makes %v allocations", n)
	}
	iterate := func() {
		for tool := range r.Tools() {
			_ = tool
		}
	}
	few := testing.AllocsPerRun(100, iterate)
	for i := range 1000 {
		if err := r.Add(rawTool(t, fmt.Sprintf("t%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if many := testing.AllocsPerRun(100, iterate); many != few {
		t.Errorf("iterating over 1002 tools makes %v allocations, over 2 tools %v", many, few)
	}
}

// TestRegistryAgainstMap applies random changes to a registry and a map, and compares them at random times, after any
// number of changes.
func TestRegistryAgainstMap(t *testing.T) {
	t.Parallel()
	tools := make([]*mcptool.Tool, 60)
	for i := range tools {
		tools[i] = rawTool(t, fmt.Sprintf("t%d", i%20)) // three tools for each name
	}
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		var r mcptool.Registry
		want := map[string]*mcptool.Tool{}
		for step := range 1000 {
			tool, other := tools[rnd.IntN(len(tools))], tools[rnd.IntN(len(tools))]
			switch rnd.IntN(4) {
			case 0:
				_, taken := want[tool.Info().Name]
				if err := r.Add(tool); (err != nil) != taken {
					t.Fatalf("seed %d, step %d: Add = %v", seed, step, err)
				}
				if !taken {
					want[tool.Info().Name] = tool
				}
			case 1:
				if err := r.Replace(tool, other); (err != nil) != (tool.Info().Name == other.Info().Name) {
					t.Fatalf("seed %d, step %d: Replace = %v", seed, step, err)
				} else if err == nil {
					want[tool.Info().Name], want[other.Info().Name] = tool, other
				}
			case 2:
				before := len(want)
				delete(want, tool.Info().Name)
				delete(want, other.Info().Name)
				if n := r.Remove(tool, other); n != before-len(want) {
					t.Fatalf("seed %d, step %d: Remove = %d", seed, step, n)
				}
			case 3:
				if rnd.IntN(1+rnd.IntN(100)) == 0 {
					wantTools(t, &r, slices.SortedFunc(maps.Values(want), func(a, b *mcptool.Tool) int { return strings.Compare(a.Info().Name, b.Info().Name) })...)
				}
			}
		}
		wantTools(t, &r, slices.SortedFunc(maps.Values(want), func(a, b *mcptool.Tool) int { return strings.Compare(a.Info().Name, b.Info().Name) })...)
	}
}

// TestRegistryIsLinear: the cost of adding, replacing or removing a single tool does not grow with the number of tools.
//
//nolint:paralleltest // it measures allocations
func TestRegistryIsLinear(t *testing.T) {
	const few, more = 500, 10
	tools := make([]*mcptool.Tool, few*more)
	for i := range tools {
		tools[i] = rawTool(t, fmt.Sprintf("t%04d", i))
	}
	cost := func(tools []*mcptool.Tool) (bytes uint64) {
		var r mcptool.Registry
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		for _, tool := range tools {
			if err := r.Add(tool); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(names(r.Tools())); n != len(tools) {
			t.Fatalf("%d tools", n)
		}
		for _, tool := range tools {
			if err := r.Replace(tool); err != nil {
				t.Fatal(err)
			}
		}
		_ = r.Tools()
		for _, tool := range tools {
			r.Remove(tool)
		}
		goruntime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if small, large := cost(tools[:few]), cost(tools); large > small*more*12/10 {
		t.Errorf("%d tools allocate %d bytes, %d times as many allocate %d", few, small, more, large)
	}
}

// BenchmarkRegistry adds tools one by one, and lists them once.
func BenchmarkRegistry(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		tools := make([]*mcptool.Tool, n)
		for i := range tools {
			tools[i] = rawTool(b, fmt.Sprintf("t%05d", i))
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var r mcptool.Registry
				for _, tool := range tools {
					if err := r.Add(tool); err != nil {
						b.Fatal(err)
					}
				}
				if len(slices.Collect(r.Tools())) != n {
					b.Fatal("Tools returned too few tools")
				}
			}
		})
	}
}

// TestReplaceIdentical: replacing an item with one that looks the same in lists takes effect, but is not a change for
// clients.
func TestReplaceIdentical(t *testing.T) {
	t.Parallel()
	type args struct {
		A string `json:"a"`
	}
	type otherArgs struct {
		A int `json:"a"`
	}
	visible := mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { return true })
	newTool := func(opts ...mcptool.ToolOption) func() mcptool.Item {
		return func() mcptool.Item {
			return mustNew(t, func(context.Context, args) (args, error) { return args{}, nil }, append(opts, mcptool.Name("x"))...)
		}
	}
	newPrompt := func(opts ...mcptool.PromptOption) func() mcptool.Item {
		return func() mcptool.Item {
			p, err := mcptool.NewPrompt(func(context.Context, args) (string, error) { return "", nil }, append(opts, mcptool.Name("x"))...)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
	}
	newResource := func(opts ...mcptool.ResourceOption) func() mcptool.Item {
		return func() mcptool.Item {
			r, err := mcptool.NewResource(func(context.Context, args) (string, error) { return "", nil }, append(opts, mcptool.URI("x://{a}"), mcptool.Name("x"))...)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
	}
	list := mcptool.ListWith(func(context.Context, string) ([]mcptool.ResourceLink, string, error) { return nil, "", nil })
	for _, test := range []struct {
		name      string
		old, with func() mcptool.Item
		want      uint64 // number of changes
	}{
		{"tool", newTool(), newTool(), 0},
		{
			"a tool with all texts", newTool(mcptool.Title("T"), mcptool.Description("D"), mcptool.ReadOnly(true), mcptool.Meta(map[string]any{"example.com/a": 1})),
			newTool(mcptool.Title("T"), mcptool.Description("D"), mcptool.ReadOnly(true), mcptool.Meta(map[string]any{"example.com/a": 1})), 0,
		},
		{"another timeout", newTool(), newTool(mcptool.Timeout(1e9)), 0},
		{"another description", newTool(), newTool(mcptool.Description("D")), 1},
		{"another annotation", newTool(mcptool.ReadOnly(true)), newTool(mcptool.ReadOnly(false)), 1},
		{"other scopes", newTool(mcptool.Scopes("a")), newTool(mcptool.Scopes("b")), 1},
		{"other _meta", newTool(mcptool.Meta(map[string]any{"example.com/a": 1})), newTool(mcptool.Meta(map[string]any{"example.com/a": 2})), 1},
		{"no output schema", newTool(), newTool(mcptool.OmitOutputSchema(true)), 1},
		{"a condition", newTool(visible), newTool(visible), 1},
		{"a new condition", newTool(), newTool(visible), 1},
		{"other arguments", newTool(), func() mcptool.Item {
			return mustNew(t, func(context.Context, otherArgs) (args, error) { return args{}, nil }, mcptool.Name("x"))
		}, 1},
		{"another result", newTool(), func() mcptool.Item {
			return mustNew(t, func(context.Context, args) (otherArgs, error) { return otherArgs{}, nil }, mcptool.Name("x"))
		}, 1},
		{"prompt", newPrompt(), newPrompt(), 0},
		{"another title of a prompt", newPrompt(), newPrompt(mcptool.Title("T")), 1},
		{"resource", newResource(mcptool.MIMEType("text/plain")), newResource(mcptool.MIMEType("text/plain")), 0},
		{"another type of a resource", newResource(mcptool.MIMEType("text/plain")), newResource(mcptool.MIMEType("text/html")), 1},
		{"resource with a list", newResource(list), newResource(list), 1},
	} {
		var r mcptool.Registry
		notified := uint64(0)
		put := func(item mcptool.Item) {
			if err := r.Replace(item); err != nil {
				t.Fatal(err)
			}
		}
		sum := func() (changes uint64) {
			for _, n := range internals.Changes(&r) {
				changes += n
			}
			return changes
		}
		put(test.old())
		before := sum()
		internals.Watch(&r, func(_ int, isListed bool) {
			if isListed {
				notified++
			}
		}, ignoreUpdates, nil)
		with := test.with()
		put(with)
		if got := sum() - before; got != test.want || notified != test.want {
			t.Errorf("%s: %d changes and %d notifications, want %d", test.name, got, notified, test.want)
		}
		put(with)
		if notified != test.want {
			t.Errorf("%s: replacing an item with itself is a change", test.name)
		}
		if tool, isTool := with.(*mcptool.Tool); isTool && !slices.Contains(slices.Collect(r.Tools()), tool) {
			t.Errorf("%s: the old item is still in use", test.name)
		}
	}
}
