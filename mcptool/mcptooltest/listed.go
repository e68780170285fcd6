package mcptooltest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// entry is the entry of a tool in tools/list.
type entry struct {
	Name         string           `json:"name"`
	Title        *string          `json:"title"`
	Description  *string          `json:"description"`
	InputSchema  json.RawMessage  `json:"inputSchema"`
	OutputSchema json.RawMessage  `json:"outputSchema"`
	Annotations  map[string]any   `json:"annotations"`
	Icons        []map[string]any `json:"icons"`
	Meta         map[string]any   `json:"_meta"`
}

// listed checks the entry of the tool in the list for clients of the revision, and returns its output schema; nil if it
// has none. It reports whether the tool is hidden.
func (t *trial) listed(ctx context.Context, p *peer) (output *reflectschema.Schema, hidden bool) {
	ctx, cancel := context.WithTimeout(ctx, t.settings.within)
	defer cancel()
	wrong := func(format string, args ...any) {
		t.fail(fmt.Sprintf("%s, in revision %s: tools/list: ", t.tool.Info().Name, p.revision) + fmt.Sprintf(format, args...))
	}
	a, err := p.request(ctx, request{method: "tools/list", access: t.settings.client.access()})
	switch {
	case err != nil:
		wrong("%v", err)
		return nil, false
	case a.result != nil && len(a.result.Tools) == 0 && t.settings.hides(t.tool):
		return nil, true
	case a.result == nil || len(a.result.Tools) != 1:
		wrong("want one tool, got %s", a.raw)
		return nil, false
	}
	var e entry
	if err := json.Unmarshal(a.result.Tools[0], &e); err != nil {
		wrong("%s has a member of the wrong type: %v", a.result.Tools[0], err)
		return nil, false
	}
	if e.Name != t.tool.Info().Name {
		wrong("want the name %q, got %q", t.tool.Info().Name, e.Name)
	}
	input, err := reflectschema.ParseSchema(e.InputSchema)
	switch {
	case err != nil:
		wrong("inputSchema: %v", err)
	case !input.IsObject():
		wrong("inputSchema is not of type object: %s", e.InputSchema)
	}
	if e.OutputSchema == nil {
		return nil, false
	}
	if output, err = reflectschema.ParseSchema(e.OutputSchema); err != nil {
		wrong("outputSchema: %v", err)
		return nil, false
	}
	return output, false
}

// hidden is, for each peer, whether the tested item is hidden from the caller.
type hidden []bool

// not returns the number of peers from which it is not hidden.
func (h hidden) not() (n int) {
	for _, hidden := range h {
		if !hidden {
			n++
		}
	}
	return n
}

// noteHidden notes how many revisions were not tested.
func (r *report) noteHidden(h hidden) {
	if n := len(h) - h.not(); n > 0 && n < len(h) { // otherwise the test is skipped
		r.note("hidden from the caller by VisibleIf, and therefore not tested, in %d of %d revisions", n, len(h))
	}
}

// skipHidden skips the test if the item is hidden in every revision: it would pass without a call.
func (r *report) skipHidden(tb testing.TB, h hidden) {
	tb.Helper()
	if h.not() == 0 && len(r.failures) == 0 {
		tb.Skipf("the %s is hidden from the caller by its scopes or by VisibleIf; test as another caller with the methods of a Client", r.noun)
	}
}

// listed checks the entry of the item in the list, and reports whether it is hidden.
func (t *itemTrial) listed(ctx context.Context, p *peer) (hidden bool) {
	method, key := t.item.listing()
	wrong := func(format string, args ...any) {
		t.fail(fmt.Sprintf("%s, in revision %s: %s: ", t.name, p.revision, method) + fmt.Sprintf(format, args...))
	}
	a, err := t.request(ctx, p, method, "", nil)
	switch {
	case err != nil:
		wrong("%v", err)
		return false
	case a.result == nil:
		wrong("want a list, got %s", a.raw)
		return false
	}
	entries := a.result.entries()
	if len(entries) == 0 && t.settings.hides(t.item.runner) {
		return true
	}
	if len(entries) != 1 {
		wrong("want one %s, got %s", t.noun, a.raw)
		return false
	}
	var entry map[string]any
	if err := json.Unmarshal(entries[0], &entry); err != nil || entry[key] != t.item.name {
		wrong("want an entry with the %s %q, got %s", key, t.item.name, entries[0])
	}
	return false
}
