package envelope_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/ijson"
	"github.com/mcptool-go/mcptool/internal/testing/transcript"
)

// fuzzDepth is small so that the fuzzer reaches the limit.
const fuzzDepth = 12

// FuzzEnvelope compares Message.Read with a reference that decodes the message member
// by member with encoding/json and applies the rules of JSON-RPC one by one.
func FuzzEnvelope(f *testing.F) {
	transcripts, err := transcript.Load(os.DirFS("../../testdata/transcripts"))
	if err != nil || len(transcripts) == 0 {
		f.Fatal("no transcripts to start from: ", err)
	}
	for _, t := range transcripts {
		for _, line := range t.Sent() {
			if len(line) < 2000 {
				f.Add(line)
			}
		}
	}
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b","uri":"a:c"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, `{"json\u0072pc":"2\u002e0","\u0069d":"\u00e9","method":"p\u0069ng"}`, `{"id":null,"error":{}}`,
		`{"jsonrpc":"2.0","id":-0,"method":"","params":{"_meta":{"progressToken":1,"progressToken":"a"},"_meta":null,"name":1,"name":2}}`, `{"jsonrpc":"2.0","id":1e0,"method":"x","params":[]}`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":[ ],"_meta":[]}}`, `{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":[[]],"name":[]}}`,
		`{"params":` + strings.Repeat("[", fuzzDepth) + strings.Repeat("]", fuzzDepth) + `}`, "\xef\xbb\xbf{}", `{"id":"\ud800"}`, " {\"method\":\"\\ud83d\\ude00\"}\r\n",
	} {
		f.Add([]byte(seed))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		defer watch()()
		var m envelope.Message
		if err := m.Read(text, fuzzDepth); err != nil {
			refusedRightly(t, text, err)
			return
		}
		if !utf8.Valid(text) {
			t.Fatalf("%q is no text", text)
		}
		want, ok := obvious(text)
		if !ok {
			t.Fatalf("%q is no JSON", text)
		}
		want.check(t, text, &m)
	})
}

// refusedRightly checks that a rejected text is invalid JSON or too deep.
func refusedRightly(t *testing.T, text []byte, err error) {
	t.Helper()
	var syntax *rawjson.SyntaxError
	switch {
	case errors.Is(err, rawjson.ErrDepth):
		if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) <= fuzzDepth {
			t.Errorf("%q is not deep", text)
		}
	case !errors.As(err, &syntax):
		t.Errorf("%q: the error is %T", text, err)
	case ijson.Valid(text) == nil:
		t.Errorf("%q is refused: %v", text, err)
	}
}

// parts maps member names of an object to their values, in order.
type parts map[string][]json.RawMessage

// last returns the last member with a name, or nil.
func (p parts) last(name string) []byte {
	if all := p[name]; len(all) > 0 {
		return all[len(all)-1]
	}
	return nil
}

// present is last for an optional member, for which null counts as absent.
func (p parts) present(name string) []byte {
	if raw := p.last(name); string(raw) != "null" {
		return raw
	}
	return nil
}

// object returns the members of an object, or nil for anything else.
func object(text []byte) (p parts, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, json.Valid(text)
	}
	if _, err := dec.Token(); err != nil {
		return nil, false
	}
	p = parts{}
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return nil, false
		}
		p[name.(string)] = append(p[name.(string)], value)
	}
	_, err := dec.Token()
	return p, err == nil && len(bytes.Trim(text[dec.InputOffset():], " \t\r\n")) == 0
}

// judged is a message as decoded by the reference.
type judged struct {
	message, params, meta parts // nil if not an object
}

func obvious(text []byte) (j judged, ok bool) {
	if j.message, ok = object(text); !ok {
		return j, false
	}
	j.params, _ = object(j.message.last("params"))
	j.meta, _ = object(j.params.last("_meta"))
	return j, true
}

// twice reports whether one of the names occurs more than once.
func (p parts) twice(names ...string) bool {
	for _, name := range names {
		if len(p[name]) > 1 {
			return true
		}
	}
	return false
}

// isString reports whether raw is a JSON string and returns its value.
func isString(raw []byte) (text string, ok bool) {
	return text, len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil
}

// isID reports whether raw is a valid id: a string or an integer that is not too long.
func isID(raw []byte) bool {
	digits := strings.TrimPrefix(string(raw), "-")
	return len(raw) > 0 && len(raw) <= envelope.IDLimit && (raw[0] == '"' || strings.Trim(digits, "0123456789") == "")
}

// check compares a message with the reference.
func (j judged) check(t *testing.T, text []byte, m *envelope.Message) {
	t.Helper()
	id, result, failure, named := j.message.last("id"), j.message.last("result"), j.message.last("error"), j.message.present("method")
	if named != nil || result != nil {
		failure = j.message.present("error")
	}
	if named != nil || failure != nil {
		result = j.message.present("result")
	}
	method, isName := isString(named)
	version, _ := isString(j.message.last("jsonrpc"))
	twice := j.message.twice("jsonrpc", "id", "method", "params", "result", "error")
	want := envelope.Malformed
	switch {
	case j.message == nil:
	case named == nil && (result != nil || failure != nil):
		want = envelope.Response
	case isName && id == nil:
		want = envelope.Notification
	case isName && !twice && version == "2.0" && isID(id) && result == nil && failure == nil:
		want = envelope.Request
	}
	if len(j.message["id"]) != 1 || !isID(id) {
		id = nil
	}
	if want == envelope.Notification && twice || want == envelope.Malformed && !isName || want == envelope.Response {
		method = ""
	}
	flawed := twice || want == envelope.Malformed
	if m.Kind != want || !bytes.Equal(m.ID, id) || string(m.Method) != method || !bytes.Equal(m.Result, result) || !bytes.Equal(m.Error, failure) || (m.Flaw != "") != flawed {
		t.Fatalf("%q is %+v; want kind %d, id %s, method %q, result %s, error %s, flawed %t", text, m, want, id, method, result, failure, flawed)
	}
	if name, ok := isString(id); ok {
		if again, err := json.Marshal(name); err != nil || envelope.Key(again) != envelope.Key(id) {
			t.Errorf("the id %s has the key %q, and %s has %q", id, envelope.Key(id), again, envelope.Key(again))
		}
	}
	if len(j.message["params"]) <= 1 {
		j.checkParams(t, text, &m.Params)
	}
}

// checkParams does the same for params that occur only once.
func (j judged) checkParams(t *testing.T, text []byte, p *envelope.Params) {
	t.Helper()
	var got, want [][]byte
	pair := func(is []byte, of parts, name string) { got, want = append(got, is), append(want, of.present(name)) }
	orEmpty := func(is []byte, of parts, name string) { // an empty array counts as absent
		if want = append(want, of.present(name)); isEmptyArray(want[len(want)-1]) {
			want[len(want)-1] = nil
		}
		got = append(got, is)
	}
	orEmpty(p.Raw, j.message, "params")
	pair(p.Name, j.params, "name")
	orEmpty(p.Arguments, j.params, "arguments")
	pair(p.URI, j.params, "uri")
	pair(p.Cursor, j.params, "cursor")
	pair(p.Responses, j.params, "inputResponses")
	pair(p.State, j.params, "requestState")
	pair(p.Task, j.params, "task")
	twice := j.params.twice("name", "uri", "arguments", "cursor", "inputResponses", "requestState", "task", "_meta")
	if len(j.params["_meta"]) <= 1 {
		orEmpty(p.Meta.Raw, j.params, "_meta")
		pair(p.Meta.ProgressToken, j.meta, "progressToken")
		names := []string{"progressToken"}
		for name, is := range map[string][]byte{
			"protocolVersion": p.Meta.ProtocolVersion, "clientCapabilities": p.Meta.ClientCapabilities, "clientInfo": p.Meta.ClientInfo, "logLevel": p.Meta.LogLevel,
		} {
			names = append(names, envelope.MetaPrefix+name)
			pair(is, j.meta, envelope.MetaPrefix+name)
		}
		twice = twice || j.meta.twice(names...)
	}
	for i := range got {
		if !bytes.Equal(got[i], want[i]) || (got[i] == nil) != (want[i] == nil) {
			t.Fatalf("%q: a member is %s, want %s", text, got[i], want[i])
		}
	}
	if (p.Twice != "") != twice || p.Kind != kindOf(j.message.present("params")) || len(j.params["_meta"]) <= 1 && p.Meta.Kind != kindOf(j.params.present("_meta")) {
		t.Fatalf("%q: params are %+v, twice %t", text, p, twice)
	}
}

func isEmptyArray(raw []byte) bool {
	var items []json.RawMessage
	return json.Unmarshal(raw, &items) == nil && items != nil && len(items) == 0
}

// kindOf returns the kind of a value, Invalid if it counts as absent.
func kindOf(raw []byte) rawjson.Kind {
	if isEmptyArray(raw) {
		return rawjson.Invalid
	}
	return rawjson.KindOf(raw)
}
