package swap

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// maxMessage is the maximum size of a message in bytes.
const maxMessage = 64 << 20

// The methods that the front knows.
const (
	methodInitialize  = "initialize"
	methodDiscover    = "server/discover"
	methodCallTool    = "tools/call"
	methodListen      = "subscriptions/listen"
	methodSetLevel    = "logging/setLevel"
	methodSubscribe   = "resources/subscribe"
	methodUnsubscribe = "resources/unsubscribe"
	noteInitialized   = "notifications/initialized"
	noteCancelled     = "notifications/cancelled"
	noteListens       = "notifications/subscriptions/acknowledged"
)

// The revisions that the front itself answers a handshake with: the modern one, and the legacy ones, newest first.
const modernRevision = "2026-07-28"

var legacyRevisions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// refusesRepeated is the format of a log message.
const refusesRepeated = "the new version refuses %s, which the old one has accepted: %s"

// A message is a JSON-RPC message and its text, of which its other parts are slices.
type message struct {
	envelope.Message
	text []byte
}

// parse reads a message. It is Malformed if the text is not one. Text that is not valid Unicode, such as half of an emoji, is
// U+FFFD in the message. A response that cannot be read has an id, neither a result nor an error, and the text as it is, since
// the client has to know of it.
func parse(text []byte) *message {
	m := &message{}
	m.Message, m.text, _ = strictjson.Message(text, 0)
	return m
}

func (m *message) is(method string) bool { return string(m.Method) == method }

// isHandshake reports whether m is the first request of an era.
func (m *message) isHandshake() bool { return m.is(methodInitialize) || m.is(methodDiscover) }

// isCall reports whether m uses the code of the server, so that an answer of an old version would mislead.
func (m *message) isCall() bool {
	return slices.Contains([]string{methodCallTool, "prompts/get", "resources/read", "completion/complete"}, string(m.Method))
}

// isModern reports whether a request is of the modern era.
func (m *message) isModern() bool { return m.Params.Meta.ProtocolVersion != nil }

// key returns a map key for the id of a request or a response; "" if it has none.
func (m *message) key() string { return keyOf(m.ID) }

// cancelledKey returns the key of the request that a notification cancels; "" if there is none.
func (m *message) cancelledKey() string {
	return keyOf(rawjson.Lookup(m.Params.Raw, "requestId"))
}

// requestState returns the state in a response that requires input, as raw JSON; nil if there is none. The client sends
// it with the input, to the process that has made it.
func (m *message) requestState() []byte {
	if textOf(rawjson.Lookup(m.Result, "resultType")) != "input_required" {
		return nil
	}
	return rawjson.Lookup(m.Result, "requestState")
}

// keyOf returns a map key for an id; "" if it is not valid.
func keyOf(id []byte) string {
	if !envelope.ValidID(id) {
		return ""
	}
	return envelope.Key(id)
}

// with returns the object with a member set to value. The rest of its text is unchanged. Object is valid JSON.
func with(object []byte, name string, value []byte) []byte {
	s := rawjson.New(object, 0)
	from, to := 0, 0
	s.OpenObject()
	for found, ok := s.Member(); ok; found, ok = s.Member() {
		isWanted, at := string(found) == name, s.Offset()
		if v := s.Value(); isWanted {
			from, to = at, at+len(v)
		}
	}
	if from > 0 {
		return slices.Concat(object[:from], value, object[to:])
	}
	start := bytes.IndexByte(object, '{') + 1
	member := append(append(rawjson.AppendString(nil, name), ':'), value...)
	if rest := bytes.TrimLeft(object[start:], " \t\r\n"); rest[0] != '}' {
		member = append(member, ',')
	}
	return slices.Concat(object[:start], member, object[start:])
}

// listed are the kinds of things that a server lists, which are also the names of the capabilities.
var listed = []string{"tools", "prompts", "resources"}

// declare sets listChanged in the capabilities of the response to a handshake, since the front sends these
// notifications. It returns the names of the capabilities.
func declare(m *message) (text []byte, names []string) {
	capabilities := rawjson.Lookup(m.Result, "capabilities")
	for _, name := range listed {
		if c := rawjson.Lookup(capabilities, name); rawjson.KindOf(c) == rawjson.Object {
			capabilities = with(capabilities, name, with(c, "listChanged", []byte("true")))
			names = append(names, name)
		}
	}
	if names == nil {
		return m.text, nil
	}
	return with(m.text, "result", with(m.Result, "capabilities", capabilities)), names
}

// An object is a JSON object that the front makes.
type object = map[string]any

// encode returns v as JSON without HTML escapes.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // all values can be encoded
	return bytes.TrimSpace(b.Bytes())
}

// respond returns the response to request m with a result.
func respond(m *message, result object) []byte {
	if m.isModern() {
		result["resultType"] = "complete"
	}
	return encode(object{"jsonrpc": "2.0", "id": json.RawMessage(m.ID), "result": result})
}

// refuse returns the response to request m with the reason why it has no other: a result of a tool, which models read, or
// an error.
func refuse(m *message, why string) []byte {
	if m.is(methodCallTool) {
		return respond(m, object{"isError": true, "content": []object{{"type": "text", "text": why}}})
	}
	return encode(object{"jsonrpc": "2.0", "id": json.RawMessage(m.ID), "error": object{"code": -32603, "message": why}})
}

// notification returns a notification, of the subscription with the given id unless that is nil.
func notification(method string, params object, subscription []byte) []byte {
	if subscription != nil {
		params["_meta"] = object{envelope.MetaPrefix + "subscriptionId": json.RawMessage(subscription)}
	}
	n := object{"jsonrpc": "2.0", "method": method}
	if len(params) > 0 {
		n["params"] = params
	}
	return encode(n)
}

// answer returns the answer of the front to a request that no process gets: of a server without tools, prompts and
// resources. A call is refused with the reason.
func answer(m *message, why string) []byte {
	method := string(m.Method)
	changing := object{}
	for _, name := range listed {
		changing[name] = object{"listChanged": true}
	}
	info := object{"name": "bench dev", "version": "0"}
	switch method {
	case methodInitialize:
		return respond(m, object{"protocolVersion": ownRevision(m), "capabilities": changing, "serverInfo": info})
	case methodDiscover:
		return respond(m, object{
			"supportedVersions": append([]string{modernRevision}, legacyRevisions...), "capabilities": changing,
			"ttlMs": 0, "cacheScope": "private", "_meta": object{envelope.MetaPrefix + "serverInfo": info},
		})
	case "ping", methodSetLevel, methodSubscribe, methodUnsubscribe:
		return respond(m, object{})
	case methodListen:
		return acknowledge(m, notification(noteListens, object{"notifications": object{}}, m.ID))
	}
	if empty := emptyList(m); empty != nil {
		return empty
	}
	return refuse(m, why)
}

// ownRevision returns the legacy revision that the front answers initialize with.
func ownRevision(m *message) string {
	asked := textOf(rawjson.Lookup(m.Params.Raw, "protocolVersion"))
	if slices.Contains(legacyRevisions, asked) {
		return asked
	}
	return legacyRevisions[0]
}

// textOf decodes raw if it is a string; else it returns "".
func textOf(raw []byte) string {
	if rawjson.KindOf(raw) != rawjson.String {
		return ""
	}
	return string(rawjson.Unquote(raw))
}

// emptyList returns the response with an empty list if m requests a list, else nil.
func emptyList(m *message) []byte {
	name, ok := strings.CutSuffix(string(m.Method), "/list")
	if m.is("resources/templates/list") {
		name = "resourceTemplates"
	} else if !ok || !slices.Contains(listed, name) {
		return nil
	}
	result := object{name: []object{}}
	if m.isModern() {
		result["ttlMs"], result["cacheScope"] = 0, "private"
	}
	return respond(m, result)
}

// acknowledge adds to the acknowledgment of a subscription the lists that it asks for, since the front notifies of them.
func acknowledge(listen *message, note []byte) []byte {
	params := rawjson.Lookup(note, "params")
	agreed := rawjson.Lookup(params, "notifications")
	if rawjson.KindOf(agreed) != rawjson.Object {
		return note
	}
	for _, name := range listed {
		if listensTo(listen, name) {
			agreed = with(agreed, name+"ListChanged", []byte("true"))
		}
	}
	return with(note, "params", with(params, "notifications", agreed))
}

// listensTo reports whether a subscription asks for changes of tools, prompts or resources.
func listensTo(listen *message, name string) bool {
	filter := rawjson.Lookup(listen.Params.Raw, "notifications")
	return string(rawjson.Lookup(filter, name+"ListChanged")) == "true"
}
