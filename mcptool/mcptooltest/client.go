package mcptooltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// Refusal is an element of [Client.Answers] that means that the user does not answer the request. The zero value is not
// valid.
type Refusal string

// The kinds of Refusal.
const (
	RefusalDecline Refusal = "decline" // the user refuses: mcptool.ErrDeclined
	RefusalDismiss Refusal = "cancel"  // the user closes the question: mcptool.ErrDismissed
)

// ErrHidden is the error of a request if the tool, prompt or resource does not exist for the caller, because the caller
// does not have all of its scopes, or because of [mcptool.VisibleIf]. A server does not list it for such a caller and
// refuses the request. Test with [errors.Is].
var ErrHidden = errors.New("hidden from the caller")

// Client is a client for tests of tools, prompts and resources that send requests to the client, for example with
// [mcptool.Elicit], that use the caller's identity, report progress, log, or run as tasks. Use it with [CallAs],
// [PromptAs], [ReadAs], [StartTask], [Subscribe], or its methods, for one call at a time; the func that runs may use it
// concurrently. The zero value is a client that the server trusts, as over stdio, and that has no answers: a request to it
// is an error of the call.
//
// It also calls tools outside of tests, for an adapter that has no server: a tool then has answers, a log and progress.
type Client struct {
	// Tenant is the tenant of the caller as if verified by a server; "", the default, means none. It has no effect
	// without a Principal or Scopes.
	Tenant string
	// Principal is the principal of the caller as if verified by a server; tools get it in [mcptool.CallInfo]. "" means
	// unauthenticated.
	Principal string
	// Scopes are the scopes granted to the caller; see [mcptool.Scopes]. With a Principal, nil means none. Without a
	// Principal, nil means a trusted caller that may use every tool, and an empty slice means no scopes.
	Scopes []string
	// Claims is the JSON object that tools get in [mcptool.CallInfo]; nil means none. It has no effect without a
	// Principal or Scopes, because a trusted caller has no token.
	Claims json.RawMessage
	// CallContext is the CallContext of the server ([runtime.Server]), for funcs that need a value in their context, such
	// as the data of the caller's tenant. It is called before each run of a func that is called, also by [Client.Check],
	// [Client.Fuzz], [Client.Bench] and [StartTask]. If it returns an error, the call fails with that. It has no effect
	// with a URL. The default, nil, changes nothing.
	CallContext func(ctx context.Context) (context.Context, error)
	// Answers are the answers to requests, in the order of the requests. The answer to a form is a value whose JSON
	// fits the form, such as a struct or a map; to [mcptool.Confirm] and [mcptool.ElicitURL] it is a bool; to
	// [mcptool.SamplePart] a [mcptool.SampleResult], of which Text, Model and StopReason are used; to [mcptool.RootsPart] a
	// []mcptool.Root. [RefusalDecline] and [RefusalDismiss] mean that the user does not answer. An error is the error of
	// the request.
	Answers []any
	// Replay makes it a client of revision 2026-07-28: each request ends the run of the func, which then runs again
	// from the top with the answer. Without Replay the func waits for the answer. Test both: Replay reveals a func that
	// does something twice, or that sends a different request in the second run. A func that ignores the error of a
	// request and returns a result fails with an [*mcptool.AskError].
	Replay bool
	// Capabilities is the JSON object of the declared capabilities; nil means elicitation (both modes), sampling and
	// roots.
	Capabilities json.RawMessage
	// URL is the endpoint of a server over HTTP, as [HTTP] sets it. It makes this a client of revision
	// 2026-07-28, which calls tools, prompts and resources of the server by their names and URIs.
	// [ErrHidden] means status 403. Key and Sample of [Client.Asked] and the _meta of results are not
	// set, and [Client.LogRecords] returns nothing. Tenant, Principal, Scopes, Claims and Replay have no effect on calls.
	// "", the default, means that calls need no server.
	URL string
	// Header is added to each request to URL. The default is none.
	Header http.Header

	mu      sync.Mutex
	asked   []Request
	run     *replay.Run
	open    map[string]*ask.Request // by content; nil if requests are answered at once
	reports []ProgressReport
	begun   bool // the run has reported progress
	records []slog.Record
}

// Request is a request that a [Client] has received.
type Request struct {
	// Capability is the capability that the request needs, named as for [mcptool.CallInfo.Supports]: "elicitation.form",
	// "elicitation.url", "sampling" or "roots".
	Capability string
	// Key is the key that the tool has set with [mcptool.Key]; "" if it has set none.
	Key string
	// Message is the text for the user, of [mcptool.Elicit], [mcptool.Confirm] and [mcptool.ElicitURL].
	Message string
	// Form is the JSON Schema of the form, as clients from revision 2025-11-25 on get it; nil if there is none.
	Form json.RawMessage
	// URL is the address of the page, of [mcptool.ElicitURL].
	URL string
	// Sample is the input for the model, of [mcptool.SamplePart]; nil for other requests.
	Sample *mcptool.SampleRequest
}

// Asked returns the requests that the client has received in all calls, in order.
func (c *Client) Asked() []Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.asked)
}

// Context returns a context with which a test calls funcs of [mcptool.Complete] and [mcptool.ListWith] as the client.
// Replay and CallContext have no effect on them.
func (c *Client) Context(ctx context.Context) context.Context {
	return internals.WithHost(ctx, host{c})
}

// inServer returns the context that a server with the CallContext of the client passes to a func, for a context with the
// client as its host.
func (c *Client) inServer(ctx context.Context) (context.Context, error) {
	if c.CallContext == nil {
		return ctx, nil
	}
	return c.CallContext(ctx)
}

// Call calls the tool by the client, as [mcptool.Tool.Call] does; use it to test errors. If Replay is set, it calls the
// tool again whenever there are new answers. The error can also be [ErrHidden], or an error of [Client.Answers].
func (c *Client) Call(ctx context.Context, tool *mcptool.Tool, args []byte) (*mcptool.Result, error) {
	if c.URL != "" {
		return httpCaller{c}.call(ctx, tool, args)
	}
	if err := c.admit(ctx, tool); err != nil {
		return nil, err
	}
	var result *mcptool.Result
	err := c.converse(ctx, tool.Info().Name, func(ctx context.Context) (err error) {
		result, err = tool.Call(ctx, args)
		if err == nil && result.IsError && c.run.Pending() > 0 {
			return mcptool.ErrAnswerPending // a server also discards the result
		}
		return err
	})
	return result, err
}

// Prompt renders the prompt for the client, as [mcptool.Prompt.Get] does; use it to test errors. If Replay is set, it
// runs the func again whenever there are new answers. The error can also be [ErrHidden], or an error of
// [Client.Answers].
func (c *Client) Prompt(ctx context.Context, prompt *mcptool.Prompt, args map[string]string) (*mcptool.PromptResult, error) {
	if c.URL != "" {
		return httpCaller{c}.prompt(ctx, prompt, args)
	}
	if err := c.admitPrompt(ctx, prompt); err != nil {
		return nil, err
	}
	var result *mcptool.PromptResult
	err := c.converse(ctx, prompt.Info().Name, func(ctx context.Context) (err error) {
		result, err = prompt.Get(ctx, args)
		return err
	})
	return result, err
}

// Read reads the URI from the resource for the client, as [mcptool.Resource.Read] does; use it to test errors. If
// Replay is set, it runs the func again whenever there are new answers. The error can also be [ErrHidden], or an error
// of [Client.Answers].
func (c *Client) Read(ctx context.Context, resource *mcptool.Resource, uri string) ([]mcptool.ResourceContents, error) {
	if c.URL != "" {
		return httpCaller{c}.read(ctx, uri)
	}
	if err := c.admits(ctx, internals.Runner(resource), uri); err != nil {
		return nil, err
	}
	var contents []mcptool.ResourceContents
	err := c.converse(ctx, uri, func(ctx context.Context) (err error) {
		contents, err = resource.Read(ctx, uri)
		return err
	})
	return contents, err
}

// CompletePrompt requests completions of an argument of the prompt ([mcptool.Complete]), of which the user has typed a
// part. Known has the arguments that are known already; nil means none. It returns the suggestions that a client of
// revision 2026-07-28 gets, none if the prompt completes nothing. The error can also be [ErrHidden]. Rate limits do not
// apply without a URL.
func (c *Client) CompletePrompt(ctx context.Context, prompt *mcptool.Prompt, argument, typed string, known map[string]string) ([]string, error) {
	return complete(ctx, c, promptItem(prompt), argument, typed, known)
}

// CompleteResource is [Client.CompletePrompt] for a variable of a resource template.
func (c *Client) CompleteResource(ctx context.Context, template *mcptool.Resource, variable, typed string, known map[string]string) ([]string, error) {
	i, err := resourceItem(template)
	if err != nil {
		return nil, err
	}
	return complete(ctx, c, i, variable, typed, known)
}

// Subscribe is the func [Subscribe], but returns an error; use it to test that a caller may not subscribe. The error is
// [ErrHidden] if the server refuses a URI: no resource has it, or the caller may not read it ([mcptool.Scopes],
// [mcptool.VisibleIf], [mcptool.MayRead]).
func (c *Client) Subscribe(tb testing.TB, srv *runtime.Server, uris ...string) (*Subscription, error) {
	tb.Helper()
	return newSubscription(tb, c, srv, uris)
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

// ProgressReports returns the progress reports of all calls, in order. A report is dropped if its Done is not greater
// than the Done of the previous one in the same run of a tool, as a server does. Unlike on a server, the rate of
// reports is not limited.
func (c *Client) ProgressReports() []ProgressReport {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.reports)
}

// LogRecords returns the records that the tools have logged with [mcptool.Logger] in all calls, at every level, in
// order. The records include the attributes and groups of [slog.Logger.With] and [slog.Logger.WithGroup].
func (c *Client) LogRecords() []slog.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.records)
}

// converse runs a func of the named tool, prompt or resource with the client as its host. If Replay is set, it runs the
// func again whenever there are new answers.
func (c *Client) converse(ctx context.Context, name string, run func(context.Context) error) error {
	if c.Replay {
		c.open = map[string]*ask.Request{}
	}
	defer func() { c.run, c.open = nil, nil }()
	var log replay.Log
	var given map[string]json.RawMessage
	for {
		c.run = replay.NewRun(log, given)
		c.beginRun()
		called, err := c.inServer(c.Context(ctx))
		if err == nil {
			err = run(called)
		}
		var pending []replay.Pending
		if log, pending = c.run.End(); len(pending) == 0 {
			return err
		}
		if err == nil {
			return &mcptool.AskError{Tool: name, Err: replay.ErrIgnored}
		}
		given = map[string]json.RawMessage{}
		for _, p := range pending {
			given[p.Key], err = host{c}.answer(c.open[string(p.Content)])
			if err != nil {
				return err
			}
		}
	}
}

// beginRun records that a run begins; its first progress report may have any value.
func (c *Client) beginRun() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = false
}

// answered ends the test if there are answers that were not used.
func (c *Client) answered(tb testing.TB, who string) {
	tb.Helper()
	if asked := len(c.Asked()); asked < len(c.Answers) {
		tb.Fatalf("%s sent %d requests, want %d, one for each answer", who, asked, len(c.Answers))
	}
}

// declared returns the capabilities that the client has declared.
func (c *Client) declared() json.RawMessage {
	if c.Capabilities == nil {
		return json.RawMessage(everything)
	}
	return c.Capabilities
}

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

// visible returns the items for which admit returns no error.
func visible[T any](ctx context.Context, items iter.Seq[T], admit func(context.Context, T) error) []T {
	return slices.DeleteFunc(slices.Collect(items), func(item T) bool { return admit(ctx, item) != nil })
}

// orDefault returns the registry, the default one for nil.
func orDefault(registry *mcptool.Registry) *mcptool.Registry {
	if registry == nil {
		return mcptool.Default
	}
	return registry
}
