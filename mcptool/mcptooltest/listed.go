package mcptooltest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// entry is a tool as tools/list shows it.
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

// listed looks at what a client of the revision is shown of the tool, and returns the schema
// that it is promised of results, nil for none.
func (t *trial) listed(ctx context.Context, p *peer) *reflectschema.Schema {
	ctx, cancel := context.WithTimeout(ctx, t.settings.within)
	defer cancel()
	wrong := func(format string, args ...any) {
		t.fail(fmt.Sprintf("%s, in revision %s: tools/list: ", t.tool.Name(), p.revision) + fmt.Sprintf(format, args...))
	}
	a, err := p.request(ctx, request{method: "tools/list"})
	switch {
	case err != nil:
		wrong("%v", err)
		return nil
	case a.result == nil || len(a.result.Tools) != 1:
		wrong("want one tool, got %s", a.raw)
		return nil
	}
	var e entry
	if err := json.Unmarshal(a.result.Tools[0], &e); err != nil {
		wrong("%s has a member of the wrong type: %v", a.result.Tools[0], err)
		return nil
	}
	if e.Name != t.tool.Name() {
		wrong("want the name %q, got %q", t.tool.Name(), e.Name)
	}
	input, err := reflectschema.ParseSchema(e.InputSchema)
	switch {
	case err != nil:
		wrong("inputSchema: %v", err)
	case !input.IsObject():
		wrong("inputSchema is not of type object: %s", e.InputSchema)
	}
	if e.OutputSchema == nil {
		return nil
	}
	output, err := reflectschema.ParseSchema(e.OutputSchema)
	if err != nil {
		wrong("outputSchema: %v", err)
		return nil
	}
	return output
}
