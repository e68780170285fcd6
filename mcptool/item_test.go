package mcptool_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// itemsOf returns a tool, a prompt and a resource with this name and title.
func itemsOf(tb testing.TB, name, title string) (*mcptool.Tool, *mcptool.Prompt, *mcptool.Resource) {
	tb.Helper()
	text := func(context.Context, struct{}) (string, error) { return title, nil }
	tool, err := mcptool.New(text, mcptool.Name(name), mcptool.Title(title))
	if err != nil {
		tb.Fatal(err)
	}
	prompt, err := mcptool.NewPrompt(text, mcptool.Name(name), mcptool.Title(title))
	if err != nil {
		tb.Fatal(err)
	}
	resource, err := mcptool.NewResource(text, mcptool.Name(name), mcptool.URI("docs://"+name), mcptool.Title(title))
	if err != nil {
		tb.Fatal(err)
	}
	return tool, prompt, resource
}

// contents returns the names and URIs of all items.
func contents(r *mcptool.Registry) string {
	all := names(r.Tools())
	for prompt := range r.Prompts() {
		all = append(all, "prompt "+prompt.Info().Name)
	}
	for resource := range r.Resources() {
		all = append(all, resource.URI())
	}
	return strings.Join(all, " ")
}

// TestRegistryKinds: one call changes items of all kinds, with one notification for each kind, or with a mistake nothing.
func TestRegistryKinds(t *testing.T) {
	t.Parallel()
	tool, prompt, resource := itemsOf(t, "a", "1")
	newTool, newPrompt, newResource := itemsOf(t, "a", "2")
	otherTool, otherPrompt, otherResource := itemsOf(t, "b", "x")
	var r mcptool.Registry
	changes := [3]int{}
	defer internals.Watch(&r, func(list int, _ bool) { changes[list]++ }, ignoreUpdates, nil)()
	const all = "a b prompt a prompt b docs://a docs://b"
	for i, step := range []struct {
		name    string
		do      func() bool // reports success
		changes [3]int
		want    string
	}{
		{"lists and items", func() bool {
			return r.Add(mcptool.Tools{tool, otherTool}, prompt, resource, mcptool.Resources{otherResource}, mcptool.Prompts{otherPrompt}) == nil
		}, [3]int{1, 1, 1}, all},
		{"a tool that is present", func() bool { c, p, res := itemsOf(t, "c", "x"); return r.Add(p, res, c, tool) != nil }, [3]int{1, 1, 1}, all},
		{"a prompt that is present", func() bool { c, _, res := itemsOf(t, "c", "x"); return r.Add(c, prompt, res) != nil }, [3]int{1, 1, 1}, all},
		{"a resource that is present", func() bool { c, p, _ := itemsOf(t, "c", "x"); return r.Add(c, p, resource) != nil }, [3]int{1, 1, 1}, all},
		{"a nil item", func() bool { c, p, res := itemsOf(t, "c", "x"); return r.Add(c, p, res, nil) != nil }, [3]int{1, 1, 1}, all},
		{"Replace with an empty prompt", func() bool { return r.Replace(newTool, newResource, &mcptool.Prompt{}) != nil }, [3]int{1, 1, 1}, all},
		{"Replace", func() bool { return r.Replace(newPrompt, newResource, newTool) == nil }, [3]int{2, 2, 2}, all},
		{"Replace of two kinds", func() bool { return r.Replace(tool, resource) == nil }, [3]int{3, 2, 3}, all},
		{"Remove an item by another with its name", func() bool { return r.Remove(newTool, newPrompt) == 2 }, [3]int{4, 3, 3}, "b prompt b docs://a docs://b"},
		{"Remove counts the items that are present", func() bool {
			return r.Remove(tool, otherPrompt, mcptool.Resources{resource, otherResource}, otherResource) == 3
		}, [3]int{4, 4, 4}, "b"},
	} {
		if !step.do() {
			t.Errorf("step %d, %s, failed", i, step.name)
		}
		if got := contents(&r); got != step.want || changes != step.changes {
			t.Errorf("step %d, %s: the registry has %q after %v changes, want %q after %v", i, step.name, got, changes, step.want, step.changes)
		}
	}
}

// TestRegistryMistakesOfAllKinds: the error lists the mistakes in items of all kinds.
func TestRegistryMistakesOfAllKinds(t *testing.T) {
	t.Parallel()
	tool, prompt, resource := itemsOf(t, "a", "x")
	var r mcptool.Registry
	if err := r.Add(tool, prompt, resource); err != nil {
		t.Fatal(err)
	}
	_, _, brought := itemsOf(t, "b", "x")
	_, _, given := itemsOf(t, "b", "x")
	withView := mustNew(t, doNothing, mcptool.Name("c"), mcptool.Attach(mcptool.Attachment{Extension: viewExtension, Resources: []*mcptool.Resource{brought}}))
	err := r.Add(withView, nil, tool, prompt, (*mcptool.Prompt)(nil), resource, given)
	wantMistakes(t, registerError(t, nil, err), "item 2 of the call is nil", "a: the tool defined at ",
		"c: registers the resource docs://b: the resource defined at ", "prompt 2 of the call is empty", "a: the prompt defined at ", "docs://a: the resource defined at ")
	if got := contents(&r); got != "a prompt a docs://a" {
		t.Errorf("the registry has %q", got)
	}
	if err := r.Add(withView, given); err == nil || !strings.Contains(err.Error(), "c: registers the resource docs://b: the resource defined at ") {
		t.Errorf("a resource with the URI of one that a tool of the call brings: %v", err)
	}
}

// TestReplaceAttached: a resource can take the place of one that belonged to a tool, in the call that replaces the tool.
func TestReplaceAttached(t *testing.T) {
	t.Parallel()
	_, _, brought := itemsOf(t, "view", "x")
	plain, _, given := itemsOf(t, "view", "of its own")
	attach := mcptool.Attach(mcptool.Attachment{Extension: viewExtension, Resources: []*mcptool.Resource{brought}})
	withView, other := mustNew(t, doNothing, mcptool.Name("view"), attach), mustNew(t, doNothing, mcptool.Name("other"), attach)
	var r mcptool.Registry
	if err := r.Add(withView, other); err != nil {
		t.Fatal(err)
	}
	wantMistakes(t, registerError(t, nil, r.Replace(plain, given)), "docs://view: the resource with this URI belongs to a tool; replace the tool")
	if n := r.Remove(other, brought); n != 1 {
		t.Errorf("Remove = %d, want 1: another tool has the resource", n)
	}
	if err := r.Replace(plain, given); err != nil {
		t.Fatal(err)
	}
	if got, ok := r.LookupResource("docs://view"); !ok || got != given {
		t.Errorf("LookupResource = %v, %v", got, ok)
	}
	if n := r.Remove(plain, given); n != 2 || contents(&r) != "" {
		t.Errorf("Remove = %d, and the registry has %q", n, contents(&r))
	}
}

// TestIterators: an iteration sees the registry as it was at the call, also if the loop changes it.
func TestIterators(t *testing.T) {
	t.Parallel()
	a, prompt, resource := itemsOf(t, "a", "x")
	b := rawTool(t, "b")
	r := &mcptool.Registry{}
	if err := r.Add(b, a, prompt, resource); err != nil {
		t.Fatal(err)
	}
	before := r.Tools()
	var seen []string
	for tool := range r.Tools() {
		seen = append(seen, tool.Info().Name)
		if err := r.Replace(rawTool(t, "c")); err != nil || r.Remove(mcptool.Tools{a, b}) == 0 && tool != b {
			t.Errorf("a change during the iteration failed: %v", err)
		}
	}
	if !slices.Equal(seen, []string{"a", "b"}) || !slices.Equal(names(before), seen) || !slices.Equal(names(r.Tools()), []string{"c"}) {
		t.Errorf("the loop got %q, an earlier iterator %q, and a later one %q", seen, names(before), names(r.Tools()))
	}
	for range r.Prompts() {
		for range r.Resources() {
			r.Remove(prompt, resource)
		}
	}
	if got := contents(r); got != "c" {
		t.Errorf("the registry has %q", got)
	}
}

// TestRegistryKindsConcurrently: who sees an item of a change also sees the items of other kinds, while iterators of many
// goroutines run.
func TestRegistryKindsConcurrently(t *testing.T) {
	t.Parallel()
	const versions = 300
	var r mcptool.Registry
	var wg sync.WaitGroup
	replace := func(version int) {
		tool, prompt, resource := itemsOf(t, "x", strconv.Itoa(version))
		if err := r.Replace(resource, tool, prompt); err != nil {
			t.Error(err)
		}
	}
	replace(0)
	wg.Go(func() {
		for version := range versions {
			replace(version)
			extra, _, _ := itemsOf(t, fmt.Sprint("extra", version%3), "x")
			if version%2 == 0 {
				_ = r.Replace(extra)
			} else {
				r.Remove(extra)
			}
		}
	})
	title := func(list int) (version int) {
		var titles []string
		switch list {
		case 0:
			for tool := range r.Tools() {
				if tool.Info().Name == "x" {
					titles = append(titles, tool.Info().Title)
				}
			}
		case 1:
			for prompt := range r.Prompts() {
				titles = append(titles, prompt.Info().Title)
			}
		case 2:
			for resource := range r.Resources() {
				titles = append(titles, resource.Info().Title)
			}
		}
		if len(titles) != 1 {
			t.Errorf("list %d has the titles %q, want one", list, titles)
			return versions
		}
		version, err := strconv.Atoi(titles[0])
		if err != nil {
			t.Error(err)
		}
		return version
	}
	for _, order := range [][3]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}} {
		wg.Go(func() {
			last := 0
			for last < versions-1 && !t.Failed() {
				for _, list := range order {
					version := title(list)
					if version < last {
						t.Errorf("order %v: list %d has version %d, after version %d of another list", order, list, version, last)
						return
					}
					last = version
				}
			}
		})
	}
	wg.Wait()
}
