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
	c.listed.Store(newListed(tools))
	return tools, nil
}

// listed holds the parts of tools/list that calls need.
type listed struct {
	mirrors     map[string][]mirrored // by tool
	taskSupport map[string]string     // by tool; "" means forbidden
}

func newListed(tools []Tool) *listed {
	l := &listed{mirrors: map[string][]mirrored{}, taskSupport: map[string]string{}}
	for i := range tools {
		t := &tools[i]
		if fields := mirroredOf(t); len(fields) > 0 {
			l.mirrors[t.Name] = fields
		}
		if t.Execution != nil {
			l.taskSupport[t.Name] = t.Execution.TaskSupport
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
