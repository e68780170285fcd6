package mcptooltest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/mcpheader"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// HTTP serves srv with [streamhttp.Serve] on a port of loopback until the test ends, and returns a
// client of it. Other clients use its URL, and headers such as Authorization are added to its Header. A
// nil srv means the same as for Serve. Mistakes in srv or the options are errors of the test. The tools of
// extensions are in srv.Tools when HTTP returns. Calls that are still running when the test ends are
// cancelled.
//
//	client := mcptooltest.HTTP(t, srv, streamhttp.StaticTokens(tokens))
//	client.Header.Set("Authorization", "Bearer s3cret")
//	out := mcptooltest.CallAs[WeatherIn, WeatherOut](t, client, tool, WeatherIn{Location: "Lisbon"})
func HTTP(tb testing.TB, srv *runtime.Server, opts ...streamhttp.ServeOption) *Client {
	tb.Helper()
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	if srv != nil {
		_ = srv.Check() // adds the tools of extensions; Serve returns the mistakes
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(tb.Context()))
	served := make(chan error, 1)
	go func() {
		served <- streamhttp.Serve(ctx, l, srv, append([]streamhttp.ServeOption{streamhttp.Grace(0)}, opts...)...)
	}()
	tb.Cleanup(func() {
		stop()
		if err := <-served; err != nil && !errors.Is(err, context.DeadlineExceeded) { // calls were cancelled
			tb.Errorf("mcptooltest.HTTP: %v", err)
		}
	})
	return &Client{URL: "http://" + l.Addr().String() + "/mcp", Header: http.Header{}}
}

// modernRevision is the revision of a client with a URL.
const modernRevision = "2026-07-28"

// httpRequest is a request of a client with a URL. The params are members of an object, without its braces.
type httpRequest struct {
	method, params string
	name           string          // of the tool or prompt, the URI, or the id of the task; "" if there is none
	header         http.Header     // sent as well; nil means none
	capabilities   json.RawMessage // nil means [Client.Capabilities]
}

// httpCaller is a [Client] with a URL, with the methods that send requests to it.
type httpCaller struct{ *Client }

// request sends a request to c.URL, answers the requests of the server, and decodes the result.
func (c httpCaller) request(ctx context.Context, r *httpRequest, result any) error {
	if err := c.send(ctx, r, result); err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	return nil
}

// send is request with errors that do not contain the name.
func (c httpCaller) send(ctx context.Context, r *httpRequest, result any) error {
	a, err := rounds(c.user(), func(again string) (answer, error) {
		c.beginRun()
		response, err := c.post(ctx, r, again)
		if err != nil {
			return answer{}, err
		}
		defer func() { _ = response.Body.Close() }()
		return c.readResponse(response)
	})
	if err != nil {
		return err
	}
	return json.Unmarshal(a.raw, result)
}

// user returns the user who answers the requests of a server over HTTP.
func (c httpCaller) user() *user {
	return &user{answers: c.Answers, asked: len(c.Asked()), received: c.receive}
}

// post sends a request to c.URL. Again has further members of its params, "" in the first round.
func (c httpCaller) post(ctx context.Context, r *httpRequest, again string) (*http.Response, error) {
	capabilities := r.capabilities
	if capabilities == nil {
		capabilities = c.declared()
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"` + r.method + `","params":{"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"` +
		modernRevision + `","io.modelcontextprotocol/clientInfo":{"name":"mcptooltest","version":"1"},"io.modelcontextprotocol/clientCapabilities":` +
		string(capabilities) + `},` + r.params + again + `}}`
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, h := range []http.Header{c.Header, r.header, {
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"MCP-Protocol-Version": {modernRevision}, "Mcp-Method": {r.method}, "Mcp-Name": {headerValue(r.name)},
	}} {
		for name, values := range h {
			request.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	return http.DefaultClient.Do(request)
}

// receive records a request of a server.
func (c httpCaller) receive(r Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, r)
}

// readResponse reads the messages of a response up to the answer, and records progress.
func (c httpCaller) readResponse(response *http.Response) (answer, error) {
	for messages := newMessageReader(response); ; {
		m, err := messages.next()
		switch {
		case err != nil:
			return answer{}, err
		case m.Error != nil:
			return answer{}, messages.refused(m.Error)
		case m.Result != nil:
			a := answer{raw: m.Result, result: &callResult{}}
			return a, json.Unmarshal(m.Result, a.result)
		case m.Method == "notifications/progress":
			host(c).Progress(m.Params.Progress, m.Params.Total, m.Params.Message)
		}
	}
}

// serverMessage is a message of a server: a notification or an answer.
type serverMessage struct {
	Method string
	Params struct {
		Progress, Total float64
		Message         string
		URI             string
		Notifications   struct{ ResourceSubscriptions []string }
	}
	Result, Error json.RawMessage
}

// messageReader reads the messages of a response.
type messageReader struct {
	response *http.Response
	body     *bufio.Reader
	isStream bool
}

func newMessageReader(response *http.Response) *messageReader {
	isStream := strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream")
	return &messageReader{response: response, body: bufio.NewReader(response.Body), isStream: isStream}
}

// next returns the next message. The error is [io.EOF] if the stream has ended.
func (r *messageReader) next() (m serverMessage, err error) {
	delim := byte(0) // JSON does not contain it, so the text ends with the body
	if r.isStream {
		delim = '\n'
	}
	for {
		text, readErr := r.body.ReadBytes(delim)
		text, isData := bytes.CutPrefix(text, []byte("data:"))
		if r.isStream && !isData {
			if readErr != nil {
				return m, readErr
			}
			continue
		}
		if err := json.Unmarshal(text, &m); err != nil {
			return m, fmt.Errorf("%s: %s", r.response.Status, bytes.TrimSpace(text))
		}
		return m, nil
	}
}

// refused returns the error of an answer.
func (r *messageReader) refused(raw json.RawMessage) error {
	err := refusalOf(raw)
	if refusal, ok := errors.AsType[*refusal](err); ok && r.response.StatusCode == http.StatusForbidden {
		return fmt.Errorf("%w: %s", ErrHidden, refusal.Message)
	}
	return err
}

// headerValue returns a value as it is sent in a header that repeats a part of the body.
func headerValue(value string) string {
	if mcpheader.IsText(value) && strings.TrimSpace(value) == value && !strings.HasPrefix(value, "=?base64?") {
		return value
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
}

// paramHeaders returns the headers that repeat arguments of a call.
func paramHeaders(tool *mcptool.Tool, args []byte) http.Header {
	headers := http.Header{}
	for _, param := range internals.Settings(tool).Headers {
		value := json.RawMessage(args)
		for _, name := range param.Path {
			var members map[string]json.RawMessage
			_ = json.Unmarshal(value, &members) // only an object has members
			value = members[name]
		}
		text := string(value)
		if strings.HasPrefix(text, `"`) {
			_ = json.Unmarshal(value, &text) // the server reports invalid arguments
		}
		if value != nil && string(value) != "null" {
			headers.Set("Mcp-Param-"+param.Name, headerValue(text))
		}
	}
	return headers
}

// call is [Client.Call] with a URL.
func (c httpCaller) call(ctx context.Context, tool *mcptool.Tool, args []byte) (*mcptool.Result, error) {
	var r wireResult
	if err := c.request(ctx, callRequest(tool, args), &r); err != nil {
		return nil, err
	}
	return r.decoded(), nil
}

// callRequest returns the request that calls the tool.
func callRequest(tool *mcptool.Tool, args []byte) *httpRequest {
	name := tool.Info().Name
	return &httpRequest{
		method: "tools/call", name: name, header: paramHeaders(tool, args),
		params: `"name":` + quoted(name) + `,"arguments":` + cmp.Or(string(args), "{}"),
	}
}

// wireResult is the result of a call of a tool.
type wireResult struct {
	Content           []wireContent
	StructuredContent json.RawMessage
	IsError           bool
}

// decoded returns the result as the tool has returned it.
func (r *wireResult) decoded() *mcptool.Result {
	result := &mcptool.Result{IsError: r.IsError}
	if r.StructuredContent != nil {
		result.Structured = r.StructuredContent
	}
	for _, block := range r.Content {
		result.Content = append(result.Content, block.Content)
	}
	return result
}

// prompt is [Client.Prompt] with a URL.
func (c httpCaller) prompt(ctx context.Context, prompt *mcptool.Prompt, args map[string]string) (*mcptool.PromptResult, error) {
	var r struct {
		Description string
		Messages    []struct {
			Role    mcptool.Role
			Content wireContent
		}
	}
	name := prompt.Info().Name
	arguments, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	params := `"name":` + quoted(name) + `,"arguments":` + string(arguments)
	if err := c.request(ctx, &httpRequest{method: "prompts/get", name: name, params: params}, &r); err != nil {
		return nil, err
	}
	result := &mcptool.PromptResult{Description: r.Description}
	for _, m := range r.Messages {
		result.Messages = append(result.Messages, mcptool.Message{Role: m.Role, Content: m.Content.Content})
	}
	return result, nil
}

// read is [Client.Read] with a URL.
func (c httpCaller) read(ctx context.Context, uri string) ([]mcptool.ResourceContents, error) {
	var r struct{ Contents []mcptool.ResourceContents }
	err := c.request(ctx, &httpRequest{method: "resources/read", name: uri, params: `"uri":` + quoted(uri)}, &r)
	return r.Contents, err
}

// contentTypes are the zero values of the types of content, by their names in the protocol.
var contentTypes = func() map[string]mcptool.Content {
	types := map[string]mcptool.Content{}
	for _, zero := range internals.ContentTypes() {
		var written contentBlock
		raw := internals.AppendContent(nil, zero, &private.ContentForm{Revision: modernRevision}, nil, 0)
		_ = json.Unmarshal(raw, &written) // cannot fail for a block
		types[written.Type] = zero
	}
	return types
}()

// wireContent is a content block that is decoded from its JSON, without its _meta. The members have the
// names of the fields, in another case.
type wireContent struct{ mcptool.Content }

// UnmarshalJSON implements [json.Unmarshaler].
func (c *wireContent) UnmarshalJSON(raw []byte) error {
	var kind struct{ Type string }
	if err := json.Unmarshal(raw, &kind); err != nil {
		return err
	}
	zero, ok := contentTypes[kind.Type]
	if !ok {
		return fmt.Errorf("unknown type of content: %s", raw)
	}
	block := reflect.New(reflect.TypeOf(zero))
	err := json.Unmarshal(raw, block.Interface())
	c.Content, _ = reflect.TypeAssert[mcptool.Content](block.Elem())
	return err
}
