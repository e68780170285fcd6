package thirdparty_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A library is a server with a prompt, a changing resource, a template, and completion of the prompt argument lang and
// the template variable id.
type library struct {
	url string
	// update changes the text of the resource note://1 and announces it; nil if the framework cannot.
	update func(ctx context.Context, text string) error
}

// languages are the completions of the prompt's argument.
func languages(typed string) []string {
	return slices.DeleteFunc([]string{"c", "go", "groovy"}, func(s string) bool { return !strings.HasPrefix(s, typed) })
}

// goSDKLibrary is a library made with the official Go SDK, which serves the modern era only without sessions.
func goSDKLibrary(t *testing.T, era client.Era) library {
	t.Helper()
	var note atomic.Value
	note.Store("first")
	srv := gosdk.NewServer(&gosdk.Implementation{Name: "gosdk", Version: "1"}, &gosdk.ServerOptions{
		SubscribeHandler:   func(context.Context, *gosdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *gosdk.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(_ context.Context, req *gosdk.CompleteRequest) (*gosdk.CompleteResult, error) {
			values := languages(req.Params.Argument.Value)
			if req.Params.Ref.Type == "ref/resource" {
				values = []string{"1", "2"}
			}
			return &gosdk.CompleteResult{Completion: gosdk.CompletionResultDetails{Values: values, Total: len(values)}}, nil
		},
	})
	srv.AddPrompt(&gosdk.Prompt{Name: "review", Arguments: []*gosdk.PromptArgument{{Name: "lang", Required: true}}},
		func(_ context.Context, req *gosdk.GetPromptRequest) (*gosdk.GetPromptResult, error) {
			return &gosdk.GetPromptResult{Messages: []*gosdk.PromptMessage{{Role: "user", Content: &gosdk.TextContent{Text: "Review this " + req.Params.Arguments["lang"]}}}}, nil
		})
	read := func(_ context.Context, req *gosdk.ReadResourceRequest) (*gosdk.ReadResourceResult, error) {
		text, _ := note.Load().(string)
		return &gosdk.ReadResourceResult{Contents: []*gosdk.ResourceContents{{URI: req.Params.URI, MIMEType: "text/plain", Text: text}}}, nil
	}
	srv.AddResource(&gosdk.Resource{URI: "note://1", Name: "one", MIMEType: "text/plain"}, read)
	srv.AddResourceTemplate(&gosdk.ResourceTemplate{URITemplate: "note://{id}", Name: "note"}, read)
	return library{
		url: serve(t, gosdk.NewStreamableHTTPHandler(func(*http.Request) *gosdk.Server { return srv }, &gosdk.StreamableHTTPOptions{Stateless: era == client.Modern})),
		update: func(ctx context.Context, text string) error {
			note.Store(text)
			return srv.ResourceUpdated(ctx, &gosdk.ResourceUpdatedNotificationParams{URI: "note://1"})
		},
	}
}

// completing provides completion for mcp-go.
type completing struct{}

func (completing) CompletePromptArgument(_ context.Context, _ string, argument mcpgo.CompleteArgument, _ mcpgo.CompleteContext) (*mcpgo.Completion, error) {
	return &mcpgo.Completion{Values: languages(argument.Value)}, nil
}

func (completing) CompleteResourceArgument(context.Context, string, mcpgo.CompleteArgument, mcpgo.CompleteContext) (*mcpgo.Completion, error) {
	return &mcpgo.Completion{Values: []string{"1", "2"}}, nil
}

// mcpGoLibrary is a library made with mcp-go, which cannot announce updates in the modern era.
func mcpGoLibrary(t *testing.T, era client.Era) library {
	t.Helper()
	var note atomic.Value
	note.Store("first")
	srv := mcpgoserver.NewMCPServer("mcpgo", "1", mcpgoserver.WithResourceCapabilities(true, true), mcpgoserver.WithPromptCapabilities(true),
		mcpgoserver.WithCompletions(), mcpgoserver.WithPromptCompletionProvider(completing{}), mcpgoserver.WithResourceCompletionProvider(completing{}))
	srv.AddPrompt(mcpgo.NewPrompt("review", mcpgo.WithArgument("lang", mcpgo.RequiredArgument())),
		func(_ context.Context, req mcpgo.GetPromptRequest) (*mcpgo.GetPromptResult, error) {
			return &mcpgo.GetPromptResult{Messages: []mcpgo.PromptMessage{{Role: mcpgo.RoleUser, Content: mcpgo.NewTextContent("Review this " + req.Params.Arguments["lang"])}}}, nil
		})
	read := func(_ context.Context, req mcpgo.ReadResourceRequest) ([]mcpgo.ResourceContents, error) {
		text, _ := note.Load().(string)
		return []mcpgo.ResourceContents{mcpgo.TextResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: text}}, nil
	}
	srv.AddResource(mcpgo.NewResource("note://1", "one", mcpgo.WithMIMEType("text/plain")), read)
	srv.AddResourceTemplate(mcpgo.NewResourceTemplate("note://{id}", "note"), read)
	lib := library{url: serve(t, mcpgoserver.NewStreamableHTTPServer(srv))}
	if era == client.Legacy {
		lib.update = func(_ context.Context, text string) error {
			note.Store(text)
			srv.SendNotificationToAllClients(mcpgo.MethodNotificationResourceUpdated, map[string]any{"uri": "note://1"})
			return nil
		}
	}
	return lib
}

// serve serves over HTTP until the test ends and returns the URL.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	return web.URL
}

// TestResources reads, gets, completes, and watches prompts and resources of servers of other frameworks, in every era.
func TestResources(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(*testing.T, client.Era) library{"gosdk": goSDKLibrary, "mcpgo": mcpGoLibrary} {
		for _, era := range []client.Era{client.Legacy, client.Modern} {
			t.Run(name+" "+string(era), func(t *testing.T) {
				t.Parallel()
				lib := build(t, era)
				c, err := client.Dial(t.Context(), client.Target{URL: lib.url}, client.Options{Era: era, Timeout: startTimeout})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = c.Close() }()
				readLibrary(t, c)
				followLibrary(t, c, lib)
				for _, row := range []struct {
					args []string
					want string
				}{
					{[]string{"list"}, "1 prompt, 1 resource, 1 resource template"},
					{[]string{"lint", "--read", "--fail-on", "never"}, "1 prompt, 1 resource, 1 resource template"},
					// The resource matches the template, so it is data and not part of a snapshot.
					{[]string{"check", "--update", "--snapshot", t.TempDir() + "/s.json"}, "1 prompt, 1 resource template"},
				} {
					if code, out, problems := runBench(t, append(row.args, lib.url, "--era", string(era))...); code != 0 || !strings.Contains(out, row.want) {
						t.Errorf("bench %s: exit code %d\n%s%s", row.args[0], code, out, problems)
					}
				}
			})
		}
	}
}

func readLibrary(t *testing.T, c *client.Client) {
	t.Helper()
	prompts, err := c.Prompts(t.Context())
	if err != nil || len(prompts) != 1 || len(prompts[0].Arguments) != 1 || !prompts[0].Arguments[0].Required {
		t.Fatalf("%v, %+v", err, prompts)
	}
	prompt, err := c.GetPrompt(t.Context(), "review", map[string]string{"lang": "go"})
	if err != nil || len(prompt.Messages) != 1 || prompt.Messages[0].Content.Text != "Review this go" {
		t.Errorf("%v, %+v", err, prompt)
	}
	resources, err := c.Resources(t.Context())
	if err != nil || len(resources) != 1 || resources[0].URI != "note://1" {
		t.Errorf("%v, %+v", err, resources)
	}
	templates, err := c.ResourceTemplates(t.Context())
	if err != nil || len(templates) != 1 || templates[0].URITemplate != "note://{id}" {
		t.Errorf("%v, %+v", err, templates)
	}
	for _, uri := range []string{"note://1", "note://2"} {
		if got, err := c.ReadResource(t.Context(), uri); err != nil || len(got.Contents) != 1 || *got.Contents[0].Text != "first" {
			t.Errorf("%s: %v, %+v", uri, err, got)
		}
	}
	for _, test := range []struct {
		of              client.Reference
		argument, typed string
		want            []string
	}{
		{client.Reference{Prompt: "review"}, "lang", "g", []string{"go", "groovy"}},
		{client.Reference{URITemplate: "note://{id}"}, "id", "", []string{"1", "2"}},
	} {
		if got, err := c.Complete(t.Context(), test.of, test.argument, test.typed, nil); err != nil || !slices.Equal(got.Values, test.want) {
			t.Errorf("%+v: %v, %+v, want %q", test.of, err, got, test.want)
		}
	}
}

func followLibrary(t *testing.T, c *client.Client, lib library) {
	t.Helper()
	s, err := c.Subscribe(t.Context(), "note://1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if lib.update == nil {
		return
	}
	if err := lib.update(t.Context(), "second"); err != nil {
		t.Fatal(err)
	}
	select {
	case _, ok := <-s.Changed():
		if !ok {
			t.Errorf("the subscription has ended: %v", s.Err())
		}
	case <-time.After(startTimeout):
		t.Fatal("no update")
	}
	if got, err := c.ReadResource(t.Context(), "note://1"); err != nil || *got.Contents[0].Text != "second" {
		t.Errorf("%v, %+v", err, got)
	}
}
