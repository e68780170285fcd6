// Package journal is a third-party protocol extension: a journal that clients list, and that tools write to. It uses only
// the public API.
package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// ID identifies the extension.
const ID = "com.example/journal"

var client = &mcptool.ClientExtension{ID: ID}

// Recorded is an option of a tool: its calls are recorded in the journal, which its metadata shows to clients that declare the extension.
func Recorded() mcptool.ToolOption {
	return mcptool.Attach(mcptool.Attachment{Extension: client, Meta: map[string]any{ID: map[string]bool{"recorded": true}}})
}

// Journal is a journal in memory.
type Journal struct {
	mu      sync.Mutex
	entries []Entry
}

// Entry is an entry of a journal.
type Entry struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

func (j *Journal) write(text string) Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	e := Entry{fmt.Sprintf("%03d", len(j.entries)+1), text}
	j.entries = append(j.entries, e)
	return e
}

// Extension returns the extension that serves the journal.
func (j *Journal) Extension() (runtime.Extension, error) {
	all, err := mcptool.NewResource(j.read, mcptool.Name("journal"), mcptool.URI("journal://all"), mcptool.MIMEType("application/json"))
	return runtime.Extension{
		ID: ID, Settings: map[string][]string{"kinds": {"call", "mark"}}, Required: true,
		Methods:       []runtime.Method{{Name: "journal/list", Handle: runtime.Typed(j.list), Cache: &runtime.CacheHint{}}},
		Notifications: map[string]func(context.Context, json.RawMessage){"journal/mark": j.mark},
		Resources:     []*mcptool.Resource{all},
		Middleware:    []mcptool.Middleware{j.record},
	}, err
}

type listIn struct {
	Cursor *string `json:"cursor,omitzero"`
}

type listOut struct {
	Entries    []Entry `json:"entries"`
	NextCursor string  `json:"nextCursor,omitzero"`
}

// list answers journal/list.
func (j *Journal) list(ctx context.Context, in listIn) (listOut, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	page, next, err := runtime.Page(ctx, j.entries, func(e Entry) string { return e.Key }, in.Cursor)
	return listOut{page, next}, err
}

// read reads the journal as a resource.
func (j *Journal) read(context.Context, struct{}) ([]Entry, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]Entry{}, j.entries...), nil
}

// mark handles the notification journal/mark.
func (j *Journal) mark(ctx context.Context, params json.RawMessage) {
	var in struct{ Label string }
	if json.Unmarshal(params, &in) == nil {
		settings, _ := mcptool.Extension(ctx, ID)
		j.write("mark " + in.Label + " " + string(settings))
	}
}

// record writes each call into the journal, and notifies clients that declare the extension.
func (j *Journal) record(next mcptool.Handler) mcptool.Handler {
	return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
		e := j.write("call " + mcptool.Caller(ctx).Tool)
		settings, declared := mcptool.Extension(ctx, ID)
		if !declared {
			return next(ctx, args)
		}
		if err := runtime.Notify(ctx, "journal/added", map[string]any{"entry": e, "for": json.RawMessage(settings)}); err != nil {
			return nil, err
		}
		res, err := next(ctx, args)
		if err == nil {
			res.Meta = map[string]any{ID: e.Key}
		}
		return res, err
	}
}
