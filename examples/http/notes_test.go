package main

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/lint"
)

// must returns a func that returns the tool of New or fails the test.
func must(t *testing.T) func(*mcptool.Tool, error) *mcptool.Tool {
	t.Helper()
	return func(tool *mcptool.Tool, err error) *mcptool.Tool {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return tool
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	b := newNotebook()
	add, list := must(t)(mcptool.New(b.AddNote)), must(t)(mcptool.New(b.ListNotes))
	if out := mcptooltest.Call[ListNotesIn, ListNotesOut](t, list, ListNotesIn{Limit: 5}); len(out.Notes) != 0 || out.Total != 0 {
		t.Errorf("an empty notebook has %+v", out)
	}
	for i := range 7 {
		mcptooltest.Call[AddNoteIn, Note](t, add, AddNoteIn{Text: fmt.Sprint(i)})
	}
	for limit, want := range map[int]string{1: "6", 3: "654", 7: "6543210", 100: "6543210"} {
		out := mcptooltest.Call[ListNotesIn, ListNotesOut](t, list, ListNotesIn{Limit: limit})
		texts := ""
		for _, note := range out.Notes {
			texts += note.Text
		}
		if texts != want || out.Total != 7 {
			t.Errorf("the latest %d of %d are %s, want %s of 7", limit, out.Total, texts, want)
		}
	}
}

func TestWaitForNote(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newNotebook()
		add, wait := must(t)(mcptool.New(b.AddNote)), must(t)(mcptool.New(b.WaitForNote))
		start := time.Now()
		if out := mcptooltest.Call[WaitForNoteIn, WaitForNoteOut](t, wait, WaitForNoteIn{Seconds: 2.5}); out.Note != nil || time.Since(start) != 2500*time.Millisecond {
			t.Errorf("got %+v after %v", out.Note, time.Since(start))
		}
		go func() {
			time.Sleep(time.Second)
			mcptooltest.Call[AddNoteIn, Note](t, add, AddNoteIn{Text: "now"})
		}()
		if out := mcptooltest.Call[WaitForNoteIn, WaitForNoteOut](t, wait, WaitForNoteIn{Seconds: 10}); out.Note == nil || out.Note.Text != "now" {
			t.Errorf("got %+v", out.Note)
		}
	})
}

// TestEveryClient checks that no client rejects the schemas, except that OpenAI's strict mode requires null for
// optional members, which others reject.
func TestEveryClient(t *testing.T) {
	t.Parallel()
	b := newNotebook()
	for _, tool := range []*mcptool.Tool{
		must(t)(mcptool.New(b.AddNote)), must(t)(mcptool.New(b.ListNotes)), must(t)(mcptool.New(b.WaitForNote)), must(t)(mcptool.New(WhoAmI)),
	} {
		for _, profile := range lint.Profiles() {
			in, errIn := lint.Document(tool.InputSchema().JSON(), reflectschema.DirectionInput, profile)
			out, errOut := lint.Document(tool.OutputSchema().JSON(), reflectschema.DirectionOutput, profile)
			if errIn != nil || errOut != nil {
				t.Errorf("%s: %v, %v", tool.Info().Name, errIn, errOut)
			}
			for _, f := range slices.Concat(in, out) {
				if f.Rule.Severity == lint.SeverityRefused && f.Rule.Name != "optional-property" {
					t.Errorf("%s: %s", tool.Info().Name, f)
				}
			}
		}
	}
}
