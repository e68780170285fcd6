package mcpgo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Handler makes a tool of a handler that was written for [server.MCPServer.AddTool], for the
// servers of this module. The tool is described by t, as for AddTool; opts set the rest, such as limits;
// an option for a property that t has is a mistake. A tool that is read-only is not destructive,
// although mcp.NewTool sets both. The arguments are checked against the schema of t, as in
// [mcptool.NewRaw], and its defaults are not filled in. The error lists all mistakes, also those in
// the schemas that mcp-go accepts; see [mcptool.LogSchemaMistakes].
//
// The handler gets a request with Params.Name, Arguments, RawArguments and Meta. Meta has no progress
// token, so that a handler that reports progress to clients that ask for it does not do so. The
// context has no session and no server of mcp-go, unless the tool is served by [AddTools]: methods of
// [server.MCPServer] that send to the client of a call return an error. Use [mcptool.Progress],
// [mcptool.Logger], [mcptool.Elicit] and [mcptool.AskAll] with the context instead. A result that
// needs input fails the call. An error that the handler returns is an isError result, so that the
// model can read it.
func Handler(t mcp.Tool, h server.ToolHandlerFunc, opts ...mcptool.ToolOption) (*mcptool.Tool, error) {
	entry, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("mcpgo: tool %q: %w", t.Name, err)
	}
	var d description
	if err := json.Unmarshal(entry, &d); err != nil {
		return nil, fmt.Errorf("mcpgo: tool %q: %w", t.Name, err)
	}
	call := func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
		req, err := requestOf(ctx, t.Name, args)
		if err != nil {
			return nil, err
		}
		res, err := h(ctx, req)
		if err != nil || res == nil {
			return nil, err
		}
		return resultOf(res)
	}
	if h == nil {
		call = nil // a mistake that NewRaw reports
	}
	return mcptool.NewRaw(t.Name, d.InputSchema, call, append(d.options(), opts...)...)
}

// description is the entry of a tool in a list.
type description struct {
	Title, Description        string
	InputSchema, OutputSchema json.RawMessage
	Annotations               mcp.ToolAnnotation
	Icons                     []mcptool.Icon
	Meta                      map[string]any `json:"_meta"`
}

// options returns the options that describe a tool as d does, except its name and input schema.
func (d *description) options() (opts []mcptool.ToolOption) {
	hint := func(value *bool, option func(bool) mcptool.ToolOption) {
		if value != nil {
			opts = append(opts, option(*value))
		}
	}
	a := d.Annotations
	hint(a.ReadOnlyHint, mcptool.ReadOnly)
	hint(a.IdempotentHint, mcptool.Idempotent)
	hint(a.OpenWorldHint, mcptool.OpenWorld)
	if a.ReadOnlyHint == nil || !*a.ReadOnlyHint { // otherwise the hint has no meaning, and is usually the default of mcp.NewTool
		hint(a.DestructiveHint, mcptool.Destructive)
	}
	if title := cmp.Or(d.Title, a.Title); title != "" {
		opts = append(opts, mcptool.Title(title))
	}
	if d.Description != "" {
		opts = append(opts, mcptool.Description(d.Description))
	}
	if d.OutputSchema != nil {
		opts = append(opts, mcptool.OutputSchema(d.OutputSchema))
	}
	if d.Icons != nil {
		opts = append(opts, mcptool.Icons(d.Icons...))
	}
	if len(d.Meta) > 0 {
		opts = append(opts, mcptool.Meta(d.Meta))
	}
	return opts
}

// requestOf returns the request of the running call as mcp-go decodes it.
func requestOf(ctx context.Context, name string, args json.RawMessage) (req mcp.CallToolRequest, err error) {
	text, err := json.Marshal(struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      json.RawMessage `json:"_meta,omitempty"`
	}{name, args, mcptool.Caller(ctx).Meta})
	if err != nil {
		return req, err
	}
	req.Method = string(mcp.MethodToolsCall)
	if err := json.Unmarshal(text, &req.Params); err != nil {
		return req, err
	}
	if req.Params.Meta != nil {
		req.Params.Meta.ProgressToken = nil // the handler would report to the session, of which there may be none
	}
	return req, nil
}

// resultOf returns the result of a handler. Structured content is encoded as in mcp-go.
func resultOf(res *mcp.CallToolResult) (*mcptool.Result, error) {
	if res.NeedsInput() {
		return nil, errors.New("the tool has returned InputRequests, which are not supported; use mcptool.Elicit")
	}
	r := &mcptool.Result{IsError: res.IsError}
	if res.Meta != nil {
		r.Meta = res.Meta.AdditionalFields
	}
	switch {
	case res.IsError:
	case len(res.RawStructuredContent) > 0:
		r.Structured = res.RawStructuredContent
	case res.StructuredContent != nil:
		text, err := json.Marshal(res.StructuredContent)
		if err != nil {
			return nil, err
		}
		r.Structured = json.RawMessage(text)
	}
	for i, c := range res.Content {
		block, err := contentOf(c)
		if err != nil {
			return nil, fmt.Errorf("content %d of the result: %w", i, err)
		}
		r.Content = append(r.Content, block)
	}
	return r, nil
}

// contentOf returns a block of content, by the JSON that mcp-go sends: the types of mcp-go implement
// [mcp.Content] as values and as pointers.
func contentOf(c mcp.Content) (mcptool.Content, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var b struct {
		Type, Text, URI, Name, Title, Description, MIMEType string

		Data     []byte // base64
		Size     *int64
		Resource struct {
			URI, MIMEType, Text string

			Blob []byte         // base64
			Meta map[string]any `json:"_meta"`
		}
		Meta        map[string]any `json:"_meta"`
		Annotations *struct {
			Audience     []mcptool.Role
			Priority     *float64
			LastModified string
		}
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, err
	}
	var a *mcptool.Annotations
	if b.Annotations != nil {
		modified, _ := time.Parse(time.RFC3339, b.Annotations.LastModified) // zero means unset
		a = &mcptool.Annotations{Audience: b.Annotations.Audience, Priority: b.Annotations.Priority, LastModified: modified}
	}
	switch b.Type {
	case mcp.ContentTypeText:
		return mcptool.Text{Text: b.Text, Meta: b.Meta, Annotations: a}, nil
	case mcp.ContentTypeImage:
		return mcptool.Image{Data: b.Data, MIMEType: b.MIMEType, Meta: b.Meta, Annotations: a}, nil
	case mcp.ContentTypeAudio:
		return mcptool.Audio{Data: b.Data, MIMEType: b.MIMEType, Meta: b.Meta, Annotations: a}, nil
	case mcp.ContentTypeLink:
		return mcptool.ResourceLink{
			URI: b.URI, Name: b.Name, Title: b.Title, Description: b.Description, MIMEType: b.MIMEType, Size: b.Size, Meta: b.Meta, Annotations: a,
		}, nil
	case mcp.ContentTypeResource:
		return mcptool.EmbeddedResource{Resource: mcptool.ResourceContents(b.Resource), Meta: b.Meta, Annotations: a}, nil
	default:
		return nil, fmt.Errorf("type %q is not supported; use text, image, audio, resource_link or resource", b.Type)
	}
}
