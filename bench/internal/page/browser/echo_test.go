package browser_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A rawTool is a tool with any entry and result, also such as our framework would not allow.
type rawTool struct {
	name, schema string
	entry        string // the rest of the entry, beginning with a comma
	result       string // "" means that the arguments are returned as a text
}

// startRaw serves tools over HTTP as they are, and returns the URL. Extra are results of other methods.
func startRaw(t *testing.T, tools []rawTool, extra map[string]string) string {
	t.Helper()
	list, results := "", map[string]string{}
	for _, tool := range tools {
		if list != "" {
			list += ","
		}
		name, _ := json.Marshal(tool.name) // a string
		list += fmt.Sprintf(`{"name":%s,"inputSchema":%s%s}`, name, tool.schema, tool.entry)
		results[tool.name] = tool.result
	}
	answers := map[string]string{
		"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{},"resources":{}},"serverInfo":{"name":"raw","version":"1"}}`,
		"ping":       `{}`, "tools/list": `{"tools":[` + list + `]}`, "prompts/list": `{"prompts":[]}`, "resources/list": `{"resources":[]}`, "resources/templates/list": `{"resourceTemplates":[]}`,
	}
	for method, result := range extra {
		answers[method] = result
	}
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // an incomplete request is not JSON
		var request struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name      string
				Arguments json.RawMessage
			}
		}
		if r.Method != http.MethodPost || json.Unmarshal(body, &request) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if request.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		result, known := answers[request.Method]
		if request.Method == "tools/call" {
			if result, known = results[request.Params.Name], true; result == "" {
				text, _ := json.Marshal(string(request.Params.Arguments)) // a string
				result = `{"content":[{"type":"text","text":` + string(text) + `}]}`
			}
		}
		if !known {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, request.ID)
			return
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, request.ID, result)
	}))
	t.Cleanup(at.Close)
	return at.URL
}
