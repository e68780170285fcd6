package fakeserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// Logo is the contents of the resource note://logo.
var Logo = []byte("\x89PNG\r\n\x1a\n\x00")

// The lists, without members that some revision lacks.
var (
	tools = []any{object{"name": "look", "description": "Looks around", "inputSchema": json.RawMessage(`{"type":"object","properties":{}}`), "annotations": object{"readOnlyHint": true}}}

	prompts = []any{
		object{"name": "review", "title": "Review code", "description": "Reviews code in a language", "arguments": []any{
			object{"name": "lang", "description": "The language", "required": true}, object{"name": "style", "description": "How strict"},
		}},
		object{"name": "hello", "description": "Says hello"},
		object{"name": "ask", "description": "Asks for a name first"},
	}

	resources = []any{
		object{"uri": "note://7", "name": "note-7", "title": "Seven", "description": "The seventh note", "mimeType": "text/markdown", "size": 7, "annotations": object{"audience": []any{"user"}, "priority": 0.5}},
		object{"uri": "note://logo", "name": "logo", "mimeType": "image/png"},
		object{"uri": "note://ask", "name": "ask"},
	}

	templates = []any{
		object{"uriTemplate": "note://{id}", "name": "note", "description": "A note by its number", "mimeType": "text/markdown"},
		object{"uriTemplate": "orders://{region}/{id}{?expand}", "name": "order", "description": "An order"},
	}

	completions = map[string][]string{
		"lang": {"c", "go", "groovy"}, "style": {"lenient", "strict"}, "id": {"7", "8"}, "region": {"east", "west"},
	}
)

// answer returns the result of a request. It calls ask to elicit user input.
func (s *Server) answer(ctx context.Context, method string, params json.RawMessage, ask func(question object) (json.RawMessage, error)) (any, error) {
	if own := s.Results[method]; own != nil {
		return own(ctx, params)
	}
	var p struct {
		Name, URI, Cursor string
		Arguments         map[string]string
		ProtocolVersion   string `json:"protocolVersion"`
	}
	if method != "completion/complete" && method != "tools/call" {
		_ = json.Unmarshal(params, &p) // tests send valid params
	}
	switch method {
	case "initialize":
		return object{"protocolVersion": p.ProtocolVersion, "capabilities": s.Capabilities, "serverInfo": object{"name": "fake", "version": "1"}}, nil
	case "server/discover":
		if s.Legacy {
			return nil, &Error{Code: -32601, Message: "method not found"}
		}
		return object{
			"supportedVersions": []string{Modern}, "capabilities": s.Capabilities, "ttlMs": 0, "cacheScope": "private",
			"_meta": object{"io.modelcontextprotocol/serverInfo": object{"name": "fake", "version": "1"}},
		}, nil
	case "ping", "logging/setLevel":
		return object{}, nil
	case "tools/list":
		return s.page("tools", tools, p.Cursor), nil
	case "tools/call":
		return object{"content": []any{object{"type": "text", "text": "seen"}}}, nil
	}
	family, _, _ := strings.Cut(method, "/")
	if family == "completion" {
		family = "completions"
	}
	if s.Capabilities[family] == nil {
		return nil, &Error{Code: -32601, Message: "method not found"}
	}
	switch method {
	case "prompts/list":
		return s.page("prompts", prompts, p.Cursor), nil
	case "prompts/get":
		return get(p.Name, p.Arguments, ask)
	case "resources/list":
		return s.page("resources", resources, p.Cursor), nil
	case "resources/templates/list":
		return s.page("resourceTemplates", templates, p.Cursor), nil
	case "resources/read":
		return s.read(p.URI, ask)
	case "resources/subscribe", "resources/unsubscribe":
		s.mu.Lock()
		defer s.mu.Unlock()
		if delete(s.followed, p.URI); method == "resources/subscribe" {
			s.followed[p.URI] = true
		}
		return object{}, nil
	case "completion/complete":
		return complete(params)
	default:
		return nil, &Error{Code: -32601, Message: "method not found"}
	}
}

// page returns one page of a list.
func (s *Server) page(member string, all []any, cursor string) object {
	result := object{member: all, "ttlMs": 0, "cacheScope": "private"}
	if s.Pages == 0 {
		return result
	}
	from, _ := strconv.Atoi(cursor)
	to := min(from+s.Pages, len(all))
	if result[member] = all[from:to]; to < len(all) {
		result["nextCursor"] = strconv.Itoa(to)
	}
	return result
}

func text(role, words string) object {
	return object{"role": role, "content": object{"type": "text", "text": words}}
}

// get returns the messages of a prompt.
func get(name string, arguments map[string]string, ask func(object) (json.RawMessage, error)) (any, error) {
	switch {
	case name == "review" && arguments["lang"] == "":
		return nil, &Error{Code: -32602, Message: "the argument lang is missing"}
	case name == "review":
		return object{"description": "Code review", "messages": []any{
			text("user", "Review this "+arguments["lang"]+" code. "+arguments["style"]),
			object{"role": "assistant", "content": object{"type": "image", "mimeType": "image/png", "data": base64.StdEncoding.EncodeToString(Logo)}},
			object{"role": "user", "content": object{"type": "resource", "resource": object{"uri": "note://7", "mimeType": "text/markdown", "text": "# Seven"}}},
		}}, nil
	case name == "hello":
		return object{"messages": []any{text("user", "Hello")}}, nil
	case name == "ask":
		answer, err := ask(question)
		if err != nil || answer == nil {
			return nil, err
		}
		return object{"messages": []any{text("user", "Hello "+nameIn(answer))}}, nil
	default:
		return nil, &Error{Code: -32602, Message: "unknown prompt " + name}
	}
}

// read returns the contents of a resource.
func (s *Server) read(uri string, ask func(object) (json.RawMessage, error)) (any, error) {
	s.mu.Lock()
	words, known := s.texts[uri]
	s.mu.Unlock()
	contents := object{"uri": uri, "mimeType": "text/markdown"}
	switch {
	case known:
		contents["text"] = words
	case uri == "note://7":
		contents["text"] = "# Seven"
	case uri == "note://logo":
		contents["mimeType"], contents["blob"] = "image/png", base64.StdEncoding.EncodeToString(Logo)
	case uri == "note://ask":
		answer, err := ask(question)
		if err != nil || answer == nil {
			return nil, err
		}
		contents["text"] = "For " + nameIn(answer)
	case strings.HasPrefix(uri, "orders://"):
		contents["text"] = "The order " + uri
	default:
		return nil, &Error{Code: -32602, Message: "resource not found", Data: object{"uri": uri}}
	}
	return object{"contents": []any{contents}, "ttlMs": 0, "cacheScope": "private"}, nil
}

// question is the elicitation sent to the user.
var question = object{
	"mode": "form", "message": "Who are you?",
	"requestedSchema": json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
}

// nameIn returns the name in a response to question.
func nameIn(answer json.RawMessage) string {
	var a struct {
		Action  string
		Content struct{ Name string }
	}
	if json.Unmarshal(answer, &a) != nil || a.Action != "accept" {
		return "nobody"
	}
	return a.Content.Name
}

// complete returns completions.
func complete(params json.RawMessage) (any, error) {
	var p struct {
		Ref      struct{ Type, Name, URI string }
		Argument struct{ Name, Value string }
		Context  struct{ Arguments map[string]string }
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &Error{Code: -32602, Message: err.Error()}
	}
	values := slices.DeleteFunc(slices.Clone(completions[p.Argument.Name]), func(v string) bool { return !strings.HasPrefix(v, p.Argument.Value) })
	if p.Argument.Name == "style" && p.Context.Arguments["lang"] == "c" {
		values = []string{"c-style"}
	}
	return object{"completion": object{"values": append([]string{}, values...), "total": len(values), "hasMore": false}}, nil
}
