package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/mcptool"
)

// store holds the notes in memory.
type store struct {
	registry *mcptool.Registry // notifies clients of changes

	mu    sync.Mutex
	notes map[string]Note
}

// find returns the note with this id.
func (s *store) find(id string) (note Note, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	note, ok = s.notes[id]
	return note, ok
}

// ids returns the sorted ids with the given prefix.
func (s *store) ids(prefix string) (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.notes)) {
		if strings.HasPrefix(id, prefix) {
			ids = append(ids, id)
		}
	}
	return ids
}

func newStore(registry *mcptool.Registry) *store {
	return &store{registry: registry, notes: map[string]Note{"welcome": {ID: "welcome", Text: "Add notes with the tool add.", Tags: []string{}}}}
}

// AddIn holds the arguments of add.
type AddIn struct {
	_    struct{} `mcp:"name=add,destructive,idempotent,openWorld=false" doc:"Add a note, or replace the one with this id"`
	ID   string   `json:"id" jsonschema:"pattern=^[a-z0-9-]{1\\,40}$" doc:"A short name for the note, such as shopping"`
	Text string   `json:"text" jsonschema:"minLength=1,maxLength=10000"`
	Tags []string `json:"tags,omitzero"`
}

// Add adds a note and returns a link to it, which the client can read.
func (s *store) Add(_ context.Context, in AddIn) (mcptool.ResourceLink, error) {
	s.mu.Lock()
	_, known := s.notes[in.ID]
	s.notes[in.ID] = Note{ID: in.ID, Text: in.Text, Tags: in.Tags}
	s.mu.Unlock()
	uri := "notes:///" + in.ID // an id needs no escaping
	if s.registry.ResourceUpdated(uri); !known {
		s.registry.ResourceListChanged()
	}
	return mcptool.ResourceLink{URI: uri, Name: in.ID, MIMEType: "application/json"}, nil
}

// NoteIn is the variable in the URI of a note.
type NoteIn struct {
	_  struct{} `mcp:"name=note,uri=notes:///{id},title=Note" doc:"A note with its tags"`
	ID string   `json:"id"`
}

// Note is a note.
type Note struct {
	ID   string   `json:"id"`
	Text string   `json:"text"`
	Tags []string `json:"tags"`
}

// Read reads a note.
func (s *store) Read(_ context.Context, in NoteIn) (Note, error) {
	note, ok := s.find(in.ID)
	if !ok {
		return Note{}, mcptool.ErrResourceNotFound
	}
	return note, nil
}

// List lists the notes, all on one page.
func (s *store) List(context.Context, string) (page []mcptool.ResourceLink, next string, err error) {
	for _, id := range s.ids("") {
		page = append(page, mcptool.ResourceLink{URI: "notes:///" + id, Name: id})
	}
	return page, "", nil
}

// CompleteID suggests ids of notes.
func (s *store) CompleteID(_ context.Context, prefix string, _ NoteIn) ([]string, error) {
	return s.ids(prefix), nil
}

// ReviewIn holds the arguments of the prompt review.
type ReviewIn struct {
	_    struct{} `mcp:"name=review,title=Review a note" doc:"Ask for a review of a note, by the rules of the handbook"`
	ID   string   `json:"id" doc:"The note"`
	Tone string   `json:"tone" jsonschema:"enum=friendly,enum=strict,default=friendly" doc:"How to say it"`
}

// Review returns the messages of the prompt: the note, with instructions.
func (s *store) Review(_ context.Context, in ReviewIn) ([]mcptool.Message, error) {
	note, ok := s.find(in.ID)
	if !ok {
		return nil, mcptool.Errorf("there is no note %q", in.ID)
	}
	return []mcptool.Message{
		{Content: mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "notes:///" + note.ID, MIMEType: "text/plain", Text: note.Text}}},
		{Content: mcptool.Text{Text: fmt.Sprintf("Review this note in a %s tone. The rules are in handbook:///style/review.md.", in.Tone)}},
	}, nil
}

// CompleteReview suggests ids of notes for a review.
func (s *store) CompleteReview(_ context.Context, prefix string, _ ReviewIn) ([]string, error) {
	return s.ids(prefix), nil
}
