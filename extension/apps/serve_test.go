package apps_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/extension/apps"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

const (
	modern = "2026-07-28"
	shows  = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`
)

// client is a client of one revision that has declared some capabilities.
type client struct{ revision, capabilities string }

// request is a method with its params, a JSON object without _meta.
type request struct{ method, params string }

// ask starts a server with the tools, sends the requests, one after the other, and returns their results by number.
func (c client) ask(t *testing.T, tools *mcptool.Registry, requests ...request) []json.RawMessage {
	t.Helper()
	var in, out bytes.Buffer
	if c.revision != modern {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"test","version":"1"}}}`+"\n", c.revision, c.capabilities)
		in.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	}
	for i, r := range requests {
		params := r.params
		if c.revision == modern {
			params = fmt.Sprintf(`{"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":%s},%s`, c.revision, c.capabilities, strings.TrimPrefix(params, "{"))
			params = strings.Replace(params, ",}", "}", 1)
		}
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", i+1, r.method, params)
	}
	srv := &runtime.Server{Name: "test", Version: "1", Tools: tools}
	if err := stdio.Serve(t.Context(), srv, stdio.In(&in), stdio.Out(&out)); err != nil {
		t.Fatal(err)
	}
	results := make([]json.RawMessage, len(requests)+1)
	for line := range strings.Lines(out.String()) {
		var answer struct {
			ID     *int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatal(err)
		}
		if answer.ID == nil {
			continue // a notification
		}
		if answer.Error != nil {
			t.Fatalf("%+v: %s", c, line)
		}
		results[*answer.ID] = answer.Result
	}
	return results
}

// decode returns JSON as a T.
func decode[T any](t *testing.T, data []byte) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return value
}

type listed struct {
	Tools []struct {
		Name string
		Meta map[string]json.RawMessage `json:"_meta"`
	}
}

type contents struct {
	Contents []struct {
		URI, MIMEType, Text string
		Meta                map[string]json.RawMessage `json:"_meta"`
	}
}

// served returns a registry with a tool that has a view and a tool that only views call.
func served(t *testing.T) (tools *mcptool.Registry, uri string) {
	t.Helper()
	tools = &mcptool.Registry{}
	tool := define(t, apps.View(files("v.html", document), "v.html", apps.Border(true)))
	points, err := mcptool.New(func(ctx context.Context, _ none) (map[string]bool, error) {
		return map[string]bool{"supported": apps.Supported(ctx)}, nil
	}, mcptool.Name("points"), apps.Visibility(apps.AudienceApp))
	if err != nil {
		t.Fatal(err)
	}
	if err := tools.Add(tool, points); err != nil {
		t.Fatal(err)
	}
	_, uri = uiOf(t, tool)
	return tools, uri
}

// TestServed sends requests as clients of every revision, with and without the extension.
func TestServed(t *testing.T) {
	t.Parallel()
	tools, uri := served(t)
	for _, test := range []struct {
		client client
		views  bool
		reason string
	}{
		{client{modern, shows}, true, "it declares the extension in each request"},
		{client{"2025-11-25", shows}, true, "it has declared the extension"},
		{client{"2025-06-18", shows}, true, "it has declared the extension, in capabilities that are open"},
		{client{modern, `{}`}, false, "APP-03: it shows no views"},
		{client{"2025-11-25", `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/uri-list"]}}}`}, false, "APP-03: it shows other documents"},
		{client{"2025-06-18", `{}`}, false, "APP-03: it shows no views"},
		{client{"2025-03-26", shows}, false, "APP-07: the revision has no _meta of tools"},
		{client{"2024-11-05", shows}, false, "APP-07: the revision has no _meta of tools"},
	} {
		t.Run(test.client.revision+" "+test.reason, func(t *testing.T) {
			t.Parallel()
			results := test.client.ask(t, tools,
				request{"tools/list", `{}`},
				request{"resources/read", fmt.Sprintf(`{"uri":%q}`, uri)},
				request{"tools/call", `{"name":"draw","arguments":{}}`},
				request{"tools/call", `{"name":"points","arguments":{}}`},
			)
			assertList(t, results[1], uri, test.views)
			assertContents(t, results[2], uri, test.client.revision)
			// APP-04: the result has a text with or without a view.
			if text := string(results[3]); !strings.Contains(text, `"text":"drawn"`) {
				t.Errorf("the tool returns %s", text)
			}
			// APP-05: any client can call the tool for views. Whether the client shows views does not depend on the revision.
			want := test.client.capabilities == shows
			if text := string(results[4]); !strings.Contains(text, fmt.Sprintf(`{\"supported\":%v}`, want)) {
				t.Errorf("the other tool returns %s", text)
			}
		})
	}
}

// assertList checks that the result of tools/list has both tools (APP-05), with the _meta that the client supports.
func assertList(t *testing.T, result json.RawMessage, uri string, views bool) {
	t.Helper()
	got := map[string]string{}
	for _, tool := range decode[listed](t, result).Tools {
		meta, err := json.Marshal(tool.Meta)
		if err != nil {
			t.Fatal(err)
		}
		got[tool.Name] = string(meta)
	}
	want := map[string]string{"draw": "null", "points": "null"}
	if views {
		want = map[string]string{
			"draw":   fmt.Sprintf(`{"ui":{"resourceUri":%q},"ui/resourceUri":%[1]q}`, uri),
			"points": `{"ui":{"visibility":["app"]}}`,
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("_meta of the tools -want +got:\n%s", diff)
	}
}

// assertContents checks the result of resources/read, which does not depend on the client (APP-02, APP-06).
func assertContents(t *testing.T, result json.RawMessage, uri, revision string) {
	t.Helper()
	all := decode[contents](t, result).Contents
	if len(all) != 1 {
		t.Fatalf("the contents are %s", result)
	}
	got := all[0]
	if got.URI != uri || got.MIMEType != apps.MIMEType || got.Text != document {
		t.Errorf("the contents are %+v", got)
	}
	want := `{"prefersBorder":true}`
	if revision < "2025-06-18" {
		want = ""
	}
	if ui := string(got.Meta["ui"]); ui != want {
		t.Errorf("_meta.ui of the contents is %q, want %q", ui, want)
	}
}

// TestDeclared checks that the server declares the extension and resources to clients of both eras (APP-06).
func TestDeclared(t *testing.T) {
	t.Parallel()
	tools, _ := served(t)
	type answer struct {
		Capabilities map[string]json.RawMessage
	}
	for name, capabilities := range map[string]map[string]json.RawMessage{
		"discover":   decode[answer](t, client{modern, `{}`}.ask(t, tools, request{"server/discover", `{}`})[1]).Capabilities,
		"initialize": decode[answer](t, client{"2025-06-18", `{}`}.ask(t, tools)[0]).Capabilities,
	} {
		if _, has := capabilities["resources"]; !has || !strings.Contains(string(capabilities["extensions"]), `"io.modelcontextprotocol/ui":{}`) {
			t.Errorf("%s: the capabilities are %s", name, capabilities)
		}
	}
}
