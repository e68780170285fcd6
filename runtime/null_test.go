package runtime_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// nullCases are messages with the optional members of every client method; TestNullCases checks that they are complete.
// Each @name is an optional member, which is tested absent and null. A message whose method begins with "legacy" is sent
// after a handshake.
var nullCases = []struct{ method, message string }{
	{"initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{"x":1@elicitation@sampling@roots@experimental@tasks},"clientInfo":{"name":"a","version":"1"@title@icons@websiteUrl@description}@_meta}}`},
	{"initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{"elicitation":{"x":1@form@url}},"clientInfo":{"name":"a","version":"1"}}}`},
	{"legacy ping", `{"jsonrpc":"2.0","id":1,"method":"ping"@params}`},
	{"legacy ping", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1@_meta}@result@error}`},
	{"legacy ping", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":1@progressToken}}}`},
	{"legacy tools/list", `{"jsonrpc":"2.0","id":1,"method":"tools/list"@params}`},
	{"legacy tools/list", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":1@cursor@_meta}}`},
	{"legacy tools/call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plain"@arguments@task@_meta@inputResponses@requestState}}`},
	{"legacy tools/call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plain","_meta":{"x":1@progressToken` +
		`@io.modelcontextprotocol/protocolVersion@io.modelcontextprotocol/logLevel}}}`},
	{"legacy logging/setLevel", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"@_meta}}`},
	{"legacy tasks/get", `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"none"@_meta}}`},
	{"legacy tasks/cancel", `{"jsonrpc":"2.0","id":1,"method":"tasks/cancel","params":{"taskId":"none"@_meta}}`},
	{"legacy tasks/result", `{"jsonrpc":"2.0","id":1,"method":"tasks/result","params":{"taskId":"none"@_meta}}`},
	{"legacy tasks/list", `{"jsonrpc":"2.0","id":1,"method":"tasks/list","params":{"x":1@cursor@_meta}}`},
	{"legacy prompts/list", `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"x":1@cursor@_meta}}`},
	{"legacy prompts/get", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"greet"@arguments@_meta}}`},
	{"legacy resources/list", `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"x":1@cursor@_meta}}`},
	{"legacy resources/templates/list", `{"jsonrpc":"2.0","id":1,"method":"resources/templates/list","params":{"x":1@cursor@_meta}}`},
	{"legacy resources/read", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"doc:x"@_meta}}`},
	{"legacy resources/subscribe", `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"doc:x"@_meta}}`},
	{"legacy resources/unsubscribe", `{"jsonrpc":"2.0","id":1,"method":"resources/unsubscribe","params":{"uri":"doc:x"@_meta}}`},
	{"legacy completion/complete", `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"greet"@title},` +
		`"argument":{"name":"tone","value":""}@context@_meta}}`},
	{"legacy completion/complete", `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"greet"},` +
		`"argument":{"name":"tone","value":""},"context":{"x":1@arguments}}}`},
	{"legacy notifications/initialized", `{"jsonrpc":"2.0","method":"notifications/initialized"@params}`},
	{"legacy notifications/cancelled", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5@reason@_meta}}`},
	{"legacy notifications/roots/list_changed", `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"@params}`},
	{"server/discover", modernNull(`server/discover`, `@cursor`)},
	{"tools/list", modernNull(`tools/list`, `@cursor`)},
	{"tools/call", modernNull(`tools/call`, `,"name":"plain"@arguments@inputResponses@requestState@task`)},
	{"tools/call that asks", modernNull(`tools/call`, `,"name":"asks"@arguments@inputResponses@requestState`)},
	{"prompts/list", modernNull(`prompts/list`, `@cursor`)},
	{"prompts/get", modernNull(`prompts/get`, `,"name":"greet"@arguments@inputResponses@requestState`)},
	{"resources/list", modernNull(`resources/list`, `@cursor`)},
	{"resources/templates/list", modernNull(`resources/templates/list`, `@cursor`)},
	{"resources/read", modernNull(`resources/read`, `,"uri":"doc:x"@inputResponses@requestState`)},
	{"completion/complete", modernNull(`completion/complete`, `,"ref":{"type":"ref/resource","uri":"doc:{id}"},"argument":{"name":"id","value":""}@context`)},
	{"tasks/get", modernNull(`tasks/get`, `,"taskId":"none"`)},
	{"tasks/update", modernNull(`tasks/update`, `,"taskId":"none","inputResponses":{"a":{"x":1}}`)},
	{"tasks/cancel", modernNull(`tasks/cancel`, `,"taskId":"none"`)},
	{"subscriptions/listen", modernNull(`subscriptions/listen`,
		`,"notifications":{"x":1@toolsListChanged@promptsListChanged@resourcesListChanged@resourceSubscriptions@taskIds}`)},
}

// modernNull returns a request of revision 2026-07-28 with the optional members of its _meta.
func modernNull(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}@sampling@roots@extensions}@io.modelcontextprotocol/clientInfo` +
		`@io.modelcontextprotocol/logLevel@progressToken@traceparent@tracestate@baggage}` + params + `}@result@error}`
}

// TestNullCases: each method of each era has a case with an optional member.
func TestNullCases(t *testing.T) {
	t.Parallel()
	has := map[string]bool{}
	for _, test := range nullCases {
		has[test.method] = optionalMember.MatchString(test.message)
	}
	for method, eras := range runtime.MethodEras() {
		for _, era := range eras {
			if name := strings.TrimPrefix(era+" "+method, "modern "); method != "initialize" && !has[name] {
				t.Errorf("nullCases has no message for %q", name)
			}
		}
	}
}

var optionalMember = regexp.MustCompile(`@[A-Za-z_./]+`)

// TestNullIsAbsent: a null member is answered like an absent one.
func TestNullIsAbsent(t *testing.T) {
	t.Parallel()
	for _, test := range nullCases {
		t.Run(test.method, func(t *testing.T) {
			t.Parallel()
			without := func(message string) string { return optionalMember.ReplaceAllString(message, "") }
			want := nullAnswer(t, test.method, without(test.message))
			for _, at := range optionalMember.FindAllStringIndex(test.message, -1) {
				name := test.message[at[0]+1 : at[1]]
				null := without(test.message[:at[0]]) + `,"` + name + `":null` + without(test.message[at[1]:])
				if got := nullAnswer(t, test.method, null); got != want {
					t.Errorf("null %s:\nsent %s\ngot  %s\nwant %s", name, null, got, want)
				}
			}
		})
	}
}

// nullAnswer sends a message and a ping, and returns the answers before that of the ping.
func nullAnswer(t *testing.T, method, message string) (answers string) {
	t.Helper()
	plain := tool(t, "plain", func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil }, mcptool.Task(mcptool.TaskSupportOptional))
	asks := tool(t, "asks", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{}, mcptool.Confirm(ctx, "Sure?")
	})
	srv := serve(t, plain, asks)
	addNullItems(t, srv)
	w := open(t, srv)
	if strings.HasPrefix(method, "legacy") {
		w.handshake("2025-11-25")
	}
	w.send(message)
	if strings.Contains(message, `"id":1`) {
		answers = w.next()
		if before, _, found := strings.Cut(answers, `"requestState"`); found { // differs each time
			answers = before
		}
	}
	w.send(`{"jsonrpc":"2.0","id":"end","method":"ping"}`)
	if next := w.next(); !strings.Contains(next, `"id":"end"`) {
		answers += "\n" + next
	}
	return answers
}

// addNullItems adds the prompt and the resource of nullCases.
func addNullItems(t *testing.T, srv *runtime.Server) {
	t.Helper()
	type greetIn struct {
		Tone string `json:"tone,omitempty" jsonschema:"enum=kind,enum=short"`
	}
	type docIn struct {
		ID string `json:"id" jsonschema:"enum=x,enum=y"`
	}
	srv.ClientLog = runtime.ClientLogAll
	prompt, err := mcptool.NewPrompt(func(context.Context, greetIn) (string, error) { return "Hello", nil }, mcptool.Name("greet"))
	if err != nil {
		t.Fatal(err)
	}
	resource, err := mcptool.NewResource(func(_ context.Context, in docIn) (string, error) { return in.ID, nil }, mcptool.Name("doc"), mcptool.URI("doc:{id}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Tools.Add(prompt, resource); err != nil {
		t.Fatal(err)
	}
}

// TestNullAnswers: null members of a client's response are ignored.
func TestNullAnswers(t *testing.T) {
	t.Parallel()
	type name struct {
		Name string `json:"name,omitempty"`
	}
	asks := tool(t, "asks", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		got, err := mcptool.Elicit[name](ctx, "Who?")
		return &mcptool.Result{Structured: got}, err
	})
	for _, answer := range []string{
		`"result":{"action":"accept","content":{"name":"Ada"}},"error":null`,
		`"result":{"action":"accept","content":{"name":"Ada"},"_meta":null}`,
		`"result":{"action":"accept","content":{"name":"Ada"}},"method":null`,
	} {
		w := open(t, serve(t, asks))
		w.handshakeAble("2025-11-25")
		w.send(legacy("1", "tools/call", `"name":"asks"`))
		w.want(`"id":1,"method":"elicitation/create"`)
		w.send(`{"jsonrpc":"2.0","id":1,` + answer + `}`)
		w.want(`"structuredContent":{"name":"Ada"}`)
	}
}
