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
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime"
)

func nothing(context.Context, json.RawMessage) (any, error) { return nil, nil }

func TestNewMethods(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		methods []runtime.Method
		want    string // part of the error, "" for none
	}{
		{"none", nil, ""},
		{"some", []runtime.Method{{Name: "com.example/orders", Handle: nothing}, {Name: "x", Since: "2025-06-18", Until: "2025-06-18", Handle: nothing}}, ""},
		{"no name", []runtime.Method{{Handle: nothing}}, `method "": has no name`},
		{"no func", []runtime.Method{{Name: "x"}}, `method "x": has no Handle`},
		{"twice", []runtime.Method{{Name: "x", Handle: nothing}, {Name: "x", Handle: nothing}}, `method "x": is listed twice`},
		{"the engine's", []runtime.Method{{Name: "tools/list", Handle: nothing}}, `method "tools/list": is a method of the protocol, which this package serves`},
		{"of prompts", []runtime.Method{{Name: "prompts/get", Handle: nothing}}, `method "prompts/get": is a method of the protocol for prompts; define them with mcptool.RegisterPrompt`},
		{"of resources", []runtime.Method{{Name: "resources/subscribe", Handle: nothing}}, `is a method of the protocol for resources; define them with mcptool.RegisterResource`},
		{"of completion", []runtime.Method{{Name: "completion/complete", Handle: nothing}}, "the option mcptool.Complete"},
		{"of an extension, about resources", []runtime.Method{{Name: "resources/directory/read", Handle: nothing}}, ""},
		{"T-TASKX-22 a prefix of the protocol", []runtime.Method{{Name: "tasks/mine", Handle: nothing}}, "has a prefix that the protocol reserves for tasks"},
		{"a notification of tasks", []runtime.Method{{Name: "notifications/tasks/mine", Handle: nothing}}, "is the name of a notification"},
		{"the engine's, in other revisions", []runtime.Method{{Name: "ping", Since: "2026-07-28", Handle: nothing}}, "is a method of the protocol, which this package serves"},
		{"a notification", []runtime.Method{{Name: "notifications/x", Handle: nothing}}, "which has no response"},
		{"JSON-RPC's", []runtime.Method{{Name: "rpc.discover", Handle: nothing}}, "reserved by JSON-RPC"},
		{"an unknown revision", []runtime.Method{{Name: "x", Since: "2025-06", Handle: nothing}}, `has Since "2025-06", which is not a supported revision`},
		{"an unknown last revision", []runtime.Method{{Name: "x", Until: "v9", Handle: nothing}}, `has Until "v9", which is not a supported revision`},
		{"no revision at all", []runtime.Method{{Name: "x", Since: "2025-11-25", Until: "2025-06-18", Handle: nothing}}, "has Since 2025-11-25, which comes after Until 2025-06-18"},
		{"all mistakes", []runtime.Method{{Name: "x"}, {Handle: nothing}}, "method \"x\": has no Handle\nmethod \"\": has no name"},
	} {
		_, err := runtime.NewMethods(test.methods...)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		func() {
			defer func() {
				if v := recover(); (v == nil) != (test.want == "") {
					t.Errorf("%s: MustMethods panics with %v", test.name, v)
				}
			}()
			runtime.MustMethods(test.methods...)
		}()
	}
}

// methodServer serves the methods of the fixture.
func methodServer(t *testing.T) *runtime.Server {
	t.Helper()
	srv, err := fixture.Server(map[string]string{"methods": "yes"})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// TestMethodDefects: what is a mistake of a method is in the log, under the reference that the
// client was given.
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
			t.Errorf("%s: the client has no reference", test.how)
			continue
		}
		for _, part := range []string{test.want, `"reference":"` + found[1] + `"`, `"method":"example/fail"`, `"msg":"method failed"`} {
			if !strings.Contains(log.String(), part) {
				t.Errorf("%s: want %s in the log: %s", test.how, part, log)
			}
		}
	}
}

// TestMethodEnds: a method ends when its client goes, and when its session is closed.
func TestMethodEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := open(t, methodServer(t))
		w.send(modern("1", "example/wait", ""))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := w.session.Close(ctx); err == nil {
			t.Error("nothing was cancelled")
		}
		w.want(`"error":{"code":-32603,"message":"the request was stopped: the server is shutting down"}`)
	})
}

// TestMethodsAreBounded: methods count among the calls that run at once.
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

// TestMethodRefusal: over HTTP a method that takes what the client has not declared is status 400.
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
			t.Errorf("%s: refusal %d, want %d: %s", test.params, x.why, test.why, x.last)
		}
	}
}

// animal is a union in params and results of methods.
type animal interface{ isAnimal() }

type (
	cat struct{ Lives int }
	dog struct{ Name string }
)

func (cat) isAnimal() {}
func (dog) isAnimal() {}

// colour is a type with a list of values.
type colour string

var (
	_ = reflectschema.Union("kind", map[string]animal{"cat": cat{}, "dog": dog{}})
	_ = reflectschema.Enum[colour]("red", "green")
)

// TestTypedCodec: the params and the result of a method pass through the codec of tools.
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
	srv.Methods = runtime.MustMethods(
		runtime.Method{Name: "x/echo", Handle: runtime.Typed(func(_ context.Context, v in) (map[string]in, error) { return map[string]in{"got": v}, nil })},
		runtime.Method{Name: "x/read", Handle: runtime.Typed(func(_ context.Context, v *in) (none, error) {
			if v.Most != 0 || v.Unit != "celsius" || v.Pet != nil {
				t.Errorf("got %+v", v)
			}
			return none{}, nil
		})},
		runtime.Method{Name: "x/union", Handle: runtime.Typed(func(context.Context, none) (animal, error) { return dog{"Rex"}, nil })},
		runtime.Method{Name: "x/nil", Handle: runtime.Typed(func(context.Context, none) (animal, error) { return nil, nil })},
		runtime.Method{Name: "x/in", Handle: runtime.Typed(func(context.Context, hidden) (none, error) { ran = true; return none{}, nil })},
		runtime.Method{Name: "x/out", Handle: runtime.Typed(func(context.Context, none) (hidden, error) { ran = true; return hidden{}, nil })},
	)
	w := open(t, srv)
	for _, test := range []struct{ method, params, want, reason string }{
		{
			"x/echo", `,"pet":{"kind":"cat","Lives":9},"wait":7,"number":1.50,"most":1,"more":true`,
			`"got":{"pet":{"kind":"cat","Lives":9},"wait":7,"number":1.50,"unit":"celsius","most":1}`, "as the codec has it, without what has no field",
		},
		{"x/echo", `,"pet":{"kind":"dog","Name":"Rex"},"wait":null,"unit":"ab","most":1`, `"wait":0,"number":0,"unit":"ab"`, "null is zero"},
		{"x/read", ``, `"result":{`, "all may be left out, and keeps its default"},
		{"x/read", `,"unit":null,"colour":null`, `"result":{`, "null is the same as left out, for a default and for a list of values"},
		{"x/read", `,"wait":"7"`, `"message":"params.wait does not fit the method"`, "another type"},
		{"x/read", `,"pet":{"kind":"cow"}`, `"message":"params.pet.kind does not fit the method"`, "no such member"},
		{"x/union", ``, `"kind":"dog","Name":"Rex"`, "the result is a union itself"},
		{"x/nil", ``, `"result":{`, "nil is an empty object"},
		{"x/in", ``, `"code":-32603,"message":"the method failed with an internal error (reference `, "the params have no JSON"},
		{"x/out", ``, `"code":-32603,"message":"the method failed with an internal error (reference `, "the result has no JSON"},
	} {
		w.send(modern("1", test.method, test.params))
		if got := w.next(); !strings.Contains(got, test.want) {
			t.Errorf("%s%s: got %s, want %s: %s", test.method, test.params, got, test.want, test.reason)
		}
	}
	if ran {
		t.Error("a func ran whose params or result have no JSON")
	}
	for _, want := range []string{"the method's params: ", "the method's result: ", "func() has no form in JSON"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("want %q in the log: %s", want, log)
		}
	}
}
