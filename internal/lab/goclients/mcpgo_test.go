package goclients_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"

	peer "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// mcpGo is a session of mcp-go.
type mcpGo struct {
	*peer.Client
	agreed acknowledgements
	stop   func()   // ends the subscription; nil if there is none
	uris   []string // the subscribed resources
}

// connectMCPGo connects and subscribes to list changes where that is needed.
func connectMCPGo(ctx context.Context, at target, revision string, seen events) (client, error) {
	started, err := startMCPGo(at, revision)
	if err != nil {
		return nil, err
	}
	c := &mcpGo{Client: started, agreed: make(acknowledgements, 100)}
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == acknowledged {
			c.agreed <- honoured(n.Params.AdditionalFields)
			return
		}
		uri, _ := n.Params.AdditionalFields["uri"].(string)
		seen <- event{n.Method, uri}
	})
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = revision
	request.Params.ClientInfo = mcp.Implementation{Name: "goclients", Version: "1.0.0"}
	if _, err := c.Initialize(ctx, request); err != nil {
		return nil, err
	}
	return c, c.listen(ctx)
}

// startMCPGo returns a client that has not been initialized.
func startMCPGo(at target, revision string) (*peer.Client, error) {
	if at.url == "" {
		return peer.NewStdioMCPClientWithOptions(os.Args[0], environment(), nil, transport.WithCommandStderrWriter(os.Stderr))
	}
	options := []transport.StreamableHTTPCOption{transport.WithHTTPLogger(slog.New(slog.DiscardHandler))}
	if revision < modern {
		// Without this option, it opens no stream for notifications.
		options = append(options, transport.WithContinuousListening()) //nolint:staticcheck // older revisions have nothing else
	}
	return peer.NewStreamableHttpClient(at.url, options...)
}

// listen resubscribes to everything in revisions with such subscriptions.
func (c *mcpGo) listen(ctx context.Context) error {
	if c.Revision() < modern {
		return nil
	}
	if c.stop != nil {
		c.stop()
	}
	stop, err := c.ListenAsync(context.WithoutCancel(ctx), mcp.SubscriptionFilter{
		PromptsListChanged: true, ResourcesListChanged: true, ResourceSubscriptions: c.uris,
	}, nil)
	if err != nil {
		return err
	}
	c.stop = stop
	return c.agreed.wait(ctx, c.Revision(), c.uris...)
}

// honoured returns the URIs in the params of an acknowledgement.
func honoured(params map[string]any) []string {
	type acknowledgement struct {
		Notifications mcp.SubscriptionFilter `json:"notifications"`
	}
	got, err := convert[acknowledgement](params)
	if err != nil {
		return []string{err.Error()}
	}
	return got.Notifications.ResourceSubscriptions
}

func (c *mcpGo) Revision() string { return c.ProtocolVersion() }

func (c *mcpGo) Prompts(ctx context.Context) ([]item, int, error) {
	return follow(func(cursor string) (any, string, error) {
		request := mcp.ListPromptsRequest{}
		request.Params.Cursor = mcp.Cursor(cursor)
		page, err := c.ListPromptsByPage(ctx, request)
		if err != nil {
			return nil, "", err
		}
		return page.Prompts, string(page.NextCursor), nil
	})
}

func (c *mcpGo) Resources(ctx context.Context) ([]item, int, error) {
	return follow(func(cursor string) (any, string, error) {
		request := mcp.ListResourcesRequest{}
		request.Params.Cursor = mcp.Cursor(cursor)
		page, err := c.ListResourcesByPage(ctx, request)
		if err != nil {
			return nil, "", err
		}
		return page.Resources, string(page.NextCursor), nil
	})
}

func (c *mcpGo) Templates(ctx context.Context) ([]item, int, error) {
	return follow(func(cursor string) (any, string, error) {
		request := mcp.ListResourceTemplatesRequest{}
		request.Params.Cursor = mcp.Cursor(cursor)
		page, err := c.ListResourceTemplatesByPage(ctx, request)
		if err != nil {
			return nil, "", err
		}
		return page.ResourceTemplates, string(page.NextCursor), nil
	})
}

func (c *mcpGo) Prompt(ctx context.Context, name string, arguments map[string]string) (any, error) {
	request := mcp.GetPromptRequest{}
	request.Params.Name, request.Params.Arguments = name, arguments
	return c.GetPrompt(ctx, request)
}

func (c *mcpGo) Complete(ctx context.Context, ref reference, argument, prefix string, others map[string]string) (any, error) {
	request := mcp.CompleteRequest{}
	request.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: ref.prompt}
	if ref.template != "" {
		request.Params.Ref = mcp.ResourceReference{Type: "ref/resource", URI: ref.template}
	}
	request.Params.Argument = mcp.CompleteArgument{Name: argument, Value: prefix}
	request.Params.Context = mcp.CompleteContext{Arguments: others}
	return c.Client.Complete(ctx, request)
}

func (c *mcpGo) Read(ctx context.Context, uri string) (any, error) {
	request := mcp.ReadResourceRequest{}
	request.Params.URI = uri
	return c.ReadResource(ctx, request)
}

func (c *mcpGo) Subscribe(ctx context.Context, uri string) error {
	c.uris = append(c.uris, uri)
	if c.Revision() >= modern {
		return c.listen(ctx)
	}
	request := mcp.SubscribeRequest{}
	request.Params.URI = uri
	return c.Client.Subscribe(ctx, request) //nolint:staticcheck // older revisions have nothing else
}

func (c *mcpGo) Unsubscribe(ctx context.Context, uri string) error {
	c.uris = slices.DeleteFunc(c.uris, func(subscribed string) bool { return subscribed == uri })
	if c.Revision() >= modern {
		return c.listen(ctx)
	}
	request := mcp.UnsubscribeRequest{}
	request.Params.URI = uri
	return c.Client.Unsubscribe(ctx, request) //nolint:staticcheck // older revisions have nothing else
}

func (c *mcpGo) Call(ctx context.Context, tool string, arguments map[string]any) error {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = tool, arguments
	result, err := c.CallTool(ctx, request)
	if err == nil && result.IsError {
		err = fmt.Errorf("%s: %v", tool, result.Content)
	}
	return err
}

func (*mcpGo) Code(err error) int {
	switch {
	case errors.Is(err, mcp.ErrResourceNotFound):
		return mcp.RESOURCE_NOT_FOUND
	case errors.Is(err, mcp.ErrInvalidParams):
		return mcp.INVALID_PARAMS
	}
	return 0
}

func (c *mcpGo) Close() error {
	if c.stop != nil {
		c.stop()
	}
	return c.Client.Close()
}
