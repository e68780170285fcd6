package streamhttp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// Each user has a token. A real program reads the tokens from a file or its environment.
func ExampleStaticTokens() {
	tokens := map[string]streamhttp.Token{
		"s3cret-1": {Principal: "ada", Scopes: []string{"notes:read", "notes:write"}},
		"s3cret-2": {Principal: "bob", Scopes: []string{"notes:read"}},
	}
	tools := &mcptool.Registry{}
	tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) {
		return mcptool.Caller(ctx).Principal, nil
	}, mcptool.Name("whoami"))
	if err == nil {
		err = tools.Add(tool)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	handler, err := streamhttp.NewHandler(&runtime.Server{Tools: tools}, streamhttp.StaticTokens(tokens))
	if err != nil {
		fmt.Println(err)
		return
	}

	for _, token := range []string{"s3cret-1", "s3cret-2", "guess"} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}`))
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25",
			"Authorization": "Bearer " + token,
		} {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 200 {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"result":"ada"},"content":[{"type":"text","text":"ada"}]}}
	// 200 {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"result":"bob"},"content":[{"type":"text","text":"bob"}]}}
	// 401 {"jsonrpc":"2.0","error":{"code":-32600,"message":"the token is not valid"}}
}
