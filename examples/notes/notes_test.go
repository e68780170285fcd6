package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
)

// newRegistry returns a registry with everything that the server serves, and the store with its notes.
func newRegistry(t *testing.T) (*mcptool.Registry, *store) {
	t.Helper()
	registry := &mcptool.Registry{}
	notes := newStore(registry)
	if err := register(registry, notes); err != nil {
		t.Fatal(err)
	}
	return registry, notes
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
	registry, notes := newRegistry(t)
	var updated []string
	defer mcptool.Internal(private.Key{}).Watch(registry, func(int, bool) {}, func(uri string) { updated = append(updated, uri) }, nil)()
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
	if page, next, err := notes.List(t.Context(), ""); err != nil || next != "" || len(page) != 2 || page[0].URI != "notes:///milk" {
		t.Errorf("list: %v %q %v", page, next, err)
	}
	note, _ := registry.LookupResource("notes:///bread")
	if _, err := note.Read(t.Context(), "notes:///bread"); !errors.Is(err, mcptool.ErrResourceNotFound) {
		t.Errorf("a note that there is not: %v", err)
	}
	if got, err := notes.CompleteID(t.Context(), "w", NoteIn{}); err != nil || !slices.Equal(got, []string{"welcome"}) {
		t.Errorf("completion: %v %v", got, err)
	}
}

func TestReview(t *testing.T) {
	t.Parallel()
	registry, notes := newRegistry(t)
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
	if got, err := notes.CompleteReview(t.Context(), "", ReviewIn{}); err != nil || !slices.Equal(got, []string{"welcome"}) {
		t.Errorf("completion: %v %v", got, err)
	}
}
