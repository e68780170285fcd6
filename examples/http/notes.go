package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Note is a note with its author.
type Note struct {
	Author string    `json:"author" doc:"Who wrote it"`
	Text   string    `json:"text"`
	Time   time.Time `json:"time" doc:"When it was written"`
}

// notebook holds all notes, oldest first. It is safe for concurrent use.
type notebook struct {
	mu    sync.Mutex
	notes []Note
	more  chan struct{} // closed and replaced when a note is added
}

func newNotebook() *notebook { return &notebook{more: make(chan struct{})} }

// maxNotes is the maximum number of notes kept.
const maxNotes = 1000

type ListNotesIn struct {
	_     struct{} `mcp:"title=List notes,readOnly,openWorld=false,scopes=notes:read" doc:"The latest notes, newest first"`
	Limit int      `json:"limit" jsonschema:"minimum=1,maximum=100,default=20" doc:"How many at most"`
}

type ListNotesOut struct {
	Notes []Note `json:"notes"`
	Total int    `json:"total" doc:"How many there are"`
}

func (b *notebook) ListNotes(_ context.Context, in ListNotesIn) (ListNotesOut, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	latest := slices.Clone(b.notes[max(0, len(b.notes)-in.Limit):])
	slices.Reverse(latest)
	return ListNotesOut{Notes: latest, Total: len(b.notes)}, nil
}

type AddNoteIn struct {
	_    struct{} `mcp:"title=Add a note,destructive=false,openWorld=false,scopes=notes:write" doc:"Keep a note, in the name of whoever asks"`
	Text string   `json:"text" jsonschema:"minLength=1,maxLength=2000"`
}

func (b *notebook) AddNote(ctx context.Context, in AddNoteIn) (Note, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.notes) == maxNotes {
		return Note{}, errors.New("the notebook is full")
	}
	// The verified caller, which no argument can forge.
	note := Note{Author: mcptool.Caller(ctx).Principal, Text: in.Text, Time: time.Now().UTC().Truncate(time.Second)}
	b.notes = append(b.notes, note)
	close(b.more)
	b.more = make(chan struct{})
	return note, nil
}

type WaitForNoteIn struct {
	_       struct{} `mcp:"title=Wait for a note,readOnly,openWorld=false,scopes=notes:read" doc:"Wait until somebody adds a note"`
	Seconds float64  `json:"seconds" jsonschema:"minimum=0,maximum=60,default=10" doc:"How long at most"`
}

type WaitForNoteOut struct {
	Note *Note `json:"note" jsonschema:"nullable" doc:"The note; null if there was none in time"`
}

func (b *notebook) WaitForNote(ctx context.Context, in WaitForNoteIn) (WaitForNoteOut, error) {
	b.mu.Lock()
	more, count := b.more, len(b.notes)
	b.mu.Unlock()
	mcptool.Progress(ctx, 0, 1, "waiting")
	select {
	case <-more:
		b.mu.Lock()
		defer b.mu.Unlock()
		return WaitForNoteOut{Note: new(b.notes[count])}, nil
	case <-time.After(time.Duration(in.Seconds * float64(time.Second))):
		return WaitForNoteOut{}, nil
	case <-ctx.Done():
		return WaitForNoteOut{}, ctx.Err()
	}
}

type WhoAmIIn struct {
	_ struct{} `mcp:"name=whoami,title=Who am I?,readOnly,openWorld=false" doc:"Whose access token this is"`
}

type WhoAmIOut struct {
	Principal string `json:"principal"`
}

// WhoAmI needs no scopes: any valid token is sufficient.
func WhoAmI(ctx context.Context, _ WhoAmIIn) (WhoAmIOut, error) {
	return WhoAmIOut{Principal: mcptool.Caller(ctx).Principal}, nil
}
