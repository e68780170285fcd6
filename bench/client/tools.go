package client

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/bench/strictjson"
)

// maxPages is how many pages of tools/list are read before the server is taken for one
// that never comes to an end.
const maxPages = 10_000

// Tools returns the tools of the server, of all pages, in its order.
// All pages together may take [MaxExtension] times the timeout.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	return limited(ctx, c, "tools/list", c.allTools)
}

func (c *Client) allTools(ctx context.Context) ([]Tool, error) {
	tools := []Tool{}
	var params json.RawMessage
	last := ""
	for page := 0; ; page++ {
		raw, err := c.request(ctx, "tools/list", params)
		if err != nil {
			return nil, err
		}
		entries, next, err := readPage(raw)
		if err != nil {
			return nil, c.conn.unreachable("the answer to tools/list is not one: "+err.Error(), err)
		}
		tools = append(tools, entries...)
		if next == "" {
			markRepeated(tools)
			c.listed.Store(newListed(tools))
			return tools, nil
		}
		if next == last || page == maxPages {
			return nil, c.conn.unreachable(fmt.Sprintf("tools/list does not end: page %d refers to %q again", page+1, last), nil)
		}
		last = next
		if params, err = json.Marshal(map[string]string{"cursor": last}); err != nil {
			return nil, err
		}
	}
}

// readPage reads one result of tools/list. What is wrong with a single entry is no error, see [Tool.Problems].
func readPage(raw json.RawMessage) (tools []Tool, next string, err error) {
	members, twice, err := strictjson.Members(raw) // what is twice within an entry concerns that entry only
	if err != nil {
		return nil, "", err
	}
	for _, name := range []string{"tools", "nextCursor"} {
		if slices.Contains(twice, name) {
			return nil, "", fmt.Errorf("member %q occurs twice", name)
		}
	}
	if text, ok := members["nextCursor"]; ok {
		if err := strictjson.Decode(text, &next); err != nil {
			return nil, "", fmt.Errorf("%q is %s, not a string", "nextCursor", strictjson.Kind(text))
		}
	}
	var entries []json.RawMessage
	if text, ok := members["tools"]; ok {
		if err := json.Unmarshal(text, &entries); err != nil {
			return nil, "", fmt.Errorf("%q is %s, not an array", "tools", strictjson.Kind(text))
		}
	}
	tools = make([]Tool, len(entries))
	for i, entry := range entries {
		tools[i] = ReadTool(entry)
	}
	return tools, next, nil
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
