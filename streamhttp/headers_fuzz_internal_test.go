package streamhttp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/mcpheader"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

var internals = mcptool.Internal(private.Key{})

// setLines sets a header to the lines of text, one value per line. Empty text sets no header.
func setLines(h http.Header, name, text string) {
	if text != "" {
		h[name] = strings.Split(text, "\n")
	}
}

// readHeader reads a header as the specification requires: it must occur once; surrounding space is removed, and a
// marked value is decoded.
func readHeader(h http.Header, name string, encoded bool) (value string, ok bool) {
	if len(h[name]) != 1 || len(h[name][0]) > mcpheader.MaxLength {
		return "", false
	}
	value = strings.Trim(h[name][0], " \t")
	if !encoded {
		return value, true
	}
	if strings.Trim(value, visible) != "" {
		return "", false
	}
	if inner, ok := strings.CutPrefix(value, "=?base64?"); ok && strings.HasSuffix(inner, "?=") {
		inner = strings.TrimSuffix(inner, "?=")
		decoded, err := base64.StdEncoding.DecodeString(inner)
		return string(decoded), err == nil && base64.StdEncoding.EncodeToString(decoded) == inner // only the canonical encoding
	}
	return value, true
}

// visible contains the characters allowed in a header value.
var visible = func() string {
	s := "\t"
	for c := ' '; c <= '~'; c++ {
		s += string(c)
	}
	return s
}()

// writeHeader encodes a value as a client does.
func writeHeader(value string) string {
	if strings.Trim(value, visible) == "" && strings.Trim(value, " \t") == value && !strings.HasPrefix(value, "=?base64?") {
		return value
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
}

// membersOf returns the members of a JSON object, or nil if raw is not an object.
func membersOf(raw []byte) (m map[string]json.RawMessage) {
	_ = json.Unmarshal(raw, &m)
	return m
}

// stringOf returns the value of a JSON string, or "" if raw is not a string.
func stringOf(raw []byte) (text string) {
	if len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &text)
	}
	return text
}

// FuzzHeaders: a request is accepted exactly if its headers match its body. With mirrored, the headers are derived from
// the body, so they match.
func FuzzHeaders(f *testing.F) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for _, params := range []string{`"name":"echo"`, `"name":"caf\u00e9\r\n"`, `"name":"=?base64?eA==?="`, `"name":" a"`, `"name":7`, `"name":"a","name":"echo"`, ``} {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + strings.TrimPrefix(params+","+meta, ",") + `}}`
		for _, name := range []string{"echo", " echo\t", "=?base64?ZWNobw==?=", "=?base64?ZWNobw=?=", "=?Base64?ZWNobw==?=", "=?base64?ZWNobx==?=", "=?base64?ZWNo\rbw==?=", "echo\nother", "caf\u00e9", ""} {
			f.Add("2026-07-28", "tools/call", name, []byte(body), false)
		}
		f.Add("", "", "", []byte(body), true)
	}
	f.Add("2026-07-28", "tasks/get", "7", []byte(`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"7",`+meta+`}}`), true)
	f.Add("2026-07-28", "ping", "", []byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{`+meta+`}}`), true)
	f.Add("", "", "", []byte(`{"jsonrpc":"2.0","id":1,"method":" ping","params":{`+meta+`}}`), true)
	srv := new(runtime.Server)
	named := map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri", "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, version, method, name string, body []byte, mirrored bool) {
		defer watch()()
		m := transport.Read(srv, body)
		if m.Kind != engine.Request {
			return
		}
		message := membersOf(body)
		params := membersOf(message["params"])
		wantVersion, wantMethod := stringOf(membersOf(params["_meta"])["io.modelcontextprotocol/protocolVersion"]), stringOf(message["method"])
		member, isNamed := named[wantMethod]
		wantName := stringOf(params[member])
		if mirrored {
			version, method, name = wantVersion, wantMethod, writeHeader(wantName)
		}
		h := http.Header{}
		setLines(h, "Mcp-Protocol-Version", version)
		setLines(h, "Mcp-Method", method)
		setLines(h, "Mcp-Name", name)
		gotVersion, hasVersion := readHeader(h, "Mcp-Protocol-Version", false)
		gotMethod, hasMethod := readHeader(h, "Mcp-Method", false)
		gotName, hasName := readHeader(h, "Mcp-Name", true)
		if _, named := m.ProtocolVersion(); !named && (wantMethod == methodInitialize || h.Get("Mcp-Protocol-Version") != "") {
			return // the engine returns a more specific error
		}
		want := hasVersion && gotVersion == wantVersion && hasMethod && gotMethod == wantMethod && (!isNamed || hasName && gotName == wantName)
		if err := checkHeaders(h, m); (err == nil) != want {
			t.Errorf("%q with %s: %+v, want %t", h, body, err, want)
		} else if plainText := strings.Trim(version+method, visible) == "" && !strings.ContainsAny(version+method, " \t"); err != nil && mirrored && plainText && version != "" && method != "" && name != "" && len(name) <= mcpheader.MaxLength {
			t.Errorf("headers %q match %s, but are refused: %+v", h, body, err)
		}
	})
}

// FuzzParamHeaders: Mcp-Param headers are accepted exactly if each matches its argument.
func FuzzParamHeaders(f *testing.F) {
	tool, err := mcptool.NewRaw("n", json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
		"count":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991,"x-mcp-header":"Count"},"deep":{"type":"object","properties":{"dry":{"type":"boolean","x-mcp-header":"Dry"}}}}}`),
		func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil })
	if err != nil {
		f.Fatal(err)
	}
	for _, args := range []string{`{"region":"eu","count":7,"deep":{"dry":true}}`, `{"region":"\u00e9","count":-0,"deep":{"dry":false}}`, `{"region":null,"count":7.0,"deep":{}}`, `{"count":1e2,"deep":[]}`, `{"count":9007199254740993}`, `{"count":1e400}`, `{"count":0e100}`, ``, `[]`} {
		for _, head := range [][3]string{{"eu", "7", "true"}, {"=?base64?w6k=?=", "0", "false"}, {"", "7", ""}, {"", "100", ""}, {"", "9007199254740992", ""}, {"", "0x7", ""}, {"", "1e400", ""}, {"a\nb", " 7 ", "True"}, {"é", "007", "1"}} {
			f.Add(head[0], head[1], head[2], []byte(args))
		}
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, region, count, dry string, args []byte) {
		defer watch()()
		// Invalid JSON is refused, and space around values removed, when the message is read.
		if args = bytes.Trim(args, " \t\r\n"); len(args) > 0 && rawjson.Valid(args, 0) != nil || beyond.MatchString(count) || beyond.Match(args) {
			return
		}
		h := http.Header{}
		setLines(h, "Mcp-Param-Region", region)
		setLines(h, "Mcp-Param-Count", count)
		setLines(h, "Mcp-Param-Dry", dry)
		given := membersOf(args)
		want := matches(h, "Mcp-Param-Region", given["region"]) && matches(h, "Mcp-Param-Count", given["count"]) && matches(h, "Mcp-Param-Dry", membersOf(given["deep"])["dry"])
		if err := mcpheader.CheckParams(h, internals.Settings(tool).Headers, args); (err == nil) != want {
			t.Errorf("%q with %s: %v, want %t", h, args, err, want)
		}
	})
}

// number matches a JSON number.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// matches reports whether a header matches an argument, or both are absent.
func matches(h http.Header, name string, raw []byte) bool {
	if raw == nil || string(raw) == "null" {
		return h[name] == nil
	}
	value, ok := readHeader(h, name, true)
	switch {
	case !ok:
		return false
	case raw[0] == '"':
		return value == stringOf(raw)
	case raw[0] == 't', raw[0] == 'f':
		return value == string(raw)
	case raw[0] == '{', raw[0] == '[':
		return true // refused by argument validation
	}
	if !number.MatchString(value) {
		return value == string(raw)
	}
	one, okOne := new(big.Rat).SetString(value)
	two, okTwo := new(big.Rat).SetString(string(raw))
	return okOne && okTwo && one.Cmp(two) == 0
}

// beyond matches an exponent too large to compute with.
var beyond = regexp.MustCompile(`[eE][-+]?[0-9]{4}`)

// media matches a media type in its common, unambiguous form.
var media = regexp.MustCompile(`^[ \t]*([a-zA-Z0-9*]+/[a-zA-Z0-9*-]+)[ \t]*(?:;[ \t]*(?:q=([0-9]+(?:\.[0-9]*)?)|charset=[a-z0-9-]+)[ \t]*)?$`)

// FuzzMediaTypes: Content-Type and Accept are matched by media type, regardless of parameters, and well-formed values
// are understood.
func FuzzMediaTypes(f *testing.F) {
	for _, seed := range []string{
		"application/json, text/event-stream", "application/json;q=0.5, text/event-stream;q=0", "*/*", "text/*;q=0.000,application/*", "application/json; charset=utf-8", "APPLICATION/JSON",
		"text/plain", "text/plain; application/json", "application/jsonx", "application/json\x00", "multipart/form-data; boundary=application/json", "application/x-www-form-urlencoded", "application/json;q=\"0\"", "a/b;c=\"application/json, text/event-stream\"", "",
	} {
		f.Add(seed)
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text string) {
		defer watch()()
		essence, _, _ := strings.Cut(text, ";")
		essence = strings.ToLower(strings.TrimSpace(essence))
		form := media.FindStringSubmatch(text)
		if got := isJSON(text); got && essence != "application/json" || !got && form != nil && essence == "application/json" {
			t.Errorf("Content-Type %q: %t", text, got)
		}
		h := http.Header{}
		setLines(h, "Accept", text)
		got, want := parseAccept(h), acceptable{}
		clear := true // all items are well-formed
		for item := range strings.SplitSeq(strings.ReplaceAll(text, "\n", ","), ",") {
			essence, _, _ := strings.Cut(item, ";")
			essence = strings.ToLower(strings.TrimSpace(essence))
			form := media.FindStringSubmatch(item)
			clear = clear && form != nil
			if form != nil && form[2] != "" && strings.Trim(form[2], "0.") == "" {
				continue
			}
			want.json = want.json || essence == "application/json" || essence == "application/*" || essence == "*/*"
			want.events = want.events || essence == "text/event-stream" || essence == "text/*" || essence == "*/*"
		}
		if strings.TrimSpace(strings.ReplaceAll(text, "\n", ",")) == "" {
			want, clear = acceptable{json: true, events: true}, true
		}
		if got.json && !want.json || got.events && !want.events || clear && got != want {
			t.Errorf("Accept %q: %+v, want %+v", text, got, want)
		}
	})
}
