package client

import (
	"context"
	"encoding/json"
	"fmt"
)

// A Tool is one of tools/list.
type Tool struct {
	Name         string
	Title        string // "" if there is none; see DisplayTitle
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage // nil if there is none
	Annotations  *Annotations    // nil if there are none
	Execution    *Execution      // nil if there is none
	Icons        []Icon
	Meta         json.RawMessage `json:"_meta"`
	Raw          json.RawMessage `json:"-"` // the whole tool as it came
}

// Annotations are a tool's hints to clients; a nil hint was not given.
type Annotations struct {
	Title           string
	ReadOnlyHint    *bool
	DestructiveHint *bool
	IdempotentHint  *bool
	OpenWorldHint   *bool
}

// Execution says how a tool may be run.
type Execution struct {
	TaskSupport string // "forbidden", "optional" or "required"; "" means forbidden
}

// An Icon is a picture of a tool.
type Icon struct {
	Src      string
	MIMEType string `json:"mimeType"`
	Sizes    []string
}

// DisplayTitle returns what people should see instead of the name: the title, else that of
// the annotations, else "".
func (t *Tool) DisplayTitle() string {
	if t.Title == "" && t.Annotations != nil {
		return t.Annotations.Title
	}
	return t.Title
}

// ReadOnly reports whether the tool is annotated readOnlyHint: true, with exactly that member name. An absent hint
// means no. Servers may lie: it says what the server claims, not what the tool does.
func (t *Tool) ReadOnly() bool {
	var entry, hints map[string]json.RawMessage // encoding/json takes names of fields in any case, those of a map as they are
	return json.Unmarshal(t.Raw, &entry) == nil && json.Unmarshal(entry["annotations"], &hints) == nil && string(hints["readOnlyHint"]) == "true"
}

// UnmarshalJSON reads a tool and keeps the text as Raw.
func (t *Tool) UnmarshalJSON(data []byte) error {
	type plain Tool
	var p plain
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*t = Tool(p)
	t.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// maxPages is how many pages of tools/list are read before the server is taken for one
// that never comes to an end.
const maxPages = 10_000

// Tools returns the tools of the server, of all pages, in its order.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	tools := []Tool{}
	var params json.RawMessage
	last := ""
	for page := 0; ; page++ {
		raw, err := c.request(ctx, "tools/list", params)
		if err != nil {
			return nil, err
		}
		var list struct {
			Tools      []Tool
			NextCursor string
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, c.link.trouble("the answer to tools/list is not one: "+err.Error(), err)
		}
		tools = append(tools, list.Tools...)
		if list.NextCursor == "" {
			c.listed.Store(newListed(tools))
			return tools, nil
		}
		if list.NextCursor == last || page == maxPages {
			return nil, c.link.trouble(fmt.Sprintf("tools/list goes on for ever: page %d refers to %q again", page+1, last), nil)
		}
		last = list.NextCursor
		if params, err = json.Marshal(map[string]string{"cursor": last}); err != nil {
			return nil, err
		}
	}
}

// listed is what calls need to know of tools/list.
type listed struct {
	mirrors  map[string][]mirrored // by tool
	taskOnly map[string]bool       // tools whose taskSupport is "required"
}

func newListed(tools []Tool) *listed {
	l := &listed{mirrors: map[string][]mirrored{}, taskOnly: map[string]bool{}}
	for i := range tools {
		t := &tools[i]
		if fields := mirroredOf(t); len(fields) > 0 {
			l.mirrors[t.Name] = fields
		}
		if t.Execution != nil && t.Execution.TaskSupport == "required" {
			l.taskOnly[t.Name] = true
		}
	}
	return l
}

// list returns what calls need to know of tools/list, which is sent if nobody has sent it yet.
func (c *Client) list(ctx context.Context) (*listed, error) {
	if known := c.listed.Load(); known != nil {
		return known, nil
	}
	if _, err := c.Tools(ctx); err != nil {
		return nil, err
	}
	return c.listed.Load(), nil
}
