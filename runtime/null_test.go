package runtime_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// nullCases are messages with every optional member of every method that a client may send. Each @name is an
// optional member: absent once, and then null. A message that begins with legacy is sent
// after a handshake, others stand for themselves.
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
	{"legacy notifications/cancelled", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5@reason@_meta}}`},
	{"legacy notifications/roots/list_changed", `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"@params}`},
	{"server/discover", modernNull(`server/discover`, `@cursor`)},
	{"tools/list", modernNull(`tools/list`, `@cursor`)},
	{"tools/call", modernNull(`tools/call`, `,"name":"plain"@arguments@inputResponses@requestState@task`)},
	{"tools/call that asks", modernNull(`tools/call`, `,"name":"asks"@arguments@inputResponses@requestState`)},
	{"tasks/get", modernNull(`tasks/get`, `,"taskId":"none"`)},
	{"tasks/update", modernNull(`tasks/update`, `,"taskId":"none","inputResponses":{"a":{"x":1}}`)},
	{"tasks/cancel", modernNull(`tasks/cancel`, `,"taskId":"none"`)},
	{"subscriptions/listen", modernNull(`subscriptions/listen`,
		`,"notifications":{"x":1@toolsListChanged@promptsListChanged@resourcesListChanged@resourceSubscriptions@taskIds}`)},
}

// modernNull is a request of revision 2026-07-28 with the optional members of its _meta.
func modernNull(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}@sampling@roots@extensions}@io.modelcontextprotocol/clientInfo` +
		`@io.modelcontextprotocol/logLevel@progressToken@traceparent@tracestate@baggage}` + params + `}@result@error}`
}

var optionalMember = regexp.MustCompile(`@[A-Za-z_./]+`)

// TestNullIsAbsent: a client that writes null for what it leaves out is answered as one that leaves it out.
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
					t.Errorf("%s is null:\nsent %s\ngot  %s\nwant %s", name, null, got, want)
				}
			}
		})
	}
}

// nullAnswer sends a message, and a ping, and returns what comes before the answer to the ping.
func nullAnswer(t *testing.T, method, message string) (answers string) {
	t.Helper()
	plain := tool(t, "plain", func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil }, mcptool.Task(mcptool.TaskOptional))
	asks := tool(t, "asks", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{}, mcptool.Confirm(ctx, "Sure?")
	})
	w := open(t, serve(t, plain, asks))
	if strings.HasPrefix(method, "legacy") {
		w.handshake("2025-11-25")
	}
	w.send(message)
	if strings.Contains(message, `"id":1`) {
		answers = w.next()
		if before, _, found := strings.Cut(answers, `"requestState"`); found { // sealed anew each time
			answers = before
		}
	}
	w.send(`{"jsonrpc":"2.0","id":"end","method":"ping"}`)
	if next := w.next(); !strings.Contains(next, `"id":"end"`) {
		answers += "\n" + next
	}
	return answers
}

// TestNullAnswers: the same for what a client answers to a request of the server.
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
