package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
)

// client is the [hosting.Client] of one request. Messages to it go through the session of the SDK.
type client struct {
	ctx     context.Context // of the SDK's handler: it routes messages to the stream of the request
	session *mcp.ServerSession
}

// Notify implements [hosting.Client].
func (c *client) Notify(method string, params json.RawMessage) error {
	switch method {
	case "notifications/progress":
		p := new(mcp.ProgressNotificationParams)
		if err := json.Unmarshal(params, p); err != nil {
			return err
		}
		return c.session.NotifyProgress(c.ctx, p)
	case "notifications/message":
		p := new(mcp.LoggingMessageParams)
		var text struct{ Data json.RawMessage }
		if err := errors.Join(json.Unmarshal(params, p), json.Unmarshal(params, &text)); err != nil {
			return err
		}
		p.Data = text.Data // in its order
		return c.session.Log(c.ctx, p)
	}
	return engine.ErrUndelivered // custom notifications: the SDK cannot send them
}

// Ask implements [hosting.Client].
func (c *client) Ask(ctx context.Context, request []byte) (json.RawMessage, error) {
	var q clientRequest
	if err := json.Unmarshal(request, &q); err != nil {
		return nil, err
	}
	params, err := q.decode()
	if err != nil {
		return nil, err
	}
	var answer any
	message := ""
	switch p := params.(type) { // the SDK routes requests by a value of c.ctx, from which ctx is derived
	case *mcp.ElicitParams:
		message = p.Message
		answer, err = c.session.Elicit(ctx, p)
	case *mcp.CreateMessageWithToolsParams:
		answer, err = c.session.CreateMessageWithTools(ctx, p)
	case *mcp.ListRootsParams:
		answer, err = c.session.ListRoots(ctx, nil)
	}
	if err == nil {
		return json.Marshal(answer)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return nil, &mcptool.AskAnswerError{Message: message, Code: int(e.Code), Err: errors.New(e.Message)}
	}
	return nil, &mcptool.AskAnswerError{Message: message, Err: err} // for example because Elicit has refused the answer
}

// clientRequest is a request to the client as the engine writes it.
type clientRequest struct {
	Method string
	Params json.RawMessage
}

// decode returns the params as the SDK has them.
func (q clientRequest) decode() (mcp.InputRequest, error) {
	switch q.Method {
	case "elicitation/create":
		p := new(mcp.ElicitParams)
		var text struct{ RequestedSchema json.RawMessage }
		if err := errors.Join(json.Unmarshal(q.Params, p), json.Unmarshal(q.Params, &text)); err != nil {
			return nil, err
		}
		if text.RequestedSchema != nil {
			p.RequestedSchema = text.RequestedSchema // the fields of the form have its order
		}
		return p, nil
	case "sampling/createMessage":
		p := new(mcp.CreateMessageWithToolsParams)
		return p, json.Unmarshal(q.Params, p)
	case "roots/list":
		return new(mcp.ListRootsParams), nil
	default:
		return nil, fmt.Errorf("gosdk: unknown client request %q", q.Method)
	}
}

// neededInput has the requests to the client in a result of revision 2026-07-28, and the state that the client returns
// with the answers.
type neededInput struct {
	requests mcp.InputRequestMap
	state    string
}

// decodeNeeded returns nil if a result needs no input. Decoding by the SDK would lose the order of the fields of a form.
func decodeNeeded(result json.RawMessage) (*neededInput, error) {
	var r struct {
		InputRequests map[string]clientRequest
		RequestState  string
	}
	if err := json.Unmarshal(result, &r); err != nil || r.InputRequests == nil {
		return nil, err
	}
	needed := &neededInput{mcp.InputRequestMap{}, r.RequestState}
	for key, q := range r.InputRequests {
		p, err := q.decode()
		if err != nil {
			return nil, err
		}
		needed.requests[key] = p
	}
	return needed, nil
}
