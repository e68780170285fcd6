package goclients_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// serveKey is the environment variable that makes the test binary the server.
const serveKey = "MCPTOOL_GOCLIENTS_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveKey) == "" {
		flag.Parse()
		// The tests mostly wait, so they need not have a processor each.
		if err := flag.Set("test.parallel", "20"); err != nil {
			panic(err)
		}
		os.Exit(m.Run())
	}
	srv, err := newServer()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	stdio.Main(srv)
}

// pageSize is the number of items per page. The resources take more than one page.
const pageSize = 4

// The resources and other names of the server.
const (
	textURI    = "mem:///text"
	blobURI    = "mem:///blob"
	jsonURI    = "mem:///json"
	counterURI = "mem:///counter"
	noteURI    = "mem:///notes/{id}"
	fileURI    = "docs:///style/review.md"
)

// blob is invalid UTF-8.
var blob = []byte{0x89, 'P', 'N', 'G', 0, 0xff}

// noteIDs are the notes of the template.
var noteIDs = []string{"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "größe"}

type (
	none struct{}

	// Note is a note.
	Note struct {
		ID   string `json:"id"`
		Full bool   `json:"full"`
	}
	// NoteIn contains the variables of the URI of a note.
	NoteIn struct {
		_    struct{} `mcp:"name=note,uri=mem:///notes/{id}{?full}" doc:"A note"`
		ID   string   `json:"id"`
		Full bool     `json:"full,omitzero"`
	}
	// ReviewIn contains the arguments of the prompt.
	ReviewIn struct {
		_     struct{} `mcp:"name=review,title=Review a note" doc:"Review a note"`
		ID    string   `json:"id" doc:"The note"`
		Tone  string   `json:"tone" jsonschema:"enum=friendly,enum=strict,default=friendly"`
		Words int      `json:"words" jsonschema:"minimum=1,default=100"`
	}
	// TouchIn is how often to increment the counter.
	TouchIn struct {
		_     struct{} `mcp:"name=touch" doc:"Count up every millisecond, and tell who has subscribed each time"`
		Times int      `json:"times" jsonschema:"minimum=1"`
	}
)

// newServer returns a server with a separate registry.
func newServer() (*runtime.Server, error) {
	registry := &mcptool.Registry{}
	s := &state{registry: registry}
	for _, add := range []func() error{s.addTools, s.addPrompts, s.addResources} {
		if err := add(); err != nil {
			return nil, err
		}
	}
	return &runtime.Server{
		Name: "goclients", Version: "1.0.0", Tools: registry,
		Limits: runtime.Limits{ToolsPerPage: pageSize},
	}, nil
}

// state is the state that tools change.
type state struct {
	registry *mcptool.Registry
	counter  atomic.Int64
	extra    atomic.Bool
}

func (s *state) addTools() error {
	touch, err := mcptool.New(func(_ context.Context, in TouchIn) (string, error) {
		for range in.Times {
			time.Sleep(time.Millisecond)
			s.counter.Add(1)
			s.registry.ResourceUpdated(counterURI)
		}
		return fmt.Sprint(s.counter.Load()), nil
	})
	if err != nil {
		return err
	}
	toggle, err := mcptool.New(func(context.Context, none) (none, error) { return none{}, s.toggle() },
		mcptool.Name("toggle"), mcptool.Description("Add a prompt and a resource, or remove them"))
	if err != nil {
		return err
	}
	return s.registry.Add(touch, toggle)
}

// toggle adds a prompt and a resource, or removes them.
func (s *state) toggle() error {
	text := func(context.Context, none) (string, error) { return "extra", nil }
	prompt, err := mcptool.NewPrompt(text, mcptool.Name("extra"), mcptool.Description("An extra one"))
	if err != nil {
		return err
	}
	resource, err := mcptool.NewResource(text, mcptool.Name("extra"), mcptool.URI("mem:///extra"))
	if err != nil {
		return err
	}
	if s.extra.Swap(!s.extra.Load()) {
		s.registry.Remove(prompt, resource)
		return nil
	}
	return s.registry.Add(prompt, resource)
}

func (s *state) addPrompts() error {
	review, err := mcptool.NewPrompt(reviewMessages, mcptool.Complete("id",
		func(_ context.Context, prefix string, in ReviewIn) ([]string, error) {
			if in.Tone == "strict" {
				return []string{"strictly-" + prefix}, nil
			}
			return withPrefix(prefix), nil
		}))
	if err != nil {
		return err
	}
	plain, err := mcptool.NewPrompt(func(context.Context, none) (string, error) { return "plain", nil },
		mcptool.Name("plain"), mcptool.Description("No arguments"))
	if err != nil {
		return err
	}
	return s.registry.Add(review, plain)
}

// reviewMessages returns a message of each type in a revision.
func reviewMessages(_ context.Context, in ReviewIn) ([]mcptool.Message, error) {
	return []mcptool.Message{
		{Content: mcptool.Text{Text: fmt.Sprintf("Review %s, %s, in %d words.", in.ID, in.Tone, in.Words)}},
		{Role: mcptool.RoleAssistant, Content: mcptool.Image{Data: blob, MIMEType: "image/png"}},
		{Content: mcptool.Audio{Data: blob, MIMEType: "audio/wav"}},
		{Content: mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: textURI, MIMEType: "text/plain", Text: "text"}}},
		{Content: mcptool.ResourceLink{URI: jsonURI, Name: "json"}},
	}, nil
}

func (s *state) addResources() error {
	text, err := mcptool.NewResource(func(context.Context, none) (string, error) { return "Größe", nil },
		mcptool.Name("text"), mcptool.URI(textURI))
	if err != nil {
		return err
	}
	binary, err := mcptool.NewResource(func(context.Context, none) ([]byte, error) { return blob, nil },
		mcptool.Name("blob"), mcptool.URI(blobURI), mcptool.MIMEType("image/png"))
	if err != nil {
		return err
	}
	value, err := mcptool.NewResource(func(context.Context, none) (Note, error) { return Note{ID: "one"}, nil },
		mcptool.Name("json"), mcptool.URI(jsonURI))
	if err != nil {
		return err
	}
	counter, err := mcptool.NewResource(func(context.Context, none) (string, error) { return fmt.Sprint(s.counter.Load()), nil },
		mcptool.Name("counter"), mcptool.URI(counterURI))
	if err != nil {
		return err
	}
	note, err := mcptool.NewResource(readNote, mcptool.ListWith(listNotes),
		mcptool.Complete("id", func(_ context.Context, prefix string, _ NoteIn) ([]string, error) { return withPrefix(prefix), nil }))
	if err != nil {
		return err
	}
	files := mcptool.Files(fstest.MapFS{"style/review.md": {Data: []byte("# Review\n")}}, "docs:///", mcptool.Title("Documents"))
	return s.registry.Add(text, binary, value, counter, note, files)
}

func readNote(_ context.Context, in NoteIn) (Note, error) {
	for _, id := range noteIDs {
		if id == in.ID {
			return Note{ID: in.ID, Full: in.Full}, nil
		}
	}
	return Note{}, fmt.Errorf("note %q: %w", in.ID, mcptool.ErrResourceNotFound)
}

// listNotes lists two notes per page.
func listNotes(_ context.Context, cursor string) (page []mcptool.ResourceLink, next string, err error) {
	from := 0
	if cursor != "" {
		if _, err := fmt.Sscan(cursor, &from); err != nil {
			return nil, "", err
		}
	}
	to := min(from+2, len(noteIDs))
	for _, id := range noteIDs[from:to] {
		page = append(page, mcptool.ResourceLink{URI: noteLink(id), Name: id})
	}
	if to < len(noteIDs) {
		next = fmt.Sprint(to)
	}
	return page, next, nil
}

// noteLink returns the URI of a note, encoded as RFC 6570 does.
func noteLink(id string) string {
	return "mem:///notes/" + strings.NewReplacer("ö", "%C3%B6", "ß", "%C3%9F").Replace(id)
}

func withPrefix(prefix string) (ids []string) {
	for _, id := range noteIDs {
		if strings.HasPrefix(id, prefix) {
			ids = append(ids, id)
		}
	}
	return ids
}
