package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
)

// newRegistry returns a registry with everything that the server serves.
func newRegistry(t *testing.T) *mcptool.Registry {
	t.Helper()
	registry := &mcptool.Registry{}
	if err := register(registry, newStore(registry)); err != nil {
		t.Fatal(err)
	}
	return registry
}

// read reads a resource as text.
func read(t *testing.T, registry *mcptool.Registry, uri string) string {
	t.Helper()
	r, ok := registry.LookupResource(uri)
	if !ok {
		t.Fatalf("there is no resource %s", uri)
	}
	contents, err := r.Read(t.Context(), uri)
	if err != nil {
		t.Fatal(err)
	}
	return contents[0].Text
}

func TestNotes(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t)
	var updated []string
	defer mcptool.Internal(private.Key{}).Watch(registry, func(int) {}, func(uri string) { updated = append(updated, uri) })()
	add, _ := registry.Lookup("add")
	result, err := add.Call(t.Context(), []byte(`{"id":"milk","text":"Buy milk"}`))
	if err != nil {
		t.Fatal(err)
	}
	link, _ := result.Content[0].(mcptool.ResourceLink)
	if got := read(t, registry, link.URI); got != `{"id":"milk","text":"Buy milk","tags":[]}` {
		t.Errorf("the tool links to what can be read: %s", got)
	}
	if !slices.Equal(updated, []string{"notes:///milk"}) {
		t.Errorf("updates: %q", updated)
	}
	note, _ := registry.LookupResource("notes:///bread")
	if page, next, err := note.List(t.Context(), ""); err != nil || next != "" || len(page) != 2 || page[0].URI != "notes:///milk" {
		t.Errorf("list: %v %q %v", page, next, err)
	}
	if _, err := note.Read(t.Context(), "notes:///bread"); !errors.Is(err, mcptool.ErrResourceNotFound) {
		t.Errorf("a note that there is not: %v", err)
	}
	if got, err := note.Complete(t.Context(), "id", "w", nil); err != nil || !slices.Equal(got.Values, []string{"welcome"}) {
		t.Errorf("completion: %v %v", got, err)
	}
}

func TestReview(t *testing.T) {
	t.Parallel()
	registry := newRegistry(t)
	review, _ := registry.LookupPrompt("review")
	got, err := review.Get(t.Context(), map[string]string{"id": "welcome", "tone": "strict"})
	if err != nil {
		t.Fatal(err)
	}
	rules, _ := got.Messages[1].Content.(mcptool.Text)
	_, uri, _ := strings.Cut(rules.Text, "The rules are in ")
	if !strings.Contains(read(t, registry, strings.TrimSuffix(uri, ".")), "How notes are reviewed") || !strings.Contains(rules.Text, "strict") {
		t.Errorf("the prompt: %q", rules.Text)
	}
	if _, err := review.Get(t.Context(), map[string]string{"id": "bread"}); err == nil || err.Error() != `there is no note "bread"` {
		t.Errorf("a note that there is not: %v", err)
	}
	if got, err := review.Complete(t.Context(), "id", "", nil); err != nil || !slices.Equal(got.Values, []string{"welcome"}) {
		t.Errorf("completion: %v %v", got, err)
	}
}
