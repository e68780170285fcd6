package gosdk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/internal/callsite"
	"github.com/mcptool-go/mcptool/mcptool"
)

// Handler makes a tool of a handler that was written for [mcp.AddTool], for the servers of this module. The tool is
// described by t, as for AddTool; opts set the rest, such as limits. Schemas that t does not have are derived from In and
// Out, not by the SDK but by the rules of package reflectschema; Out may be any. A jsonschema tag that is a description in
// the SDK and a keyword there, such as "required", is an error. The error lists all mistakes, as in [mcptool.New].
//
// The handler gets a request with Params.Name, Params.Meta and Extra.TokenInfo, whose UserID is the principal. Meta has no
// progress token, so that a handler that reports progress to clients that ask for it does not do so. Session is nil: a
// handler that uses it panics, which fails only this call. Use [mcptool.Progress], [mcptool.Logger], [mcptool.Elicit] and
// [mcptool.AskAll] with the context instead. A result with InputRequests fails the call. A
// [*jsonrpc.Error] is an isError result, as any other error, so that the model can read it.
func Handler[In, Out any](t *mcp.Tool, h mcp.ToolHandlerFor[In, Out], opts ...mcptool.ToolOption) (*mcptool.Tool, error) {
	if t == nil {
		mistakes := []mcptool.Mistake{{Reason: "the *mcp.Tool is nil", Fix: "pass the description of the tool"}}
		return nil, &mcptool.RegisterError{Location: callsite.Here("").String(), Mistakes: mistakes}
	}
	described, err := options[Out](t)
	seen := map[reflect.Type]bool{}
	if err := errors.Join(err, checkTags(reflect.TypeFor[In](), seen), checkTags(reflect.TypeFor[Out](), seen)); err != nil {
		return nil, err
	}
	call := func(ctx context.Context, in In) (*mcptool.Result, error) {
		info := mcptool.Caller(ctx)
		req := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: t.Name}, Extra: new(mcp.RequestExtra)}
		_ = json.Unmarshal(info.Meta, &req.Params.Meta) // an object, or nil if there is none
		delete(req.Params.Meta, "progressToken")        // the handler would report to the session, which is nil
		if info.Principal != "" {                       // its token has been verified
			req.Extra.TokenInfo = &auth.TokenInfo{UserID: info.Principal, Expiration: time.Now().Add(time.Hour)}
		}
		res, out, err := h(ctx, req, in)
		if err != nil {
			return nil, err
		}
		return result(res, out)
	}
	if h == nil {
		call = nil // a mistake that New reports
	}
	return mcptool.New(call, append(described, opts...)...)
}

// options returns the options that describe a tool as t does.
func options[Out any](t *mcp.Tool) (opts []mcptool.ToolOption, err error) {
	add := func(isSet bool, o mcptool.ToolOption) {
		if isSet {
			opts = append(opts, o)
		}
	}
	title := t.Title
	if a := t.Annotations; a != nil {
		add(a.ReadOnlyHint, mcptool.ReadOnly(true))
		add(a.IdempotentHint, mcptool.Idempotent(true))
		add(a.DestructiveHint != nil, mcptool.Destructive(a.DestructiveHint != nil && *a.DestructiveHint))
		add(a.OpenWorldHint != nil, mcptool.OpenWorld(a.OpenWorldHint != nil && *a.OpenWorldHint))
		title = cmp.Or(title, a.Title)
	}
	add(true, mcptool.Name(t.Name))
	add(title != "", mcptool.Title(title))
	add(t.Description != "", mcptool.Description(t.Description))
	add(len(t.Meta) > 0, mcptool.Meta(t.Meta))
	add(len(t.Icons) > 0, mcptool.Icons(icons(t.Icons)...))
	input, inputErr := json.Marshal(t.InputSchema)
	add(t.InputSchema != nil, mcptool.InputSchema(input))
	output, outputErr := json.Marshal(t.OutputSchema)
	add(t.OutputSchema != nil, mcptool.OutputSchema(output))
	add(t.OutputSchema == nil && reflect.TypeFor[Out]() != reflect.TypeFor[any](), mcptool.OutputType[Out]())
	return opts, errors.Join(inputErr, outputErr)
}

// result returns the result of a handler. As in the SDK, out is the structured part, and a nil pointer means the zero value.
func result(res *mcp.CallToolResult, out any) (*mcptool.Result, error) {
	if v := reflect.ValueOf(out); v.Kind() == reflect.Pointer && v.IsNil() {
		out = reflect.New(v.Type().Elem()).Interface()
	}
	if res == nil {
		return &mcptool.Result{Structured: out}, nil
	}
	if res.InputRequests != nil {
		return nil, errors.New("the tool has returned InputRequests, which are not supported; use mcptool.Elicit")
	}
	r := &mcptool.Result{Structured: out, IsError: res.IsError, Meta: res.Meta}
	if out == nil {
		r.Structured = res.StructuredContent
	}
	if res.IsError {
		r.Structured = nil
	}
	for _, c := range res.Content {
		r.Content = append(r.Content, content(c))
	}
	return r, nil
}

// content returns a block of content; nil, which is refused, for a type that this module does not have.
func content(c mcp.Content) mcptool.Content {
	switch c := c.(type) {
	case *mcp.TextContent:
		return mcptool.Text{Text: c.Text, Meta: c.Meta, Annotations: annotations(c.Annotations)}
	case *mcp.ImageContent:
		return mcptool.Image{Data: c.Data, MIMEType: c.MIMEType, Meta: c.Meta, Annotations: annotations(c.Annotations)}
	case *mcp.AudioContent:
		return mcptool.Audio{Data: c.Data, MIMEType: c.MIMEType, Meta: c.Meta, Annotations: annotations(c.Annotations)}
	case *mcp.ResourceLink:
		return mcptool.ResourceLink{
			URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Size: c.Size,
			Icons: icons(c.Icons), Meta: c.Meta, Annotations: annotations(c.Annotations),
		}
	case *mcp.EmbeddedResource:
		block := mcptool.EmbeddedResource{Meta: c.Meta, Annotations: annotations(c.Annotations)}
		if r := c.Resource; r != nil {
			block.Resource = mcptool.ResourceContents{URI: r.URI, MIMEType: r.MIMEType, Text: r.Text, Blob: r.Blob, Meta: r.Meta}
		}
		return block
	default:
		return nil
	}
}

func icons(of []mcp.Icon) (icons []mcptool.Icon) {
	for _, i := range of {
		icons = append(icons, mcptool.Icon{Src: i.Source, MIMEType: i.MIMEType, Sizes: i.Sizes, Theme: string(i.Theme)})
	}
	return icons
}

func annotations(a *mcp.Annotations) *mcptool.Annotations {
	if a == nil {
		return nil
	}
	converted := new(mcptool.Annotations)
	for _, role := range a.Audience {
		converted.Audience = append(converted.Audience, mcptool.Role(role))
	}
	if a.Priority != 0 {
		converted.Priority = &a.Priority
	}
	if modified, err := time.Parse(time.RFC3339, a.LastModified); err == nil {
		converted.LastModified = modified
	}
	return converted
}
