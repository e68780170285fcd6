package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	mcpgo "github.com/mark3labs/mcp-go/client"
	mcpgotransport "github.com/mark3labs/mcp-go/client/transport"
	mcpgotypes "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	name     = "deploytest"
	revision = "2025-11-25"
)

// goSDK is a client of the official Go SDK.
type goSDK struct{ *mcp.ClientSession }

func dialGoSDK(ctx context.Context, url string) (client, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1.0.0"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"confirm": true}}, nil
		},
	})
	session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		return nil, err
	}
	return goSDK{session}, nil
}

// Call implements [client].
func (c goSDK) Call(ctx context.Context, tool string, arguments map[string]any) (string, error) {
	result, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", err
	}
	text := fmt.Sprint(result.StructuredContent)
	for _, content := range result.Content {
		if t, ok := content.(*mcp.TextContent); ok {
			text += t.Text
		}
	}
	if result.IsError {
		return "", errors.New(text)
	}
	return text, nil
}

// mcpGo is a client of mcp-go.
type mcpGo struct{ *mcpgo.Client }

// answering answers the questions of tools.
type answering struct{}

// Elicit implements the handler of mcp-go.
func (answering) Elicit(context.Context, mcpgotypes.ElicitationRequest) (*mcpgotypes.ElicitationResult, error) {
	result := &mcpgotypes.ElicitationResult{}
	result.Action, result.Content = mcpgotypes.ElicitationResponseActionAccept, map[string]any{"confirm": true}
	return result, nil
}

func dialMCPGo(ctx context.Context, url string) (client, error) {
	// mcp-go cancels the POST of an elicitation response when the tool call returns. If net/http is returning that
	// connection to the pool at that time, the next request on it fails with "context canceled", so connections are not
	// reused.
	httpClient := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	transport, err := mcpgotransport.NewStreamableHTTP(url, mcpgotransport.WithHTTPBasicClient(httpClient), mcpgotransport.WithHTTPLogger(slog.New(slog.DiscardHandler)), mcpgotransport.WithContinuousListening()) //nolint:staticcheck // older revisions have nothing else
	if err != nil {
		return nil, err
	}
	c := mcpgo.NewClient(transport, mcpgo.WithElicitationHandler(answering{}))
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	request := mcpgotypes.InitializeRequest{}
	request.Params.ProtocolVersion = revision
	request.Params.ClientInfo = mcpgotypes.Implementation{Name: name, Version: "1.0.0"}
	if _, err := c.Initialize(ctx, request); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return mcpGo{c}, nil
}

// Call implements [client].
func (c mcpGo) Call(ctx context.Context, tool string, arguments map[string]any) (string, error) {
	request := mcpgotypes.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = tool, arguments
	result, err := c.CallTool(ctx, request)
	if err != nil {
		return "", err
	}
	text := fmt.Sprint(result.StructuredContent)
	for _, content := range result.Content {
		if t, ok := content.(mcpgotypes.TextContent); ok {
			text += t.Text
		}
	}
	if result.IsError {
		return "", errors.New(text)
	}
	return text, nil
}
