package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// post sends a modern request of a client without capabilities and returns the whole
// response.
func post(t *testing.T, url, method, name, params string) string {
	t.Helper()
	return postAs(t, "{}", url, method, name, params)
}

// postAs is post for a client with capabilities.
func postAs(t *testing.T, capabilities, url, method, name, params string) string {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}` + params + `}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for header, value := range map[string]string{"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name} {
		r.Header.Set(header, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func TestTools(t *testing.T) {
	t.Parallel()
	handler, err := streamhttp.NewHandler(newServer())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	tests := []struct {
		name string
		want []string
	}{
		{"json_schema_2020_12_tool", []string{`"isError":true`}},
		{"about", []string{`conformance suite`}},
		{"test_simple_text", []string{`"text":"This is a simple text response for testing."`}},
		{"test_image_content", []string{`"type":"image"`, `"mimeType":"image/png"`}},
		{"test_audio_content", []string{`"type":"audio"`, `"mimeType":"audio/wav"`}},
		{"test_embedded_resource", []string{`"uri":"test://embedded-resource"`}},
		{"test_multiple_content_types", []string{`"type":"text"`, `"type":"image"`, `"uri":"test://mixed-content-resource"`}},
		{"test_error_handling", []string{`"isError":true`, `"This tool intentionally returns an error for testing"`}},
		{"test_tool_with_progress", []string{`"progress":0,"total":100`, `"progress":50`, `"progress":100`, `"Done."`}},
		{"test_tool_with_logging", []string{`"Logged."`}},
		{"test_logging_tool", []string{`"Logged, if asked to."`}},
		{"test_missing_capability", []string{`"code":-32021`, `"data":{"requiredCapabilities":{"sampling":{}}}`}},
		{"test_streaming_elicitation", []string{`"Nothing was asked."`}},
		{"test_x_mcp_header", []string{`"Region: "`}},
		{"greet", []string{`"text":"Hello, !"`}},
		{"slow_compute", []string{`"text":"Computed: "`}},
		{"failing_job", []string{`"code":-32021`, `"data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`}},
		{"test_trigger_tool_change", []string{`"Changed."`}},
	}
	list := post(t, server.URL, "tools/list", "", "")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(list, `"name":"`+test.name+`"`) {
				t.Errorf("not listed: %s", list)
			}
			answer := post(t, server.URL, "tools/call", test.name, `,"name":"`+test.name+`","arguments":{}`)
			for _, part := range test.want {
				if !strings.Contains(answer, part) {
					t.Errorf("want %s in %s", part, answer)
				}
			}
		})
	}
	if changed := post(t, server.URL, "tools/list", "", ""); !strings.Contains(changed, `"test_changed"`) {
		t.Errorf("the list has not changed: %s", changed)
	}
}

// TestMethods tests the methods that do not concern tools.
func TestMethods(t *testing.T) {
	t.Parallel()
	handler, err := streamhttp.NewHandler(newServer())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, test := range []struct{ method, name, params, want string }{
		{"prompts/list", "", ``, `{"name":"test_simple_prompt","description":"Without arguments"}`},
		{"prompts/get", "test_simple_prompt", `,"name":"test_simple_prompt"`, `"messages":[{"role":"user","content":{"type":"text",`},
		{"prompts/get", "test_prompt_with_arguments", `,"name":"test_prompt_with_arguments","arguments":{"arg1":"a","arg2":"b"}`, `arg1=\"a\", arg2=\"b\"`},
		{"prompts/get", "test_prompt_with_embedded_resource", `,"name":"test_prompt_with_embedded_resource","arguments":{"resourceUri":"test://x"}`, `"resource":{"uri":"test://x"`},
		{"prompts/get", "test_prompt_with_image", `,"name":"test_prompt_with_image"`, `"mimeType":"image/png"`},
		{"prompts/get", "test_input_required_result_prompt", `,"name":"test_input_required_result_prompt"`, `"data":{"requiredCapabilities":{"elicitation":{"form":{}}}}`},
		{"prompts/get", "nope", `,"name":"nope"`, `"code":-32602`},
		{"completion/complete", "", `,"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"p"}`, `"completion":{"values":[],`},
		{"resources/list", "", ``, `"uri":"test://static-text"`},
		{"resources/templates/list", "", ``, `"uriTemplate":"test://template/{id}/data"`},
		{"resources/read", "test://static-text", `,"uri":"test://static-text"`, `"text":"This is the content of a text resource."`},
		{"resources/read", "test://static-binary", `,"uri":"test://static-binary"`, `"blob":"iVBOR`},
		{"resources/read", "test://template/7/data", `,"uri":"test://template/7/data"`, `"text":"The data of 7."`},
		{"resources/read", "test://template/7", `,"uri":"test://template/7"`, `"code":-32602,"message":"Resource not found","data":{"uri":"test://template/7"}`},
	} {
		if answer := post(t, server.URL, test.method, test.name, test.params); !strings.Contains(answer, test.want) {
			t.Errorf("%s %s: want %s in %s", test.method, test.name, test.want, answer)
		}
	}
}
