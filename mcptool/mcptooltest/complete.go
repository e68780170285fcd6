package mcptooltest

import (
	"context"
	"log/slog"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

const methodComplete = "completion/complete"

// complete requests completions of an argument of an item as the client.
func complete(ctx context.Context, c *Client, i *item, argument, typed string, known map[string]string) ([]string, error) {
	params := i.completion(argument, typed, known)
	if c.URL != "" {
		var result callResult
		err := httpCaller{c}.request(ctx, &httpRequest{method: methodComplete, name: i.name, params: params}, &result)
		if err != nil {
			return nil, err
		}
		return result.suggestions(), nil
	}
	if err := c.admits(ctx, i.runner, ""); err != nil {
		return nil, err
	}
	registry, log := &mcptool.Registry{}, &defects{}
	if err := i.addTo(registry); err != nil {
		return nil, err
	}
	srv := &runtime.Server{Name: "mcptooltest", Version: "1", Tools: registry, CallContext: c.CallContext, Logger: slog.New(log)}
	transport.IgnoreRates(srv)
	p, err := dial(ctx, srv, log, modernRevision, string(c.declared()))
	if err != nil {
		return nil, err
	}
	defer p.close(ctx)
	a, err := p.request(ctx, request{method: methodComplete, params: params, access: c.access()})
	switch {
	case err != nil:
		return nil, err
	case a.refusal != nil:
		return nil, a.refusal
	}
	return a.result.suggestions(), nil
}
