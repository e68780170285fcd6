package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/integrations/gosdk"
	"github.com/mcptool-go/mcptool/internal/testing/hosting"
	"github.com/mcptool-go/mcptool/mcptool"
)

// sdkIn is a struct as it is written for the SDK, whose tag is a description.
type sdkIn struct {
	A int    `json:"a" jsonschema:"the first number"`
	B int    `json:"b,omitempty"`
	C string `json:"c,omitempty"`
}

type sdkOut struct {
	Sum int `json:"sum"`
}

// TestHandler checks that a handler for the SDK works as a tool of this module, with the same results as in the SDK.
func TestHandler(t *testing.T) {
	t.Parallel()
	no := false
	tool, err := gosdk.Handler(&mcp.Tool{
		Name: "sum", Description: "Add", Annotations: &mcp.ToolAnnotations{Title: "Sum", ReadOnlyHint: true, OpenWorldHint: &no},
		Icons: []mcp.Icon{{Source: "https://example.com/a.png", MIMEType: "image/png"}}, Meta: mcp.Meta{"com.example/a": 1},
	}, func(ctx context.Context, req *mcp.CallToolRequest, in sdkIn) (*mcp.CallToolResult, *sdkOut, error) {
		switch in.C {
		case "error":
			return nil, nil, errors.New("no sum")
		case "wire error":
			return nil, nil, &jsonrpc.Error{Code: -32000, Message: "no connection"}
		case "error result":
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no result"}}}, nil, nil
		case "session":
			return nil, nil, req.Session.NotifyProgress(ctx, nil)
		case "input":
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": &mcp.ElicitParams{}}}, nil, nil
		case "nil":
			return nil, nil, nil
		case "content":
			return &mcp.CallToolResult{Meta: mcp.Meta{"com.example/b": 2}, Content: []mcp.Content{
				&mcp.TextContent{Text: req.Params.Name, Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: 1, LastModified: "2025-01-12T15:00:58Z"}},
				&mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"}, &mcp.AudioContent{Data: []byte{1}, MIMEType: "audio/wav"},
				&mcp.ResourceLink{URI: "file:///x", Name: "x"},
				&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///y", Text: "y"}},
			}}, &sdkOut{1}, nil
		}
		return nil, &sdkOut{in.A + in.B}, nil
	}, mcptool.Destructive(false))
	if err != nil {
		t.Fatal(err)
	}
	info := tool.Info()
	if a := tool.Annotations(); info.Title != "Sum" || info.Description != "Add" || len(info.Icons) != 1 || info.Meta["com.example/a"] == nil || !*a.ReadOnlyHint || *a.OpenWorldHint || *a.DestructiveHint {
		t.Errorf("the tool is described as %+v, %+v", info, tool.Annotations())
	}
	if in := string(tool.InputSchema().JSON()); !strings.Contains(in, `"description":"the first number"`) || !strings.Contains(in, `"required":["a"]`) {
		t.Errorf("the schema is %s", in)
	}
	for _, test := range []struct{ c, want string }{
		{"", `"structuredContent":{"sum":3}`},
		{"nil", `"structuredContent":{"sum":0}`},
		{"content", `"content":[{"type":"text","text":"sum","annotations":{"audience":["user"],"priority":1,"lastModified":"2025-01-12T15:00:58Z"}},{"type":"image","data":"AQ==","mimeType":"image/png"},{"type":"audio","data":"AQ==","mimeType":"audio/wav"},{"type":"resource_link","uri":"file:///x","name":"x"},{"type":"resource","resource":{"uri":"file:///y","text":"y"}}]`},
		{"error", "no sum"},
		{"wire error", "no connection"},
		{"error result", `"text":"no result"`},
		{"session", "panic"},
		{"input", "use mcptool.Elicit"},
	} {
		var got string
		res, err := tool.Call(t.Context(), []byte(`{"a":1,"b":2,"c":"`+test.c+`"}`))
		if err != nil {
			got = err.Error()
		} else {
			raw, err := json.Marshal(res)
			if err != nil {
				t.Fatal(err)
			}
			got = string(raw)
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s\nwant %s", test.c, got, test.want)
		}
	}
}

// TestHandlerRequest: the handler gets the principal and the _meta, and asks with its context.
func TestHandlerRequest(t *testing.T) {
	t.Parallel()
	tool, err := gosdk.Handler(&mcp.Tool{Name: "who"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		err := mcptool.Confirm(ctx, "Sure?")
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(req.Extra.TokenInfo.UserID, " ", req.Params.Meta["com.example/a"])}}}, nil, err
	})
	if err != nil {
		t.Fatal(err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "demo", Version: "1"}, nil)
	if err := gosdk.AddTools(server, tool); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(auth.RequireBearerToken(verify, nil)(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)))
	defer web.Close()
	transport := &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: &http.Client{Transport: bearer{"ada"}}}
	cs, err := new(user).client().Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	s := &session{t, cs, "", nil}
	if text, isError := s.call("who", `{}`, mcp.Meta{"com.example/a": "b"}); text != "ada b" || isError {
		t.Errorf("got %s", text)
	}
}

// TestHandlerProgress: a handler that reports progress to clients that ask for it does not use the session, which is nil.
// Its progress by mcptool.Progress is sent.
func TestHandlerProgress(t *testing.T) {
	t.Parallel()
	for _, revision := range hosting.Revisions() {
		u := new(user)
		cs := connectAs(t, u, revision, func(s *mcp.Server) error {
			tool, err := gosdk.Handler(&mcp.Tool{Name: "steps"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
				if token := req.Params.GetProgressToken(); token != nil {
					if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1}); err != nil {
						return nil, nil, err
					}
				}
				mcptool.Progress(ctx, 1, 2, "half")
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(req.Params.Meta["com.example/a"])}}}, nil, nil
			})
			return errors.Join(err, gosdk.AddTools(s, tool))
		})
		s := &session{t, cs, revision, u}
		for range 100 { // the client may drop a notification that arrives together with the response
			if text, isError := s.call("steps", `{}`, mcp.Meta{"progressToken": "p", "com.example/a": "b"}); text != "b" || isError {
				t.Fatalf("%s: got %s", revision, text)
			}
			if u.progress.Load() > 0 {
				break
			}
		}
		if u.progress.Load() == 0 {
			t.Errorf("%s: the client gets no progress", revision)
		}
	}
}

// TestHandlerMistakes: a tool that cannot be made is an error.
func TestHandlerMistakes(t *testing.T) {
	t.Parallel()
	for _, mistake := range []mcp.Tool{{}, {Name: "x", InputSchema: json.RawMessage(`{"type":"string"}`)}, {Name: "x", InputSchema: func() {}}} {
		if _, err := gosdk.Handler(&mistake, func(context.Context, *mcp.CallToolRequest, sdkIn) (*mcp.CallToolResult, any, error) {
			return nil, nil, nil
		}); err == nil {
			t.Errorf("%+v: there is no error", mistake)
		}
	}
}

// TestHandlerKeywords: a tag that is a description in the SDK, and a keyword of package reflectschema, is an error with
// both ways to write it. Each such keyword is reported.
func TestHandlerKeywords(t *testing.T) {
	t.Parallel()
	type item struct {
		A string    `json:"a,omitempty" jsonschema:"required"`
		B *string   `json:"b" jsonschema:"optional"`
		C []string  `json:"c" jsonschema:"nullable"`
		D []string  `json:"d" jsonschema:"uniqueItems"`
		E string    `json:"e" jsonschema:"deprecated"`
		F string    `json:"f" jsonschema:"readOnly"`
		G string    `json:"g" jsonschema:"writeOnly"`
		H *int      `json:"h" jsonschema:"required=true" doc:"required"`
		I time.Time `json:"i" jsonschema:"required by law"`
	}
	type in struct {
		Items map[string][]*item `json:"items,omitempty"`
	}
	h := func(context.Context, *mcp.CallToolRequest, in) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	}
	_, err := gosdk.Handler(&mcp.Tool{Name: "x"}, h)
	if err == nil || strings.Count(err.Error(), "\n") != 6 || !strings.Contains(err.Error(), "item.A: `jsonschema:\"required\"` is a description in the SDK, but a keyword in mcptool; write `doc:\"required\"` for a description, or `jsonschema:\"required=true\"` for the keyword") {
		t.Errorf("the error is %v, want one for each of A to G", err)
	}
	type fixed struct {
		A string `json:"a,omitempty" jsonschema:"required=true"`
		B string `json:"b,omitempty" doc:"required"`
	}
	tool, err := gosdk.Handler(&mcp.Tool{Name: "x"}, func(context.Context, *mcp.CallToolRequest, fixed) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if in := string(tool.InputSchema().JSON()); !strings.Contains(in, `"required":["a"]`) || !strings.Contains(in, `"description":"required"`) {
		t.Errorf("the schema with both fixes is %s", in)
	}
}

type limitedIn struct {
	Text  string `json:"text" jsonschema:"minLength=1" doc:"a text"`
	Limit int    `json:"limit" jsonschema:"minimum=1,maximum=50,default=10"`
}

type limitedOut struct {
	Lines []string `json:"lines"`
}

// TestSchemas: a tool of the SDK has the schemas of our tags, and the SDK validates by them.
func TestSchemas(t *testing.T) {
	t.Parallel()
	cs := connect(t, hosting.Modern, func(s *mcp.Server) error {
		mcp.AddTool(s, &mcp.Tool{Name: "find", InputSchema: gosdk.InputSchema[limitedIn](), OutputSchema: gosdk.OutputSchema[*limitedOut]()},
			func(_ context.Context, _ *mcp.CallToolRequest, in limitedIn) (*mcp.CallToolResult, *limitedOut, error) {
				if in.Text == "nil" {
					return nil, &limitedOut{}, nil
				}
				return nil, &limitedOut{make([]string, in.Limit)}, nil
			})
		return nil
	})
	s := &session{t, cs, hosting.Modern, nil}
	s.want("find", `{"text":"x","limit":1}`, `{"lines":[""]}`, false)
	s.want("find", `{"text":"x"}`, `{"lines":["","","","","","","","","",""]}`, false)
	s.want("find", `{"text":"x","limit":51}`, "maximum", true)
	s.want("find", `{"text":""}`, "minLength", true)
	s.want("find", `{"text":"nil"}`, "validating tool output", true) // null, as documented

	defer func() {
		if got, _ := recover().(error); got == nil || !strings.Contains(got.Error(), "minimun") {
			t.Errorf("the panic is %v", got)
		}
	}()
	gosdk.InputSchema[struct {
		N int `json:"n" jsonschema:"minimun=1"`
	}]()
}

// TestHandlerContent converts blocks of content with all fields set: a field that the SDK adds must be set here.
func TestHandlerContent(t *testing.T) {
	t.Parallel()
	annotations := &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: 0.5, LastModified: "2025-01-12T15:00:58Z"}
	meta, size := mcp.Meta{"com.example/a": "b"}, int64(3)
	icons := []mcp.Icon{{Source: "https://example.com/a.png", MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: "dark"}}
	blocks := []mcp.Content{
		&mcp.TextContent{Text: "a", Meta: meta, Annotations: annotations},
		&mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png", Meta: meta, Annotations: annotations},
		&mcp.AudioContent{Data: []byte{1}, MIMEType: "audio/wav", Meta: meta, Annotations: annotations},
		&mcp.ResourceLink{URI: "file:///x", Name: "x", Title: "X", Description: "an x", MIMEType: "text/plain", Size: &size, Meta: meta, Annotations: annotations, Icons: icons},
		&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///y", MIMEType: "text/plain", Text: "y", Meta: meta}, Meta: meta, Annotations: annotations},
		&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///z", MIMEType: "image/png", Blob: []byte{1}, Meta: meta}, Meta: meta, Annotations: annotations},
	}
	tool, err := gosdk.Handler(&mcp.Tool{Name: "content"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: blocks}, nil, nil
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
			if f := v.Type().Field(i); f.IsExported() && !slices.Contains([]string{"Text", "Blob"}, f.Name) {
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
	_, err := gosdk.Handler(&mcp.Tool{Name: "a b"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	})
	invalid, ok := errors.AsType[*mcptool.RegisterError](err)
	if want := fmt.Sprintf("%s:%d", file, line+1); !ok || invalid.Location != want {
		t.Errorf("got %v, want the location %s", err, want)
	}
}

// TestHandlerNil checks that a nil tool and a nil handler are mistakes with the line of the call.
func TestHandlerNil(t *testing.T) {
	t.Parallel()
	handler := func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	}
	_, file, line, _ := runtime.Caller(0)
	_, nilTool := gosdk.Handler(nil, handler)
	_, nilFunc := gosdk.Handler[struct{}, any](&mcp.Tool{Name: "x"}, nil)
	for i, test := range []struct {
		err  error
		want string
	}{{nilTool, "the *mcp.Tool is nil; pass the description of the tool"}, {nilFunc, "the func is nil; pass a func"}} {
		invalid, ok := errors.AsType[*mcptool.RegisterError](test.err)
		if location := fmt.Sprintf("%s:%d", file, line+1+i); !ok || invalid.Location != location || !strings.Contains(invalid.Error(), test.want) {
			t.Errorf("got %v, want %q at %s", test.err, test.want, location)
		}
	}
}
