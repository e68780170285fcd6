package mcptooltest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime"
)

// Functions of other packages that are not in their APIs.
var (
	internals = mcptool.Internal(private.Key{})
	schemas   = reflectschema.Internal(private.Key{})
	transport = runtime.Internal(private.Key{})
)

// ErrHidden is the error of a request if the tool, prompt or resource does not exist for the caller, because the caller
// does not have all of its scopes, or because of [mcptool.VisibleIf]. A server does not list it for such a caller and
// refuses the request. Test with [errors.Is].
var ErrHidden = errors.New("hidden from the caller")

// access returns the caller of requests; nil if the server trusts it.
func (c *Client) access() *runtime.Access {
	if c.Principal == "" && c.Scopes == nil {
		return nil
	}
	return &runtime.Access{Tenant: c.Tenant, Principal: c.Principal, Scopes: c.Scopes, Claims: c.Claims}
}

// as returns a new client with the same caller, and these answers and capabilities.
func (c *Client) as(answers []any, capabilities []byte) *Client {
	return &Client{
		Tenant: c.Tenant, Principal: c.Principal, Scopes: c.Scopes, Claims: c.Claims, CallContext: c.CallContext,
		Answers: answers, Capabilities: capabilities,
	}
}

// Tools returns the tools of a registry that a server lists for the caller: those whose scopes it has, and for which
// [mcptool.VisibleIf] returns true. A nil registry means [mcptool.Default]. The conditions get the values of ctx.
func (c *Client) Tools(ctx context.Context, registry *mcptool.Registry) []*mcptool.Tool {
	return visible(ctx, orDefault(registry).Tools(), c.admit)
}

// Prompts returns the prompts of a registry that a server lists for the caller, as [Client.Tools] does.
func (c *Client) Prompts(ctx context.Context, registry *mcptool.Registry) []*mcptool.Prompt {
	return visible(ctx, orDefault(registry).Prompts(), c.admitPrompt)
}

// Resources returns the resources of a registry that a server lists for the caller, as [Client.Tools] does, and the
// templates. The resources under a template are not included.
func (c *Client) Resources(ctx context.Context, registry *mcptool.Registry) []*mcptool.Resource {
	return visible(ctx, orDefault(registry).Resources(), c.admitResource)
}

// orDefault returns the registry, the default one for nil.
func orDefault(registry *mcptool.Registry) *mcptool.Registry {
	if registry == nil {
		return mcptool.Default
	}
	return registry
}

// visible returns the items for which admit returns no error.
func visible[T any](ctx context.Context, items iter.Seq[T], admit func(context.Context, T) error) []T {
	return slices.DeleteFunc(slices.Collect(items), func(item T) bool { return admit(ctx, item) != nil })
}

// admit returns an error if the caller may not use the tool.
func (c *Client) admit(ctx context.Context, tool *mcptool.Tool) error { return c.admits(ctx, tool, "") }

// admitPrompt returns an error if the caller may not use the prompt.
func (c *Client) admitPrompt(ctx context.Context, prompt *mcptool.Prompt) error {
	return c.admits(ctx, internals.Runner(prompt), "")
}

// admitResource returns an error if the caller may not see the resource.
func (c *Client) admitResource(ctx context.Context, resource *mcptool.Resource) error {
	return c.admits(ctx, internals.Runner(resource), "")
}

// admits returns an error if the item of the runner does not exist for the caller. The URI is the one to read; "" if
// none is read.
func (c *Client) admits(ctx context.Context, runner *mcptool.Tool, uri string) error {
	info := host{c}.CallInfo()
	info.Resource = uri
	item := runner.Info()
	if !transport.Allows(c.access(), runner) {
		return fmt.Errorf("%s: %w: requires the scopes %q, and the caller has %q", item.Name, ErrHidden, item.Scopes, c.Scopes)
	}
	switch visible, err := internals.VisibleTo(c.Context(ctx), runner, info); {
	case err != nil:
		return fmt.Errorf("%w: the condition of VisibleIf failed: %w", ErrHidden, err)
	case !visible:
		return fmt.Errorf("%s: %w by the option VisibleIf", item.Name, ErrHidden)
	default:
		return nil
	}
}
