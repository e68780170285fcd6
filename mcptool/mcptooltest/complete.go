package mcptooltest

import (
	"context"
	"log/slog"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// CompletePrompt requests completions of an argument of the prompt ([mcptool.Complete]), of which the user has typed a
// part. Known has the arguments that are known already; nil means none. It returns the suggestions that a client of
// revision 2026-07-28 gets, none if the prompt completes nothing. The error can also be [ErrHidden]. Rate limits do not
// apply without a URL.
func (c *Client) CompletePrompt(ctx context.Context, prompt *mcptool.Prompt, argument, typed string, known map[string]string) ([]string, error) {
	return c.complete(ctx, promptItem(prompt), argument, typed, known)
}

// CompleteResource is [Client.CompletePrompt] for a variable of a resource template.
func (c *Client) CompleteResource(ctx context.Context, template *mcptool.Resource, variable, typed string, known map[string]string) ([]string, error) {
	i, err := resourceItem(template)
	if err != nil {
		return nil, err
	}
	return c.complete(ctx, i, variable, typed, known)
}

func (c *Client) complete(ctx context.Context, i *item, argument, typed string, known map[string]string) ([]string, error) {
	params := completionParams(i, argument, typed, known)
	if c.URL != "" {
		var result callResult
		if err := c.overHTTP(ctx, &httpRequest{method: methodComplete, name: i.name, params: params}, &result); err != nil {
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

// suggestions returns the values of a completion; nil if there are none.
func (r *callResult) suggestions() []string {
	if r.Completion == nil {
		return nil
	}
	return r.Completion.Values
}
