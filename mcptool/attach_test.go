package mcptool_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

var (
	viewExtension  = &mcptool.ClientExtension{ID: "com.example/view", Supports: func(s json.RawMessage) bool { return !strings.Contains(string(s), "old") }}
	otherExtension = &mcptool.ClientExtension{ID: "com.example/other"}
	panicExtension = &mcptool.ClientExtension{ID: "com.example/panic", Supports: func(json.RawMessage) bool { panic("no") }}
)

func doNothing(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }

func TestAttach(t *testing.T) {
	t.Parallel()
	view := func(name string) *mcptool.Resource {
		return newResource(t, func(context.Context, struct{}) (string, error) { return "<p>", nil }, mcptool.URI("ui://"+name))
	}
	tool := func(name string, r *mcptool.Resource) *mcptool.Tool {
		made, err := mcptool.New(doNothing, mcptool.Name(name), mcptool.Meta(map[string]any{"com.example/a": map[string]int{"x": 1}}),
			mcptool.Attach(mcptool.Attachment{Extension: viewExtension, Meta: map[string]any{"ui": map[string]string{"uri": r.URI()}, "com.example/a": map[string]int{"y": 2}}, Resources: []*mcptool.Resource{r}}),
			mcptool.Attach(mcptool.Attachment{Extension: otherExtension, Meta: map[string]any{"ui": map[string]bool{"big": true}}}))
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	a, b := tool("a", view("1")), tool("b", view("1"))
	meta := func(capabilities string) string {
		raw, err := json.Marshal(internals.MetaFor(a, func(e *mcptool.ClientExtension) bool { return internals.SupportedBy(e, json.RawMessage(capabilities)) }))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for capabilities, want := range map[string]string{
		``:                                       `{"com.example/a":{"x":1}}`,
		`{"extensions":{"com.example/view":{}}}`: `{"com.example/a":{"x":1,"y":2},"ui":{"uri":"ui://1"}}`,
		`{"extensions":{"com.example/view":true,"com.example/other":{}}}`:  `{"com.example/a":{"x":1,"y":2},"ui":{"big":true,"uri":"ui://1"}}`,
		`{"extensions":{"com.example/view":{"v":"old"}}}`:                  `{"com.example/a":{"x":1}}`,
		`{"extensions":{"com.example/view":false,"com.example/panic":{}}}`: `{"com.example/a":{"x":1}}`,
	} {
		if got := meta(capabilities); got != want {
			t.Errorf("for %s: %s, want %s", capabilities, got, want)
		}
	}
	if internals.SupportedBy(panicExtension, json.RawMessage(`{"extensions":{"com.example/panic":{}}}`)) {
		t.Error("SupportedBy of a panicking func = true, want false")
	}

	var r mcptool.Registry
	changes := 0
	defer internals.Watch(&r, func(list int, _ bool) {
		if list == 2 {
			changes++
		}
	}, ignoreUpdates, nil)()
	if err := r.Add(a, b); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.LookupResource("ui://1"); !ok || r.Remove(view("1")) != 0 || r.Add(view("1")) == nil || r.Replace(view("1")) == nil {
		t.Error("an attached resource can be removed, added or replaced separately")
	}
	if err := r.Replace(tool("a", view("2"))); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		remove   string
		one, two bool
	}{{"", true, true}, {"b", false, true}, {"a", false, false}} {
		removed, _ := r.Lookup(step.remove)
		r.Remove(removed)
		_, one := r.LookupResource("ui://1")
		_, two := r.LookupResource("ui://2")
		if one != step.one || two != step.two {
			t.Errorf("after removing %q: %v %v", step.remove, one, two)
		}
	}
	if changes != 4 {
		t.Errorf("%d changes, want 4", changes)
	}
	if err := r.Add(view("1")); err != nil {
		t.Fatal(err)
	}
	err := r.Add(a)
	wantMistakes(t, registerError(t, nil, err), "a: registers the resource ui://1: the resource defined at ")
	if len(slices.Collect(r.Tools())) != 0 {
		t.Error("Add registered a tool whose attached resource clashes")
	}
}

func TestAttachMistakes(t *testing.T) {
	t.Parallel()
	_, err := mcptool.New(doNothing, mcptool.Name("a"), mcptool.Meta(map[string]any{"com.example/a": 1}),
		mcptool.Attach(mcptool.Attachment{}),
		mcptool.Attach(mcptool.Attachment{Extension: viewExtension, Meta: map[string]any{"com.example/a": 2, "f": func() {}}, Resources: []*mcptool.Resource{nil}, Mistakes: []mcptool.Mistake{{Reason: "own mistake"}}}))
	wantMistakes(t, registerError(t, nil, err), "an attachment names no extension", "own mistake", "an attached resource is empty", `an attachment: key "f"`,
		"_meta.com.example/a is set twice, the second time by an attachment of com.example/view")
}

func TestVisibleIf(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New(doNothing, mcptool.Name("a"), mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool {
		if info.Principal == "" {
			panic("no principal")
		}
		return info.Principal == "ann"
	}))
	if err != nil {
		t.Fatal(err)
	}
	open := rawTool(t, "open")
	visible := func(principal string) bool {
		visible, _ := internals.VisibleTo(t.Context(), tool, mcptool.CallInfo{Principal: principal})
		return visible
	}
	if isOpen, err := internals.VisibleTo(t.Context(), open, mcptool.CallInfo{}); !isOpen || err != nil || !visible("ann") || visible("bob") || visible("") {
		t.Error("a tool must be visible exactly if the func returns true without a panic")
	}
	if _, err := tool.Call(t.Context(), nil); err != nil {
		t.Errorf("without a server, the condition does not apply: %v", err)
	}
	yes := func(context.Context, mcptool.CallInfo) bool { return true }
	_, err = mcptool.New(doNothing, mcptool.Name("a"), mcptool.VisibleIf(nil), mcptool.VisibleIf(yes), mcptool.VisibleIf(yes))
	wantMistakes(t, registerError(t, nil, err), "the func of the option VisibleIf is nil", "the option VisibleIf is given twice")
}
