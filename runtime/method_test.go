package runtime_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime"
)

func nothing(context.Context, json.RawMessage) (any, error) { return nil, nil }

// TestMethodMistakes: Check returns the mistakes of methods of the server and of extensions, which are logged.
func TestMethodMistakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		methods []runtime.Method
		want    string // part of the error; "": no error
	}{
		{"none", nil, ""},
		{"some", []runtime.Method{{Name: "com.example/orders", Handle: nothing}, {Name: "x", Since: "2025-06-18", Until: "2025-06-18", Handle: nothing}}, ""},
		{"no name", []runtime.Method{{Handle: nothing}}, `method "": has no name`},
		{"no func", []runtime.Method{{Name: "x"}}, `method "x": has no Handle`},
		{"twice", []runtime.Method{{Name: "x", Handle: nothing}, {Name: "x", Handle: nothing}}, `method "x": is listed twice`},
		{"built-in method", []runtime.Method{{Name: "tools/list", Handle: nothing}}, `method "tools/list": is a method of the protocol, which every server answers; choose another name`},
		{"prompt method", []runtime.Method{{Name: "prompts/get", Handle: nothing}}, `method "prompts/get": is a method of the protocol for prompts; define them with mcptool.RegisterPrompt`},
		{"resource method", []runtime.Method{{Name: "resources/subscribe", Handle: nothing}}, `method "resources/subscribe": is a method of the protocol for resources; define them with mcptool.RegisterResource`},
		{"completion method", []runtime.Method{{Name: "completion/complete", Handle: nothing}}, `method "completion/complete": is a method of the protocol; define prompts and resources with mcptool.RegisterPrompt, mcptool.RegisterResource and the option mcptool.Complete`},
		{"extension method with the prefix of resources", []runtime.Method{{Name: "resources/directory/read", Handle: nothing}}, ""},
		{"T-TASKX-22 reserved prefix", []runtime.Method{{Name: "tasks/mine", Handle: nothing}}, `method "tasks/mine": has a prefix that the protocol reserves for tasks`},
		{"notification of tasks", []runtime.Method{{Name: "notifications/tasks/mine", Handle: nothing}}, `method "notifications/tasks/mine": is the name of a notification, which has no response`},
		{"built-in method in another revision", []runtime.Method{{Name: "ping", Since: "2026-07-28", Handle: nothing}}, `method "ping": is a method of the protocol, which every server answers; choose another name`},
		{"notification", []runtime.Method{{Name: "notifications/x", Handle: nothing}}, `method "notifications/x": is the name of a notification, which has no response`},
		{"reserved by JSON-RPC", []runtime.Method{{Name: "rpc.discover", Handle: nothing}}, `method "rpc.discover": has a prefix that is reserved by JSON-RPC`},
		{"unknown Since", []runtime.Method{{Name: "x", Since: "2025-06", Handle: nothing}}, `method "x": has Since "2025-06", which is not a supported revision`},
		{"unknown Until", []runtime.Method{{Name: "x", Until: "v9", Handle: nothing}}, `method "x": has Until "v9", which is not a supported revision`},
		{"Since after Until", []runtime.Method{{Name: "x", Since: "2025-11-25", Until: "2025-06-18", Handle: nothing}}, `method "x": has Since 2025-11-25, which comes after Until 2025-06-18`},
		{"a negative TTL", []runtime.Method{{Name: "x", Handle: nothing, Cache: &runtime.CacheHint{TTL: -time.Second}}}, `method "x": Cache.TTL is -1s, but must not be negative; 0 means no caching`},
		{"two mistakes", []runtime.Method{{Name: "x"}, {Handle: nothing}}, "method \"x\": has no Handle\nmethod \"\": has no name"},
	} {
		for source, srv := range map[string]*runtime.Server{
			"Server.Methods: ":                {Methods: test.methods},
			`extension "com.example/thing": `: {Extensions: []runtime.Extension{{ID: thing, Methods: test.methods}}},
		} {
			srv.Tools = new(mcptool.Registry)
			want := test.want
			if want != "" {
				want = source + strings.ReplaceAll(want, "\n", "\n"+source)
			}
			err := srv.Check()
			if (err == nil) != (want == "") || err != nil && err.Error() != want {
				t.Errorf("%s: Check = %v, want %q", test.name, err, want)
			}
		}
	}
}

// TestMethodsWithoutMistakes: a method with a mistake is unknown, and the others are served.
func TestMethodsWithoutMistakes(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	srv.Methods = []runtime.Method{{Name: "bad", Until: "v9", Handle: nothing}, {Name: "good", Handle: nothing}}
	w := open(t, srv)
	w.send(modern("1", "bad", ""))
	w.want(`"code":-32601`)
	w.send(modern("2", "good", ""))
	w.want(`"result":{`)
}

// methodServer returns a server with the methods of the fixture.
func methodServer(t *testing.T) *runtime.Server {
	t.Helper()
	srv, err := fixture.Server(map[string]string{"methods": "yes"})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// TestMethodDefects: a mistake of a method is logged under the reference that the client
// gets.
func TestMethodDefects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ how, want string }{
		{"plain", `"error":"the secret"`},
		{"panic", `"stack":"goroutine`},
		{"code", `a method returned the error code 0, which`},
		{"data", `the data of an error cannot be sent`},
		{"array", `the result cannot be sent: \"[1]\" is not an object`},
		{"func", `the result cannot be sent: `},
		{"kind", `resultType is not a string`},
		{"server", `serverInfo, which the server adds itself`},
	} {
		if test.how == "code" {
			test.how = `code","code":-32601,"x":"`
			test.want = "the error code -32601"
		}
		srv := methodServer(t)
		log := logged(srv, slog.LevelError)
		w := open(t, srv)
		w.send(modern("1", "example/fail", `,"how":"`+test.how+`"`))
		found := reference.FindStringSubmatch(w.want(`"error":{"code":-32603,`))
		if found == nil {
			t.Errorf("%s: the answer has no reference", test.how)
			continue
		}
		for _, part := range []string{test.want, `"reference":"` + found[1] + `"`, `"method":"example/fail"`, `"msg":"method failed"`} {
			if !strings.Contains(log.String(), part) {
				t.Errorf("%s: log lacks %s: %s", test.how, part, log)
			}
		}
	}
}

// TestMethodEnds: a method is cancelled when its session is closed.
func TestMethodEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := open(t, methodServer(t))
		w.send(modern("1", "example/wait", ""))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.session.Close(ctx); err == nil {
			t.Error("Close = nil, want an error about the cancelled request")
		}
		w.want(`"error":{"code":-32603,"message":"the request was stopped: the server is shutting down"}`)
	})
}

// TestMethodsAreBounded: methods count towards MaxConcurrentCalls.
func TestMethodsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := methodServer(t)
		srv.Limits.MaxConcurrentCalls = 1
		w := open(t, srv)
		w.send(modern("1", "example/wait", ""), modern("2", "example/list", ""))
		synctest.Wait()
		w.quiet()
		w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		w.want(`"id":2,"result":{"prompts":[]`)
	})
}

// TestMethodRefusal: over HTTP, a method that needs an undeclared capability has status 400.
func TestMethodRefusal(t *testing.T) {
	t.Parallel()
	srv := methodServer(t)
	for _, test := range []struct {
		params string
		why    runtime.Disposition
	}{
		{`,"how":"need"`, runtime.MissingCapability},
		{`,"how":"plain"`, runtime.Served},
		{`,"how":"silent"`, runtime.Served},
		{``, runtime.Served},
	} {
		x := newRecorder()
		open(t, srv).session.Serve(stateless(srv, modern("1", "example/fail", test.params)), x)
		if <-x.done; x.why != test.why {
			t.Errorf("%s: disposition %d, want %d: %s", test.params, x.why, test.why, x.last)
		}
	}
}

// animal is a union in the params and results of methods.
type animal interface{ isAnimal() }

type (
	cat struct{ Lives int }
	dog struct{ Name string }
)

func (cat) isAnimal() {}
func (dog) isAnimal() {}

// colour is an enum.
type colour string

func init() {
	reflectschema.RegisterUnion("kind", map[string]animal{"cat": cat{}, "dog": dog{}})
	reflectschema.RegisterEnum[colour]("red", "green")
}

// TestTypedCodec: the params and the result of a method use the codec of tools.
func TestTypedCodec(t *testing.T) {
	t.Parallel()
	type in struct {
		Pet    animal        `json:"pet"`
		Wait   time.Duration `json:"wait"`
		Number json.Number   `json:"number"`
		Unit   string        `json:"unit" jsonschema:"default=celsius,minLength=2"`
		Most   int           `json:"most" jsonschema:"minimum=1"`
		Colour colour        `json:"colour,omitzero"`
	}
	type none struct{}
	type hidden struct{ F func() }
	ran := false
	srv := serve(t)
	log := logged(srv, slog.LevelError)
	srv.Methods = []runtime.Method{
		{Name: "x/echo", Handle: runtime.Typed(func(_ context.Context, v in) (map[string]in, error) { return map[string]in{"got": v}, nil })},
		{Name: "x/read", Handle: runtime.Typed(func(_ context.Context, v *in) (none, error) {
			if v.Most != 0 || v.Unit != "celsius" || v.Pet != nil {
				t.Errorf("got %+v", v)
			}
			return none{}, nil
		})},
		{Name: "x/union", Handle: runtime.Typed(func(context.Context, none) (animal, error) { return dog{"Rex"}, nil })},
		{Name: "x/nil", Handle: runtime.Typed(func(context.Context, none) (animal, error) { return nil, nil })},
		{Name: "x/in", Handle: runtime.Typed(func(context.Context, hidden) (none, error) { ran = true; return none{}, nil })},
		{Name: "x/out", Handle: runtime.Typed(func(context.Context, none) (hidden, error) { ran = true; return hidden{}, nil })},
	}
	w := open(t, srv)
	for _, test := range []struct{ method, params, want, reason string }{
		{
			"x/echo", `,"pet":{"kind":"cat","Lives":9},"wait":7,"number":1.50,"most":1,"more":true`,
			`"got":{"pet":{"kind":"cat","Lives":9},"wait":7,"number":1.50,"unit":"celsius","most":1}`, "unknown members are dropped",
		},
		{"x/echo", `,"pet":{"kind":"dog","Name":"Rex"},"wait":null,"unit":"ab","most":1`, `"wait":0,"number":0,"unit":"ab"`, "null is zero"},
		{"x/read", ``, `"result":{`, "all members are optional"},
		{"x/read", `,"unit":null,"colour":null`, `"result":{`, "null is absent, for a default and for an enum"},
		{"x/read", `,"wait":"7"`, `"message":"params.wait does not fit the method"`, "wrong type"},
		{"x/read", `,"pet":{"kind":"cow"}`, `"message":"params.pet.kind does not fit the method"`, "unknown kind"},
		{"x/union", ``, `"kind":"dog","Name":"Rex"`, "the result is a union"},
		{"x/nil", ``, `"result":{`, "nil is an empty object"},
		{"x/in", ``, `"code":-32603,"message":"the method failed with an internal error (reference `, "the params are not representable in JSON"},
		{"x/out", ``, `"code":-32603,"message":"the method failed with an internal error (reference `, "the result is not representable in JSON"},
	} {
		w.send(modern("1", test.method, test.params))
		if got := w.next(); !strings.Contains(got, test.want) {
			t.Errorf("%s%s: got %s, want %s: %s", test.method, test.params, got, test.want, test.reason)
		}
	}
	if ran {
		t.Error("a func ran although its params or result are not representable in JSON")
	}
	for _, want := range []string{"the method's params: ", "the method's result: ", "func() has no form in JSON"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log lacks %q: %s", want, log)
		}
	}
}
