package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/integrations/mcpgo"
	"github.com/mcptool-go/mcptool/internal/testing/hosting"
	"github.com/mcptool-go/mcptool/mcptool"
)

type sumOut struct {
	Sum int `json:"sum"`
}

// sumHandler is a handler that is written for mcp-go, in the server srv.
func sumHandler(srv *server.MCPServer) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		switch req.GetString("c", "") {
		case "error":
			return nil, errors.New("no sum")
		case "error result":
			return mcp.NewToolResultError("no result"), nil
		case "elicit":
			_, err := srv.RequestElicitation(ctx, mcp.ElicitationRequest{})
			return nil, err
		case "notify":
			return nil, server.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", nil)
		case "input":
			res := new(mcp.CallToolResult)
			res.ResultType = mcp.ResultTypeInputRequired
			return res, nil
		case "bound":
			var in struct{ A, B int64 }
			err := req.BindArguments(&in)
			return mcp.NewToolResultStructuredOnly(struct {
				Sum int64 `json:"sum"`
			}{in.A}), err
		case "content":
			priority, size := 1.0, int64(3)
			annotated := mcp.Annotated{Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: &priority, LastModified: "2025-01-12T15:00:58Z"}}
			res := mcp.NewToolResultStructuredOnly(sumOut{1})
			res.Meta = mcp.NewMetaFromMap(map[string]any{"com.example/b": 2})
			res.Content = []mcp.Content{
				mcp.TextContent{Type: "text", Text: req.Params.Name, Annotated: annotated, Meta: mcp.NewMetaFromMap(map[string]any{"com.example/c": 3})},
				&mcp.ImageContent{Type: "image", Data: "AQ==", MIMEType: "image/png"}, mcp.NewAudioContent("AQ==", "audio/wav"),
				mcp.ResourceLink{Type: "resource_link", URI: "file:///x", Name: "x", Description: "an x", MIMEType: "text/plain", Size: &size},
				mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "file:///y", Text: "y", Meta: map[string]any{"com.example/d": 4}}),
				mcp.NewEmbeddedResource(mcp.BlobResourceContents{URI: "file:///z", Blob: "AQ=="}),
			}
			return res, nil
		case "no base64":
			return mcp.NewToolResultImage("", "?", "image/png"), nil
		case "no type":
			return &mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent{Text: "x"}}}, nil
		}
		return mcp.NewToolResultStructuredOnly(sumOut{req.GetInt("a", 0) + req.GetInt("b", 10)}), nil
	}
}

// TestHandler: a handler for mcp-go is a tool of ours, and its results are as in mcp-go.
func TestHandler(t *testing.T) {
	t.Parallel()
	described := mcp.NewTool("sum", mcp.WithDescription("Add"), mcp.WithTitleAnnotation("Sum"), mcp.WithReadOnlyHintAnnotation(true), mcp.WithOpenWorldHintAnnotation(false),
		mcp.WithNumber("a", mcp.Required(), mcp.Description("the first number")), mcp.WithNumber("b", mcp.Max(99), mcp.DefaultNumber(10)), mcp.WithString("c"),
		mcp.WithRawOutputSchema(json.RawMessage(`{"type":"object","properties":{"sum":{"type":"integer"}}}`)),
		mcp.WithToolIcons(mcp.Icon{Src: "https://example.com/a.png", MIMEType: "image/png"}))
	described.Meta = mcp.NewMetaFromMap(map[string]any{"com.example/a": 1})
	tool, err := mcpgo.Handler(described, sumHandler(server.NewMCPServer("demo", "1", server.WithElicitation())))
	if err != nil {
		t.Fatal(err)
	}
	info, a := tool.Info(), tool.Annotations()
	if info.Title != "Sum" || info.Description != "Add" || len(info.Icons) != 1 || info.Icons[0].Src == "" || info.Meta["com.example/a"] == nil {
		t.Errorf("the tool is described as %+v", info)
	}
	if !*a.ReadOnlyHint || *a.DestructiveHint || *a.OpenWorldHint || *a.IdempotentHint {
		t.Errorf("the annotations are %+v", a)
	}
	if in := string(tool.InputSchema().JSON()); !strings.Contains(in, `"description":"the first number"`) || !strings.Contains(in, `"required":["a"]`) {
		t.Errorf("the schema is %s", in)
	}
	for _, test := range []struct{ args, want string }{
		{`"c":""`, `"structuredContent":{"sum":11}`},
		{`"b":2`, `"structuredContent":{"sum":3}`},
		{`"b":100`, "b: must be at most 99, got 100"},
		{`"c":"content"`, `"content":[{"type":"text","text":"sum","annotations":{"audience":["user"],"priority":1,"lastModified":"2025-01-12T15:00:58Z"},"_meta":{"com.example/c":3}},{"type":"image","data":"AQ==","mimeType":"image/png"},{"type":"audio","data":"AQ==","mimeType":"audio/wav"},{"type":"resource_link","uri":"file:///x","name":"x","description":"an x","mimeType":"text/plain","size":3},{"type":"resource","resource":{"uri":"file:///y","text":"y","_meta":{"com.example/d":4}}},{"type":"resource","resource":{"uri":"file:///z","blob":"AQ=="}}],"structuredContent":{"sum":1},"_meta":{"com.example/b":2}`},
		{`"c":"error"`, "no sum"},
		{`"c":"error result"`, `{"content":[{"type":"text","text":"no result"}],"isError":true}`},
		{`"c":"elicit"`, "no active session"},
		{`"c":"notify"`, "notification channel not initialized"},
		{`"c":"input"`, "use mcptool.Elicit"},
		{`"c":"no base64"`, "content 1 of the result: illegal base64"},
		{`"c":"no type"`, `content 0 of the result: type "" is not supported`},
	} {
		if got := text(t, tool, `{"a":1,`+test.args+`}`); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s\nwant %s", test.args, got, test.want)
		}
	}
	if got := text(t, tool, `{"a":9007199254740993,"c":"bound"}`); !strings.Contains(got, "9007199254740993") {
		t.Errorf("a large integer arrives as %s", got)
	}
}

// text returns the result or the error of a call, as text.
func text(t *testing.T, tool *mcptool.Tool, args string) string {
	t.Helper()
	res, err := tool.Call(t.Context(), []byte(args))
	if err != nil {
		return err.Error()
	}
	raw, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestHandlerHints: the hints of mcp-go remain, except that a read-only tool is not destructive.
func TestHandlerHints(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		tool mcp.Tool
		want string
	}{
		{"the defaults of mcp-go", mcp.NewTool("x"), `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`},
		{"read-only", mcp.NewTool("x", mcp.WithReadOnlyHintAnnotation(true)), `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true}`},
		{"read-only and destructive", mcp.NewTool("x", mcp.WithReadOnlyHintAnnotation(true), mcp.WithDestructiveHintAnnotation(true)), `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true}`},
		{"not destructive", mcp.NewTool("x", mcp.WithDestructiveHintAnnotation(false)), `{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true}`},
		{"no hints", mcp.NewToolWithRawSchema("x", "", json.RawMessage(`{"type":"object"}`)), `{}`},
	} {
		tool, err := mcpgo.Handler(test.tool, native)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		a := tool.Annotations()
		got, err := json.Marshal(mcp.ToolAnnotation{ReadOnlyHint: a.ReadOnlyHint, DestructiveHint: a.DestructiveHint, IdempotentHint: a.IdempotentHint, OpenWorldHint: a.OpenWorldHint})
		if err != nil || string(got) != test.want {
			t.Errorf("%s: the hints are %s, %v; want %s", test.name, got, err, test.want)
		}
	}
}

// TestHandlerServed: in a server, the handler gets the _meta without the progress token, and
// reports progress and asks with its context.
func TestHandlerServed(t *testing.T) {
	t.Parallel()
	for _, revision := range hosting.Revisions() {
		tool, err := mcpgo.Handler(mcp.NewTool("steps"), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if req.Params.Meta.ProgressToken != nil {
				return nil, errors.New("there is a progress token")
			}
			mcptool.Progress(ctx, 1, 2, "half")
			if revision >= "2025-06-18" {
				if err := mcptool.Confirm(ctx, "Sure?"); err != nil {
					return nil, err
				}
			}
			return mcp.NewToolResultText(fmt.Sprint(req.Params.Meta.AdditionalFields["com.example/a"])), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		srv := server.NewMCPServer("demo", "1")
		if err := mcpgo.AddTools(srv, tool); err != nil {
			t.Fatal(err)
		}
		s := connect(t, revision, overMemory, srv)
		got, isError := s.call("steps", `{}`, &mcp.Meta{ProgressToken: "p", AdditionalFields: map[string]any{"com.example/a": "b"}})
		if got != "b" || isError {
			t.Errorf("%s: got %s", revision, got)
		}
		for range 1000 { // it may arrive after the response
			if s.user.progress.Load() > 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if s.user.progress.Load() == 0 {
			t.Errorf("%s: the client gets no progress", revision)
		}
		if n := s.user.asked.Load(); revision >= "2025-06-18" && n != 1 {
			t.Errorf("%s: the user was asked %d times", revision, n)
		}
	}
}

// TestHandlerMistakes: a tool that cannot be made is an error.
func TestHandlerMistakes(t *testing.T) {
	t.Parallel()
	both := mcp.NewTool("x")
	both.RawInputSchema = json.RawMessage(`{"type":"object"}`)
	for _, test := range []struct {
		tool mcp.Tool
		opt  mcptool.ToolOption
		want string
	}{
		{mcp.NewTool(""), nil, "name"},
		{both, nil, `mcpgo: tool "x": `},
		{mcp.Tool{Name: "x"}, nil, "object"},
		{mcp.NewTool("x", mcp.WithString("a", mcp.MinLength(3), mcp.MaxLength(2))), nil, "maxLength"},
		{mcp.NewTool("x"), mcptool.OpenWorld(false), "the option OpenWorld sets true, and the option OpenWorld sets false"},
	} {
		var opts []mcptool.ToolOption
		if test.opt != nil {
			opts = append(opts, test.opt)
		}
		if _, err := mcpgo.Handler(test.tool, native, opts...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: the error is %v, want %q", test.tool, err, test.want)
		}
	}
}

// TestHandlerContent converts blocks of content with all fields set: a field that the SDK adds must be set here.
func TestHandlerContent(t *testing.T) {
	t.Parallel()
	priority, size, meta := 0.5, int64(3), mcp.NewMetaFromMap(map[string]any{"com.example/a": "b"})
	annotated := mcp.Annotated{Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: &priority, LastModified: "2025-01-12T15:00:58Z"}}
	blocks := []mcp.Content{
		mcp.TextContent{Type: "text", Text: "a", Meta: meta, Annotated: annotated},
		mcp.ImageContent{Type: "image", Data: "AQ==", MIMEType: "image/png", Meta: meta, Annotated: annotated},
		mcp.AudioContent{Type: "audio", Data: "AQ==", MIMEType: "audio/wav", Meta: meta, Annotated: annotated},
		mcp.ResourceLink{Type: "resource_link", URI: "file:///x", Name: "x", Title: "X", Description: "an x", MIMEType: "text/plain", Size: &size, Meta: meta, Annotated: annotated},
		mcp.EmbeddedResource{Type: "resource", Resource: mcp.TextResourceContents{URI: "file:///y", MIMEType: "text/plain", Text: "y", Meta: map[string]any{"com.example/d": "e"}}, Meta: meta, Annotated: annotated},
		mcp.EmbeddedResource{Type: "resource", Resource: mcp.BlobResourceContents{URI: "file:///z", MIMEType: "image/png", Blob: "AQ==", Meta: map[string]any{"com.example/d": "e"}}, Meta: meta, Annotated: annotated},
	}
	tool, err := mcpgo.Handler(mcp.NewTool("content"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: blocks}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	res, err := tool.Call(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range blocks {
		for _, name := range unset(reflect.ValueOf(block), reflect.TypeOf(block).String()) {
			t.Errorf("%s is not set", name)
		}
		want, err := json.Marshal(block)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Content []map[string]any }
		var wanted map[string]any
		if err := errors.Join(json.Unmarshal(whole, &got), json.Unmarshal(want, &wanted)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Content[i], wanted) {
			t.Errorf("got  %v\nwant %v", got.Content[i], wanted)
		}
	}
}

// unset returns the fields that are zero.
func unset(v reflect.Value, path string) (names []string) {
	switch {
	case v.IsZero():
		return []string{path}
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface:
		return unset(v.Elem(), path)
	case v.Kind() == reflect.Slice:
		return unset(v.Index(0), path)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !slices.Contains([]string{"ProgressToken"}, f.Name) {
				names = append(names, unset(v.Field(i), path+"."+f.Name)...)
			}
		}
	}
	return names
}

// TestHandlerLocation checks that an error has the line of the call of Handler.
func TestHandlerLocation(t *testing.T) {
	t.Parallel()
	_, file, line, _ := runtime.Caller(0)
	_, err := mcpgo.Handler(mcp.NewTool("a b"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil })
	invalid, ok := errors.AsType[*mcptool.RegisterError](err)
	if want := fmt.Sprintf("%s:%d", file, line+1); !ok || invalid.Location != want {
		t.Errorf("got %v, want the location %s", err, want)
	}
}

// TestHandlerNil checks that a nil handler is a mistake with the line of the call.
func TestHandlerNil(t *testing.T) {
	t.Parallel()
	_, file, line, _ := runtime.Caller(0)
	_, err := mcpgo.Handler(mcp.NewTool("x"), nil)
	invalid, ok := errors.AsType[*mcptool.RegisterError](err)
	if want := fmt.Sprintf("%s:%d", file, line+1); !ok || invalid.Location != want || !strings.Contains(invalid.Error(), "the func is nil; pass a func") {
		t.Errorf("got %v, want a nil func at %s", err, want)
	}
}
