package mcpgo

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
)

// client is the [hosting.Client] of one request. Messages to it go through its session of mcp-go.
type client struct {
	ctx    context.Context // of the handler of mcp-go: it has the session
	server *server.MCPServer
}

// Notify implements [hosting.Client].
func (c *client) Notify(method string, params json.RawMessage) error {
	if isShared(c.ctx) {
		return engine.ErrUndelivered
	}
	var err error
	if method == "notifications/message" { // mcp-go compares its level
		var p struct {
			Level  mcp.LoggingLevel
			Logger string
			Data   json.RawMessage // in its order
		}
		if err := json.Unmarshal(params, &p); err != nil {
			return err
		}
		err = c.server.SendLogMessageToClient(c.ctx, mcp.NewLoggingMessageNotification(p.Level, p.Logger, p.Data))
	} else {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(params, &members); err != nil {
			return err
		}
		fields := make(map[string]any, len(members))
		for name, value := range members {
			fields[name] = value
		}
		err = c.server.SendNotificationToClient(c.ctx, method, fields)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", engine.ErrUndelivered, err)
	}
	return nil
}

// Ask implements [hosting.Client].
func (c *client) Ask(ctx context.Context, request []byte) (json.RawMessage, error) {
	if isShared(ctx) { // derived from c.ctx
		return nil, fmt.Errorf("%w, which has no session", mcptool.ErrNoAnswer)
	}
	var q mcp.InputRequest
	if err := json.Unmarshal(request, &q); err != nil {
		return nil, err
	}
	var answer any
	var err error
	message := ""
	// mcp-go finds the session, and the stream of HTTP, by values of c.ctx.
	switch q.Method {
	case mcp.MethodElicitationCreate:
		message = q.Elicitation.Message
		// A client in the process gets the form as a value, and expects a map.
		if _, ok := server.ClientSessionFromContext(ctx).(*server.InProcessSession); !ok {
			q.Elicitation.RequestedSchema = formOf(request, q.Elicitation.RequestedSchema)
		}
		answer, err = c.server.RequestElicitation(ctx, mcp.ElicitationRequest{Params: *q.Elicitation})
	case mcp.MethodSamplingCreateMessage:
		answer, err = c.server.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: *q.Sampling})
	default:
		answer, err = c.server.RequestRoots(ctx, mcp.ListRootsRequest{})
	}
	switch {
	case err == nil:
		return json.Marshal(answer)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	default: // the client has answered with an error, or the session does not support the request
		return nil, &mcptool.AskAnswerError{Message: message, Err: err}
	}
}

// keepForms sets the forms of requests to the text that they have in a result: the fields have its
// order.
func keepForms(result json.RawMessage, requests mcp.InputRequests) error {
	if len(requests) == 0 {
		return nil
	}
	var text struct {
		InputRequests map[string]json.RawMessage
	}
	err := json.Unmarshal(result, &text)
	for key, q := range requests {
		if q.Elicitation != nil {
			q.Elicitation.RequestedSchema = formOf(text.InputRequests[key], q.Elicitation.RequestedSchema)
		}
	}
	return err
}

// formOf returns the text of the form of an elicitation, and otherwise what mcp-go has decoded.
func formOf(request json.RawMessage, decoded any) any {
	var q struct {
		Params struct{ RequestedSchema json.RawMessage }
	}
	if err := json.Unmarshal(request, &q); err != nil || q.Params.RequestedSchema == nil {
		return decoded
	}
	return q.Params.RequestedSchema
}
