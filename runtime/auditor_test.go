package runtime_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// auditor watches a connection and holds every message the server sends against the
// official schema of its revision, by definition, and against the members of that
// revision. It also checks what no schema says: UTF-8 without repeated names
// (T-RPC-17), a result or an error (T-RPC-07), notifications without an id and no
// requests (T-RPC-13, T-RPC-22, T-RPC-05), errors in one line with one of our codes
// (T-RPC-09, T-RPC-10, T-ERR-01 to T-ERR-05, T-ERR-08).
type auditor struct {
	schemas  *schemaSet // nil if they are not at hand
	revision string     // of the legacy session, "" if there is none
	open     map[string]asked
	tokens   map[string]string // progress token -> revision
	problems []string
	count    int
	spoken   map[string]int // revision -> messages held against it
}

// asked is a request that waits for its response.
type asked struct{ method, revision string }

func newAuditor(t *testing.T) *auditor {
	t.Helper()
	return &auditor{schemas: officialSchemas(t), open: map[string]asked{}, tokens: map[string]string{}, spoken: map[string]int{}}
}

// results names the definition of each method's result.
var results = map[string]string{
	"initialize":           "InitializeResult",
	"ping":                 "EmptyResult",
	"logging/setLevel":     "EmptyResult",
	"server/discover":      "DiscoverResult",
	"tools/list":           "ListToolsResult",
	"tools/call":           "CallToolResult",
	"subscriptions/listen": "SubscriptionsListenResult",
}

// notes names the definition of each notification.
var notes = map[string]string{
	"notifications/progress":                   "ProgressNotification",
	"notifications/message":                    "LoggingMessageNotification",
	"notifications/tools/list_changed":         "ToolListChangedNotification",
	"notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
	"notifications/cancelled":                  "CancelledNotification",
}

// errorCodes are all that we send.
var errorCodes = []int{-32700, -32600, -32601, -32602, -32603, -32022}

const modernRevision = "2026-07-28"

// incoming is as much of a client's message as we care for.
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

// received looks at what the client sends, to know what answers will mean.
func (a *auditor) received(line []byte) {
	var items []json.RawMessage
	if json.Unmarshal(line, &items) != nil {
		items = []json.RawMessage{line}
	}
	for _, item := range items {
		var m incoming
		if json.Unmarshal(item, &m) != nil {
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
		a.problem(msg, "no JSON-RPC message: %v", err)
		return
	}
	method, isNote := object["method"].(string)
	id, hasID := object["id"]
	_, hasResult := object["result"]
	_, hasError := object["error"]
	switch {
	case isNote && hasID:
		a.problem(msg, "the server asks the client something")
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

// note checks a notification.
func (a *auditor) note(msg []byte, method string, object map[string]any) {
	var m struct {
		Params struct {
			Token json.RawMessage `json:"progressToken"`
			Meta  map[string]any  `json:"_meta"`
		}
	}
	_ = json.Unmarshal(msg, &m)
	revision := a.revision
	if _, tagged := m.Params.Meta["io.modelcontextprotocol/subscriptionId"]; tagged || revision == "" {
		revision = modernRevision
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
		q.revision = "2025-11-25" // before any handshake: the form that all share
	}
	a.members(msg, "Response", object, q.revision)
	old := q.revision < "2025-11-25"
	if _, failed := object["error"]; failed {
		if !slices.Contains(errorCodes, m.Error.Code) || m.Error.Message == "" || strings.ContainsAny(m.Error.Message, "\r\n") {
			a.problem(msg, "not an error of ours: %d %q", m.Error.Code, m.Error.Message)
		}
		switch {
		case m.Error.Code == -32022:
			a.validate(msg, modernRevision, "UnsupportedProtocolVersionError", object)
		case !old:
			a.validate(msg, q.revision, "JSONRPCErrorResponse", object)
		case hasID: // older schemas know no error without an id
			a.validate(msg, q.revision, "JSONRPCError", object)
		}
		return
	}
	definition := "JSONRPCResultResponse"
	if old {
		definition = "JSONRPCResponse"
	}
	a.validate(msg, q.revision, definition, object)
	a.validate(msg, q.revision, results[q.method], object["result"])
	a.members(msg, results[q.method], object["result"], q.revision)
	if q.revision == modernRevision && m.Result.ResultType != "complete" {
		a.problem(msg, "resultType is %q", m.Result.ResultType)
	}
}

func (a *auditor) members(msg []byte, kind string, value any, revision string) {
	for _, p := range checkMembers(kind, kind, value, revision) {
		a.problem(msg, "%s", p)
	}
}

// validate holds value against a definition of the official schema.
func (a *auditor) validate(msg []byte, revision, definition string, value any) {
	if definition == "" {
		a.problem(msg, "a message that revision %s does not define", revision)
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
	if err != nil {
		a.problem(msg, "%s %s: %v", revision, definition, err)
	}
}

func (a *auditor) problem(msg []byte, format string, args ...any) {
	a.problems = append(a.problems, fmt.Sprintf(format, args...)+"\nin "+string(msg[:min(len(msg), 2000)]))
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
	if !jsontext.Value(text).IsValid() {
		return fmt.Errorf("not strict JSON: %w", jsontext.NewDecoder(bytes.NewReader(text)).SkipValue())
	}
	return nil
}

// schemaSet compiles definitions of the official schemas, each once.
type schemaSet struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
	group    map[string]string // revision -> $defs or definitions
}

// sharedDir is where the reference data of the project lies: the directory shared
// beside the checkout, unless MCPTOOL_SHARED says otherwise.
func sharedDir() string {
	if dir := os.Getenv("MCPTOOL_SHARED"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "shared")
}

var loadSchemas = sync.OnceValues(func() (*schemaSet, error) {
	set := &schemaSet{compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}, group: map[string]string{}}
	for _, revision := range revisions {
		text, err := os.ReadFile(filepath.Join(sharedDir(), "spec", "schema", revision+".json"))
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		if err := set.compiler.AddResource(schemaURL(revision), doc); err != nil {
			return nil, err
		}
		set.group[revision] = "definitions"
		if object, _ := doc.(map[string]any); object["$defs"] != nil {
			set.group[revision] = "$defs"
		}
	}
	return set, nil
})

func schemaURL(revision string) string { return "urn:mcp:" + revision }

// officialSchemas returns the schemas, or nil after saying that they are not at hand.
func officialSchemas(t *testing.T) *schemaSet {
	t.Helper()
	set, err := loadSchemas()
	if err != nil {
		t.Logf("messages are not held against the official schemas, which are not at hand; MCPTOOL_SHARED can say where they are: %v", err)
	}
	return set
}

func (s *schemaSet) definition(revision, name string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	url := schemaURL(revision) + "#/" + s.group[revision] + "/" + name
	if schema := s.compiled[url]; schema != nil {
		return schema, nil
	}
	schema, err := s.compiler.Compile(url)
	s.compiled[url] = schema
	return schema, err
}

// TestAuditor plants faults: an auditor that finds nothing proves nothing.
func TestAuditor(t *testing.T) {
	t.Parallel()
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`
	for _, test := range []struct {
		name, revision, ask, answer, want string
	}{
		{"fine", "2025-03-26", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}}`, ""},
		{"audio too early", "2024-11-05", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}}`, "has no such member in Block:audio"},
		{"newer member", "2025-03-26", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{}}}`, "structuredContent"},
		{"wrong type", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"result":{"content":{}}}`, "CallToolResult"},
		{"null id", "2025-06-18", call, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, "an id is null"},
		{"both", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[]},"error":{"code":1,"message":"x"}}`, "or both"},
		{"array", "2025-06-18", call, `[{"jsonrpc":"2.0","id":1,"result":{"content":[]}}]`, "an array in revision"},
		{"repeated name", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"id":1,"result":{"content":[]}}`, "not strict JSON"},
		{"foreign code", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"x"}}`, "not an error of ours"},
		{"lines", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x\ny"}}`, "not an error of ours"},
		{"request", "2025-06-18", call, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "asks the client"},
		{"unknown note", "2025-06-18", call, `{"jsonrpc":"2.0","method":"notifications/nope"}`, "does not define"},
		{"modern member in legacy", "2025-11-25", call, `{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"b"}}}}`, "serverInfo"},
	} {
		a := newAuditor(t)
		a.revision = test.revision
		a.received([]byte(test.ask))
		a.sent([]byte(test.answer))
		if a.schemas == nil && test.name == "wrong type" {
			continue
		}
		if found := strings.Join(a.problems, "\n"); (found == "") != (test.want == "") || !strings.Contains(found, test.want) {
			t.Errorf("%s: found %q, want %q", test.name, found, test.want)
		}
	}
	if !slices.Contains(revisions, modernRevision) {
		t.Error("the modern revision is not among the revisions")
	}
}

// TestOfficialSchemas says whether the messages of this run were held against them.
func TestOfficialSchemas(t *testing.T) {
	t.Parallel()
	set := officialSchemas(t)
	if set == nil {
		t.Skip("the official schemas are not at hand: messages were held against the table of members only")
	}
	for _, revision := range revisions {
		if _, err := set.definition(revision, "CallToolResult"); err != nil {
			t.Error(err)
		}
	}
}
