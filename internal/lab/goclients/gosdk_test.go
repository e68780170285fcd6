package goclients_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// goSDK is a session of the official Go SDK.
type goSDK struct {
	session *mcp.ClientSession
	agreed  acknowledgements
}

// connectGoSDK connects. The client subscribes to list changes automatically.
func connectGoSDK(ctx context.Context, at target, revision string, seen events) (client, error) {
	agreed := make(acknowledgements, 100)
	peer := mcp.NewClient(&mcp.Implementation{Name: "goclients", Version: "1.0.0"}, &mcp.ClientOptions{
		PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { seen <- event{method: promptsChanged} },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { seen <- event{method: resourcesChanged} },
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			seen <- event{updated, r.Params.URI}
		},
	})
	peer.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if params, ok := req.GetParams().(*mcp.SubscriptionsAcknowledgedParams); ok {
				agreed <- params.Notifications.ResourceSubscriptions
			}
			return next(ctx, method, req)
		}
	})
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: at.url}
	if at.url == "" {
		command := exec.Command(os.Args[0])
		command.Env, command.Stderr = environment(), os.Stderr
		transport = &mcp.CommandTransport{Command: command, TerminateDuration: patience}
	}
	session, err := peer.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		return nil, err
	}
	c := &goSDK{session, agreed}
	return c, agreed.wait(ctx, revision)
}

func (c *goSDK) Revision() string { return c.session.InitializeResult().ProtocolVersion }

func (c *goSDK) Prompts(ctx context.Context) ([]item, int, error) {
	return follow(func(cursor string) (any, string, error) {
		page, err := c.session.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Prompts, page.NextCursor, nil
	})
}

func (c *goSDK) Resources(ctx context.Context) ([]item, int, error) {
	return follow(func(cursor string) (any, string, error) {
		page, err := c.session.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Resources, page.NextCursor, nil
	})
}

func (c *goSDK) Templates(ctx context.Context) ([]item, int, error) {
	return follow(func(cursor string) (any, string, error) {
		page, err := c.session.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.ResourceTemplates, page.NextCursor, nil
	})
}

func (c *goSDK) Prompt(ctx context.Context, name string, arguments map[string]string) (any, error) {
	return c.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: arguments})
}

func (c *goSDK) Complete(ctx context.Context, ref reference, argument, prefix string, others map[string]string) (any, error) {
	params := &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: ref.prompt},
		Argument: mcp.CompleteParamsArgument{Name: argument, Value: prefix},
	}
	if ref.template != "" {
		params.Ref = &mcp.CompleteReference{Type: "ref/resource", URI: ref.template}
	}
	if others != nil {
		params.Context = &mcp.CompleteContext{Arguments: others}
	}
	return c.session.Complete(ctx, params)
}

func (c *goSDK) Read(ctx context.Context, uri string) (any, error) {
	return c.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
}

func (c *goSDK) Subscribe(ctx context.Context, uri string) error {
	if err := c.session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
		return err
	}
	return c.agreed.wait(ctx, c.Revision(), uri)
}

func (c *goSDK) Unsubscribe(ctx context.Context, uri string) error {
	return c.session.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri})
}

func (c *goSDK) Call(ctx context.Context, tool string, arguments map[string]any) error {
	result, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err == nil && result.IsError {
		err = fmt.Errorf("%s: %v", tool, result.Content)
	}
	return err
}

func (*goSDK) Code(err error) int {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		return int(wire.Code)
	}
	return 0
}

func (c *goSDK) Close() error { return c.session.Close() }
