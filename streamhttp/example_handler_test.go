package streamhttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

type GreetIn struct {
	Name string `json:"name"`
}

type GreetOut struct {
	Greeting string `json:"greeting"`
}

func Greet(_ context.Context, in GreetIn) (GreetOut, error) {
	return GreetOut{"Hello, " + in.Name + "!"}, nil
}

// The handler goes where any other handler goes. A request of revision
// 2026-07-28 needs nothing before it: no handshake, no session.
func ExampleNewHandler() {
	greet, err := mcptool.New(Greet)
	if err != nil {
		fmt.Println(err)
		return
	}
	tools := &mcptool.Registry{}
	if err := tools.Add(greet); err != nil {
		fmt.Println(err)
		return
	}
	handler, err := streamhttp.NewHandler(&runtime.Server{Name: "greeter", Version: "1.0.0", Tools: tools})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(handler)
	defer server.Close()

	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, server.URL, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"},"_meta":{`+
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "greet",
	} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	fmt.Println(response.Status, err)
	fmt.Println(strings.Contains(string(body), `"structuredContent":{"greeting":"Hello, Ada!"}`))
	// Output:
	// 200 OK <nil>
	// true
}
