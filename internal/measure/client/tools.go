package client

import "context"

// Tools returns the tools of the server, from all pages, in server order. If a server does not declare tools and
// rejects the request, the result is empty. All pages together may take [MaxExtension] times the timeout.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	tools, err := listAll(ctx, c, "tools/list", "tools", ReadTool)
	if err != nil && asRefusal(err) != nil && !c.Declares("tools") {
		tools, err = []Tool{}, nil
	}
	if err != nil {
		return nil, err
	}
	markRepeated(tools)
	c.listed.Store(newListed(tools, c.opts.Tasks))
	return tools, nil
}

// listed holds the parts of tools/list that calls need.
type listed struct {
	mirrors  map[string][]mirrored // by tool
	taskOnly map[string]bool       // tools whose taskSupport is "required", or "optional" with Options.Tasks
}

func newListed(tools []Tool, tasks bool) *listed {
	l := &listed{mirrors: map[string][]mirrored{}, taskOnly: map[string]bool{}}
	for i := range tools {
		t := &tools[i]
		if fields := mirroredOf(t); len(fields) > 0 {
			l.mirrors[t.Name] = fields
		}
		if t.Execution != nil && (t.Execution.TaskSupport == "required" || tasks && t.Execution.TaskSupport == "optional") {
			l.taskOnly[t.Name] = true
		}
	}
	return l
}

// list returns the parts of tools/list that calls need. It lists the tools unless they were listed before.
func (c *Client) list(ctx context.Context) (*listed, error) {
	if known := c.listed.Load(); known != nil {
		return known, nil
	}
	if _, err := c.Tools(ctx); err != nil {
		return nil, err
	}
	return c.listed.Load(), nil
}
