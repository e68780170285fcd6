package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A script maps methods to the messages that a server answers with, without ids. All but the last are notifications and
// requests from the server.
type script map[string][]any

// ServeHTTP answers each request with its messages, as JSON or, if there are several, as a stream of events.
func (s script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
		}
	}
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if json.NewDecoder(r.Body).Decode(&request) != nil || request.ID == nil || request.Method == "" {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	messages, known := s[request.Method]
	if !known {
		messages = []any{map[string]any{"error": map[string]any{"code": -32601, "message": "unknown method"}}}
	}
	if len(messages) > 1 {
		w.Header().Set("Content-Type", "text/event-stream")
	} else {
		w.Header().Set("Content-Type", "application/json")
	}
	for i, message := range messages {
		text, _ := json.Marshal(message)
		head := `{"jsonrpc":"2.0",`
		if i == len(messages)-1 {
			head += fmt.Sprintf(`"id":%s,`, request.ID)
		} else {
			text = bytes.ReplaceAll(text, []byte(`"TOKEN"`), request.Params.Meta.ProgressToken)
		}
		text = []byte(head + strings.TrimPrefix(string(text), "{"))
		if len(messages) > 1 {
			text = fmt.Appendf(nil, "data: %s\n\n", text)
		}
		_, _ = w.Write(text)
	}
}

func fromJSON(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// scripts returns working servers of both eras, with a value in every member of the protocol.
func scripts(t *testing.T) map[string]script {
	t.Helper()
	tools := fromJSON(t, `{"result":{"resultType":"complete","tools":[{
		"name":"look","title":"Look","description":"Looks around.","icons":[{"src":"https://e.example/i.png","mimeType":"image/png","sizes":["48x48"]}],
		"inputSchema":{"type":"object","title":"In","description":"Arguments","properties":{
			"size":{"type":"string","title":"Size","description":"How large","enum":["s","l"],"enumNames":["Small","Large"],"default":"s"},
			"day":{"type":"string","format":"date","pattern":"^[0-9-]*$","examples":["2026-01-01"]},
			"kind":{"oneOf":[{"const":"a","title":"A kind"},{"$ref":"#/$defs/other"}]},
			"tags":{"type":"array","items":{"type":"string"}},"fixed":{"const":"x","x-mcp-header":"Fixed"}},
			"$defs":{"other":{"const":"o","title":"Other"}},"additionalProperties":false},
		"outputSchema":{"type":"object","properties":{"sum":{"type":"string","description":"The sum"}}},
		"annotations":{"title":"Look around","readOnlyHint":true,"openWorldHint":false},"execution":{"taskSupport":"optional"},"_meta":{"com.example/owner":"shop"}},
		{"name":"wipe","description":"Wipes","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}},
		{"name":"wipe_all","inputSchema":{"type":"string"}}]}}`)
	call := fromJSON(t, `{"result":{"resultType":"complete","content":[{"type":"text","text":"done"}],"structuredContent":{"sum":"2"}}}`)
	return map[string]script{
		"modern": {
			"server/discover": {fromJSON(t, `{"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"experimental":{"x":{"y":"z"}}},"instructions":"Look first.",
				"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"server","title":"The server","version":"1.2.3","websiteUrl":"https://e.example"}}}}`)},
			"tools/list": {tools}, "tools/call": {call},
		},
		"legacy": {
			"initialize": {fromJSON(t, `{"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{},"tasks":{"requests":{"tools":{"call":{}}}}},"instructions":"Look first.",
				"serverInfo":{"name":"server","title":"The server","version":"1.2.3","websiteUrl":"https://e.example"}}}`)},
			"tools/list": {tools}, "tools/call": {call}, "logging/setLevel": {map[string]any{"result": map[string]any{}}},
		},
	}
}

// answersToCall returns possible answers to tools/call; all but the last message of each precede the response.
func answersToCall(t *testing.T) map[string][]any {
	t.Helper()
	answers := map[string][]any{}
	for name, messages := range map[string][]string{
		"contents": {`{"result":{"content":[{"type":"text","text":"a text"},{"type":"text","text":"{\"json\":\"text\"}"},{"type":"image","mimeType":"image/png","data":"aGVsbG8="},
			{"type":"audio","mimeType":"audio/wav","data":"aGVsbG8="},{"type":"resource_link","uri":"file:///a","name":"a","title":"A","description":"a file","mimeType":"text/plain"},
			{"type":"resource","resource":{"uri":"file:///b","mimeType":"text/plain","text":"b"}},{"type":"resource","resource":{"uri":"file:///c","mimeType":"image/png","blob":"aGVsbG8="}},
			{"type":"new","what":"is this"}],"structuredContent":{"sum":"2","list":["x"]},"_meta":{"com.example/m":"m"}}}`},
		"failure":        {`{"result":{"isError":true,"content":[{"type":"text","text":"no such place"}]}}`},
		"protocol error": {`{"error":{"code":-32602,"message":"no such thing","data":{"why":"because"}}}`},
		"URL first":      {`{"error":{"code":-32042,"message":"log in","data":{"elicitations":[{"mode":"url","url":"https://e.example/login","message":"Log in","elicitationId":"1"}]}}}`},
		"resultType":     {`{"result":{"resultType":"later","content":[]}}`},
		"input, modern":  {`{"result":{"resultType":"input_required","requestState":"s","inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{"a":{"type":"string","title":"A","description":"An A","oneOf":[{"const":"1","title":"One"}]}},"required":["a"]}}}}}}`},
		"not input":      {`{"result":{"resultType":"input_required","inputRequests":{"q":{"method":"roots/list","params":{}}}}}`},
		"task failed":    {`{"result":{"resultType":"task","taskId":"1","status":"failed","statusMessage":"half","error":{"code":-32000,"message":"broke"}}}`},
		"task cancelled": {`{"result":{"resultType":"task","taskId":"1","status":"cancelled","statusMessage":"enough"}}`},
		"messages": {
			`{"method":"notifications/progress","params":{"progressToken":"TOKEN","progress":1,"total":2,"message":"half"}}`,
			`{"method":"notifications/message","params":{"level":"info","logger":"log","data":"a text"}}`,
			`{"method":"notifications/message","params":{"level":"error","logger":"log","data":{"a":"b"}}}`,
			`{"result":{"content":[{"type":"text","text":"done"}]}}`,
		},
		"questions": {
			`{"id":"q1","method":"elicitation/create","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{"a":{"type":"string","title":"A","description":"An A","enum":["1","2"],"enumNames":["One","Two"]}},"required":["a"]}}}`,
			`{"id":"q2","method":"elicitation/create","params":{"mode":"url","url":"https://e.example/login","message":"Log in","elicitationId":"1"}}`,
			`{"id":"q3","method":"sampling/createMessage","params":{"messages":[]}}`,
			`{"result":{"content":[{"type":"text","text":"done"}]}}`,
		},
	} {
		for _, message := range messages {
			answers[name] = append(answers[name], fromJSON(t, message))
		}
	}
	return answers
}
