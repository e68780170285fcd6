package mcptooltest_test

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

type SummaryIn struct {
	_     struct{} `mcp:"name=summarize" doc:"Summarize a note"`
	Note  string   `json:"note" doc:"Name of the note"`
	Words int      `json:"words" jsonschema:"minimum=10,default=100" doc:"At most so many words"`
}

func Summarize(_ context.Context, in SummaryIn) (string, error) {
	return fmt.Sprintf("Summarize notes://%s in at most %d words.", in.Note, in.Words), nil
}

type NoteIn struct {
	_    struct{} `mcp:"uri=notes://{name},mimeType=text/markdown" doc:"A note"`
	Name string   `json:"name" jsonschema:"maxLength=80"`
}

var notes = map[string]string{"intro": "# Introduction"}

func ReadNote(_ context.Context, in NoteIn) (string, error) {
	text, found := notes[in.Name]
	if !found {
		return "", mcptool.ErrResourceNotFound
	}
	return text, nil
}

// Tests call prompts and resources with Go values and URIs, as clients do.
func ExamplePrompt() {
	_ = func(t *testing.T) { //nolint:thelper // a test such as TestSummarize
		summarize, err := mcptool.NewPrompt(Summarize)
		if err != nil {
			t.Fatal(err)
		}
		got := mcptooltest.Prompt[SummaryIn, string](t, summarize, SummaryIn{Note: "intro", Words: 50})
		if want := "Summarize notes://intro in at most 50 words."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A test reads the text of a resource, and has it compared with what its list and its template announce.
func ExampleRead() {
	_ = func(t *testing.T) { //nolint:thelper // a test such as TestNotes
		notes, err := mcptool.NewResource(ReadNote)
		if err != nil {
			t.Fatal(err)
		}
		if got := mcptooltest.Read[string](t, notes, "notes://intro"); got != "# Introduction" {
			t.Errorf("got %q", got)
		}
		registry := &mcptool.Registry{}
		if err := registry.Add(notes, mcptool.Files(fstest.MapFS{"a.md": {Data: []byte("# A")}}, "docs://")); err != nil {
			t.Fatal(err)
		}
		mcptooltest.Check(t, registry, mcptooltest.Arguments("notes://{name}", NoteIn{Name: "intro"}, "notes://intro"))
	}
}
