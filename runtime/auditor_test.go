package runtime_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/testing/ijson"
)

// auditor checks every message of a server against the official schema of its revision and
// against the table of members. It also checks what schemas cannot express: strict JSON
// (UTF-8, no repeated names), either a result or an error, notifications without an id,
// requests only in legacy revisions and with unique ids, errors with a known code and one
// line. TestAuditor names the requirements.
type auditor struct {
	schemas  *schemaSet // nil if not available
	revision string     // of the legacy session; "": none
	open     map[string]asked
	asked    map[string]bool   // ids of requests of the server
	tokens   map[string]string // progress token -> revision
	tools    map[string]any    // revision and name of a tool -> its entry in the latest result
	problems []string
	count    int
	spoken   map[string]int // revision -> number of validations
}

// asked is a request that waits for its response.
type asked struct{ method, revision string }

func newAuditor(t *testing.T) *auditor {
	t.Helper()
	return &auditor{
		schemas: officialSchemas(t), open: map[string]asked{}, asked: map[string]bool{}, tokens: map[string]string{},
		tools: map[string]any{}, spoken: map[string]int{},
	}
}

// resultOf returns the schema definition of a result and its name in the table of members,
// or "" for a method that no specification defines.
func resultOf(method, resultType string) (definition, members string) {
	own := strings.HasPrefix(method, "example/")
	switch {
	case resultType == "input_required" && (own || slices.Contains([]string{"tools/call", "prompts/get", "resources/read"}, method)):
		return "InputRequiredResult", "InputRequiredResult"
	case own:
		return "Result", ""
	default:
		return results[method].definition, results[method].kind
	}
}

// notes maps the method of each notification to its definition.
var notes = map[string]string{
	"notifications/progress":                   "ProgressNotification",
	"notifications/message":                    "LoggingMessageNotification",
	"notifications/tools/list_changed":         "ToolListChangedNotification",
	"notifications/prompts/list_changed":       "PromptListChangedNotification",
	"notifications/resources/list_changed":     "ResourceListChangedNotification",
	"notifications/resources/updated":          "ResourceUpdatedNotification",
	"notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
	"notifications/cancelled":                  "CancelledNotification",
	"notifications/tasks/status":               "TaskStatusNotification",
	"notifications/tasks":                      "Notification", // of the tasks extension, which has no schema
	"example/said":                             "Notification", // not in any schema
}

// errorCodes are the error codes of the server. Custom methods may have others.
var errorCodes = []int{-32700, -32600, -32601, -32602, -32603, -32002, -32021, -32022}

const modernRevision = "2026-07-28"

// incoming is the part of a client's message that the auditor uses.
type incoming struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Meta struct {
			Token   json.RawMessage `json:"progressToken"`
			Version any             `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
}

// received records a client's requests and progress tokens, to interpret the answers.
func (a *auditor) received(line []byte) {
	var items []json.RawMessage
	if json.Unmarshal(line, &items) != nil {
		items = []json.RawMessage{line}
	}
	for _, item := range items {
		var m incoming
		_ = json.Unmarshal(item, &m) // sets the fields it can, for example if params is an array
		if m.Method == "" {
			continue
		}
		revision := a.revision
		if m.Params.Meta.Version != nil {
			revision = modernRevision
		}
		a.open[string(m.ID)] = asked{m.Method, revision}
		if m.Params.Meta.Token != nil {
			a.tokens[string(m.Params.Meta.Token)] = revision
		}
	}
}

// sent checks what the server sends.
func (a *auditor) sent(msg []byte) {
	if msg[0] == '[' {
		var items []json.RawMessage
		if err := json.Unmarshal(msg, &items); err != nil || a.revision != "2025-03-26" || len(items) == 0 {
			a.problem(msg, "an array in revision %q: %v", a.revision, err)
		}
		for _, item := range items {
			a.sent(item)
		}
		return
	}
	a.count++
	if err := strictJSON(msg); err != nil {
		a.problem(msg, "%v", err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(msg))
	object, ok := value.(map[string]any)
	if err != nil || !ok || object["jsonrpc"] != "2.0" {
		a.problem(msg, "not a JSON-RPC message: %v", err)
		return
	}
	method, isNote := object["method"].(string)
	id, hasID := object["id"]
	_, hasResult := object["result"]
	_, hasError := object["error"]
	switch {
	case isNote && hasID:
		a.request(msg, method, object)
	case isNote:
		a.note(msg, method, object)
	case hasID && id == nil:
		a.problem(msg, "an id is null")
	case hasResult == hasError:
		a.problem(msg, "neither a result nor an error, or both")
	default:
		a.response(msg, object, hasID)
	}
}

// requests maps the method of each request that a server may send to its definition.
var requests = map[string]string{
	"elicitation/create":     "ElicitRequest",
	"sampling/createMessage": "CreateMessageRequest",
	"roots/list":             "ListRootsRequest",
	"ping":                   "PingRequest",
}

// request checks a request of the server. Only legacy revisions allow requests, each with its
// own id.
func (a *auditor) request(msg []byte, method string, object map[string]any) {
	id := fmt.Sprint(object["id"])
	switch {
	case requests[method] == "" || a.revision == "" || a.revision == modernRevision:
		a.problem(msg, "this revision does not allow requests to the client")
		return
	case a.asked[id]:
		a.problem(msg, "the server reuses a request id")
	}
	a.asked[id] = true
	a.validate(msg, a.revision, "JSONRPCRequest", object)
	a.validate(msg, a.revision, requests[method], object)
	a.members(msg, "Request", object, a.revision)
	if params, ok := object["params"]; ok {
		a.members(msg, method, params, a.revision)
	}
}

// note checks a notification.
func (a *auditor) note(msg []byte, method string, object map[string]any) {
	var m struct {
		Params struct {
			Token json.RawMessage `json:"progressToken"`
			Meta  map[string]any  `json:"_meta"`
		}
	}
	_ = json.Unmarshal(msg, &m)
	if method == "notifications/tools/list_changed" {
		clear(a.tools)
	}
	revision := a.revision
	if _, tagged := m.Params.Meta["io.modelcontextprotocol/subscriptionId"]; tagged || revision == "" {
		revision = modernRevision
	}
	if method == "notifications/cancelled" && revision == modernRevision && m.Params.Meta["io.modelcontextprotocol/subscriptionId"] == nil {
		a.problem(msg, "the cancelled request is not a subscription")
	}
	if m.Params.Token != nil {
		revision = a.tokens[string(m.Params.Token)]
	}
	a.validate(msg, revision, "JSONRPCNotification", object)
	a.validate(msg, revision, notes[method], object)
	a.members(msg, "Notification", object, revision)
	if params, ok := object["params"]; ok {
		a.members(msg, method, params, revision)
	}
}

// response checks a response.
func (a *auditor) response(msg []byte, object map[string]any, hasID bool) {
	var m struct {
		ID     json.RawMessage
		Result struct{ ProtocolVersion, ResultType string }
		Error  struct {
			Code    int
			Message string
		}
	}
	_ = json.Unmarshal(msg, &m)
	q := a.open[string(m.ID)]
	if q.method == "initialize" && q.revision != modernRevision && m.Result.ProtocolVersion != "" {
		a.revision = m.Result.ProtocolVersion
		q.revision = a.revision
	}
	if q.revision == "" {
		q.revision = "2025-11-25" // before a handshake: the form that all revisions share
	}
	a.members(msg, "Response", object, q.revision)
	old := q.revision < "2025-11-25"
	if _, failed := object["error"]; failed {
		own := strings.HasPrefix(q.method, "example/") && (m.Error.Code < -32768 || m.Error.Code > -32000)
		if !own && !slices.Contains(errorCodes, m.Error.Code) || m.Error.Message == "" || strings.ContainsAny(m.Error.Message, "\r\n") {
			a.problem(msg, "unknown error: %d %q", m.Error.Code, m.Error.Message)
		}
		switch {
		case m.Error.Code == -32002 && q.revision == modernRevision:
			a.problem(msg, "a code that revision %s does not define", q.revision)
		case m.Error.Code == -32021:
			a.validate(msg, modernRevision, "MissingRequiredClientCapabilityError", object)
			if q.revision != modernRevision {
				a.problem(msg, "a code that revision %s does not define", q.revision)
			}
		case m.Error.Code == -32022:
			a.validate(msg, modernRevision, "UnsupportedProtocolVersionError", object)
		case !old:
			a.validate(msg, q.revision, "JSONRPCErrorResponse", object)
		case hasID: // older schemas define no error without an id
			a.validate(msg, q.revision, "JSONRPCError", object)
		}
		return
	}
	definition := "JSONRPCResultResponse"
	if old {
		definition = "JSONRPCResponse"
	}
	a.validate(msg, q.revision, definition, object)
	definition, members := resultOf(q.method, m.Result.ResultType)
	if result, ok := object["result"].(map[string]any); ok {
		if d, kind, ok := ofTasks(q, result); ok {
			definition, members = d, kind
		}
	}
	a.validate(msg, q.revision, definition, object["result"])
	if members != "" {
		a.members(msg, members, object["result"], q.revision)
		a.entries(msg, q, memberKinds[members], object["result"])
	}
	if q.revision == modernRevision && m.Result.ResultType != "complete" && members != "InputRequiredResult" && members != "FlatTask" {
		a.problem(msg, "resultType is %q", m.Result.ResultType)
	}
}

func (a *auditor) members(msg []byte, kind string, value any, revision string) {
	for _, p := range checkMembers(kind, kind, value, revision) {
		a.problem(msg, "%s", p)
	}
}

// validate checks value against a definition of the official schema.
func (a *auditor) validate(msg []byte, revision, definition string, value any) {
	if definition == "" {
		a.problem(msg, "a message that revision %s does not define: if it answers a new method, runtime/testdata/protocol.txt "+
			"has no line method(param: kind) -> Result for that, or - as the result", revision)
		return
	}
	a.spoken[revision]++
	if a.schemas == nil {
		return
	}
	schema, err := a.schemas.definition(revision, definition)
	if err == nil {
		err = schema.Validate(value)
	}
	if err == nil {
		return
	}
	if block := a.schemas.undefinedContent(revision, value); block != "" {
		a.problem(msg, "the schema of revision %s has no content of type %q", revision, block)
		return
	}
	a.problem(msg, "%s %s: %v", revision, definition, err)
}

// problem records a problem, with the beginning of the message.
func (a *auditor) problem(msg []byte, format string, args ...any) {
	a.problems = append(a.problems, fmt.Sprintf(format, args...)+"\nin "+string(msg[:min(len(msg), 300)]))
}

// report fails the test for every problem found.
func (a *auditor) report(t *testing.T) {
	t.Helper()
	for _, p := range a.problems {
		t.Error(p)
	}
}

// strictJSON checks that text is one JSON value without repeated names.
func strictJSON(text []byte) error {
	if err := ijson.Unique(text); err != nil {
		return fmt.Errorf("not strict JSON: %w", err)
	}
	return nil
}

// TestAuditor checks that the auditor finds planted faults.
func TestAuditor(t *testing.T) {
	t.Parallel()
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`
	for _, test := range []struct {
		name, revision, ask, answer, want string
	}{
		{"fine", "2025-03-26", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}}`, ""},
		{"T-CONT-03 T-CONT-07 audio too early", "2024-11-05", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}}`, "has no such member in Block:audio"},
		{"newer member", "2025-03-26", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{}}}`, "structuredContent"},
		{"wrong type", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"result":{"content":{}}}`, "CallToolResult"},
		{"T-RPC-03 null id", "2025-06-18", call, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, "an id is null"},
		{"T-RPC-07 both", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[]},"error":{"code":1,"message":"x"}}`, "or both"},
		{"T-RPC-19 T-RPC-21 array", "2025-06-18", call, `[{"jsonrpc":"2.0","id":1,"result":{"content":[]}}]`, "an array in revision"},
		{"T-RPC-17 repeated name", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"id":1,"result":{"content":[]}}`, "not strict JSON"},
		{"T-RPC-07 neither", "2025-06-18", call, `{"jsonrpc":"2.0","id":1}`, "neither a result nor an error"},
		{"T-RPC-08 result not an object", "2025-11-25", call, `{"jsonrpc":"2.0","id":1,"result":[]}`, "not a CallToolResult"},
		{"T-ERR-01 T-ERR-04 foreign code", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"x"}}`, "unknown error"},
		{"T-RPC-17 not UTF-8", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + "\xff" + `"}]}}`, "not strict JSON"},
		{"T-RPC-01 no jsonrpc member", "2025-06-18", call, `{"id":1,"result":{"content":[]}}`, "not a JSON-RPC message"},
		{"T-RPC-01 other JSON-RPC version", "2025-06-18", call, `{"jsonrpc":"1.0","id":1,"result":{"content":[]}}`, "not a JSON-RPC message"},
		{"T-ERR-03 code of an older revision", modernRevision, modern("1", "tools/call", `,"name":"x"`), `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"x"}}`, "unknown error"},
		{"T-META-11 no resultType", modernRevision, modern("1", "tools/call", `,"name":"x"`), `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, "resultType is"},
		{"T-CONT-07 undefined content type", "2025-11-25", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"hologram","data":"","mimeType":"video/mp4"}]}}`, "Block:hologram"},
		{"T-CONT-07 content type not in the schema", "2025-11-25", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"},{"type":"hologram"}]}}`, `the schema of revision 2025-11-25 has no content of type "hologram"`},
		{"T-CONT-07 audio not in the schema", "2024-11-05", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}}`, `the schema of revision 2024-11-05 has no content of type "audio"`},
		{"T-RPC-09 error without a message", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}`, "unknown error"},
		{"T-RPC-09 error without a code", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}`, "unknown error"},
		{"T-RPC-10 message of two lines", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x\ny"}}`, "unknown error"},
		{"T-RPC-22 request", "2026-07-28", call, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "does not allow requests"},
		{"T-RPC-13 notification with an id", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"method":"notifications/tools/list_changed"}`, "does not allow requests"},
		{"T-ERR-08 error instead of URL elicitation", "2025-11-25", call, `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"x","data":{"elicitations":[]}}}`, "unknown error"},
		{"T-ELIC-02 elicitation", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}`, ""},
		{"T-ELIC-01 elicitation too early", "2025-03-26", call, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}`, "no such member in elicitation/create"},
		{"T-ELIC-08 elicitation mode too early", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}}}`, "elicitation/create.mode"},
		{"T-PING-02 ping", "2024-11-05", call, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, ""},
		{"T-PING-03 ping too late", modernRevision, call, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "does not allow requests"},
		{"T-ELIC-03 elicitation too late", modernRevision, call, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?"}}`, "does not allow requests"},
		{"T-RPC-05 reused id", "2025-03-26", call, `[{"jsonrpc":"2.0","id":1,"method":"roots/list"},{"jsonrpc":"2.0","id":1,"method":"roots/list"}]`, "reuses a request id"},
		{"T-MRTR-03 id in an input request", modernRevision, modern("1", "tools/call", `,"name":"x"`), `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"q1":{"id":1,"method":"roots/list"}}}}`, "q1.id"},
		{"T-LIST-15 list with input_required", modernRevision, modern("1", "tools/list", ""), `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"x","tools":[],"ttlMs":0,"cacheScope":"private"}}`, "resultType is"},
		{"T-CANC-10 cancellation of a call", "", call, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "is not a subscription"},
		{"unknown note", "2025-06-18", call, `{"jsonrpc":"2.0","method":"notifications/nope"}`, "does not define"},
		{"T-META-12 modern member in legacy", "2025-11-25", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"b"}}}}`, "serverInfo"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := newAuditor(t)
			a.revision = test.revision
			a.received([]byte(test.ask))
			a.sent([]byte(test.answer))
			if a.schemas == nil && (strings.HasSuffix(test.want, "Result") || strings.HasPrefix(test.want, "the schema of ")) {
				t.Skip("needs the official schemas")
			}
			if found := strings.Join(a.problems, "\n"); (found == "") != (test.want == "") || !strings.Contains(found, test.want) {
				t.Errorf("found %q, want %q", found, test.want)
			}
		})
	}
	if !slices.Contains(revisions, modernRevision) {
		t.Error("revisions lacks the modern revision")
	}
}
