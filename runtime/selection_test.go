package runtime_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/runtime/tasks"
)

// selectServer returns a server with tools, prompts and resources in groups, and in none. Names begin with the kind and end
// with the groups.
func selectServer(t *testing.T) *runtime.Server {
	t.Helper()
	srv := serve(t)
	for _, groups := range [][]string{{}, {"a"}, {"b"}, {"a", "b"}} {
		var opts []mcptool.Option
		if len(groups) > 0 {
			opts = append(opts, mcptool.Group(groups...))
		}
		end := strings.Join(groups, "_")
		for _, name := range []string{"read_" + end, "write_" + end} {
			toolOpts := append(optionsOf[mcptool.ToolOption](opts), mcptool.ReadOnly(strings.HasPrefix(name, "read")))
			if err := srv.Tools.Add(tool(t, name, echo, toolOpts...)); err != nil {
				t.Fatal(err)
			}
		}
		ran := func(context.Context, noArguments) (string, error) { return "ran", nil }
		addPrompt(t, srv, "prompt_"+end, ran, optionsOf[mcptool.PromptOption](opts)...)
		addResource(t, srv, "x://"+end+"/", ran, optionsOf[mcptool.ResourceOption](opts)...)
	}
	return srv
}

// listedNames returns the names of all tools and prompts and the URIs of all resources that a caller gets.
func listedNames(t *testing.T, srv *runtime.Server, access *runtime.Access, client *runtime.Selection) (names []string) {
	t.Helper()
	for _, list := range []string{"tools", "prompts", "resources"} {
		var m struct {
			Result map[string]json.RawMessage
		}
		decode(t, string(ask(t, srv, access, &collector{selection: client}, list+"/list", "")), &m)
		var items []struct{ Name, URI string }
		if m.Result == nil {
			continue // the server has no items of the kind
		}
		decode(t, string(m.Result[list]), &items)
		for _, item := range items {
			if item.URI != "" {
				item.Name = item.URI
			}
			names = append(names, item.Name)
		}
	}
	return names
}

// TestSelection checks which items a selection of the server has, and that the same selection of a request has them.
func TestSelection(t *testing.T) {
	t.Parallel()
	const inA = "read_a read_a_b write_a write_a_b prompt_a prompt_a_b x://a/ x://a_b/"
	all := strings.Join(listedNames(t, selectServer(t), nil, nil), " ")
	without := func(names ...string) string {
		return strings.Join(slices.DeleteFunc(strings.Fields(all), func(name string) bool { return slices.Contains(names, name) }), " ")
	}
	for _, test := range []struct {
		name      string
		selection runtime.Selection
		want      string
	}{
		{"nothing", runtime.Selection{}, all},
		{"a group", runtime.Selection{Groups: []string{"a"}}, inA},
		{"two groups", runtime.Selection{Groups: []string{"b", "a", "b"}}, without("read_", "write_", "prompt_", "x:///")},
		{"a tool", runtime.Selection{Tools: []string{"write_"}}, "write_ prompt_ prompt_a prompt_a_b prompt_b x:/// x://a/ x://a_b/ x://b/"},
		{"a tool and a group", runtime.Selection{Groups: []string{"a"}, Tools: []string{"write_"}}, "read_a read_a_b write_ write_a write_a_b prompt_a prompt_a_b x://a/ x://a_b/"},
		{"all but a group", runtime.Selection{Except: []string{"b"}}, without("read_b", "write_b", "prompt_b", "x://b/", "read_a_b", "write_a_b", "prompt_a_b", "x://a_b/")},
		{"all but some items", runtime.Selection{Except: []string{"read_", "prompt_a", "x://b/"}}, without("read_", "prompt_a", "x://b/")},
		{"except over tools and groups", runtime.Selection{Groups: []string{"a", "b"}, Tools: []string{"read_b"}, Except: []string{"read_b", "a"}}, "write_b prompt_b x://b/"},
		{"read-only over tools", runtime.Selection{ReadOnly: true, Groups: []string{"a"}, Tools: []string{"write_", "read_"}}, "read_ read_a read_a_b prompt_a prompt_a_b x://a/ x://a_b/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := selectServer(t)
			srv.Select = test.selection
			if err := srv.Check(); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(listedNames(t, srv, nil, nil), " "); got != test.want {
				t.Errorf("the server lists %s, want %s", got, test.want)
			}
			if got := strings.Join(listedNames(t, selectServer(t), nil, &test.selection), " "); got != test.want {
				t.Errorf("a request lists %s, want %s", got, test.want)
			}
		})
	}
}

// TestSelectionHides checks that an item that is not selected is answered as one that does not exist, in each request, and
// that the caching hint of a list for a request that can select is private.
func TestSelectionHides(t *testing.T) {
	t.Parallel()
	for _, r := range itemRequests {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			srv := itemServer(t, mcptool.Group("a"))
			hidden := &runtime.Selection{Groups: []string{"b"}}
			answer := func(srv *runtime.Server, client *runtime.Selection) string {
				return string(ask(t, srv, nil, &collector{selection: client}, r.method, r.params))
			}
			if got := answer(srv, nil); !strings.Contains(got, r.want) {
				t.Errorf("without a selection: got %s, want %s", got, r.want)
			}
			for name, client := range map[string]*runtime.Selection{"nothing": {}, "the group": {Groups: []string{"a"}}} {
				if got := answer(srv, client); !strings.Contains(got, r.want) || strings.Contains(got, `"public"`) {
					t.Errorf("a request that selects %s: got %s, want %s", name, got, r.want)
				}
			}
			if got := answer(srv, hidden); !strings.Contains(got, r.hidden) || strings.Contains(got, `"public"`) {
				t.Errorf("not selected by the request: got %s, want %s", got, r.hidden)
			}
			want := r.hidden
			if r.method == "completion/complete" {
				want = `"code":-32601,"message":"unknown method` // nothing that is selected can be completed
			}
			srv = itemServer(t, mcptool.Group("a"))
			addPrompt(t, srv, "other", confirms, mcptool.Group("b"))
			srv.Select = runtime.Selection{Groups: []string{"b"}, Except: []string{"b"}}
			if got := answer(srv, nil); !strings.Contains(got, want) {
				t.Errorf("not selected by the server: got %s, want %s", got, want)
			}
			if got := answer(srv, &runtime.Selection{Groups: []string{"a"}}); !strings.Contains(got, want) {
				t.Errorf("a request selects more than the server: got %s, want %s", got, want)
			}
		})
	}
}

// TestSelectionAudited checks that the audit log has the tool that the selection has hidden, and why.
func TestSelectionAudited(t *testing.T) {
	t.Parallel()
	srv := selectServer(t)
	log := new(journal)
	srv.Observer = audit.New(slog.New(slog.NewJSONHandler(log, nil)))
	for _, call := range []struct {
		name   string
		client *runtime.Selection
		want   any
	}{
		{"read_a", nil, nil},
		{"read_a", &runtime.Selection{Except: []string{"read_a"}}, "selection"},
		{"unknown", &runtime.Selection{Except: []string{"read_a"}}, nil},
	} {
		ask(t, srv, nil, &collector{selection: call.client}, "tools/call", `"name":"`+call.name+`","arguments":{},`)
		records := auditOf(t, log)
		if last := records[len(records)-1]; last["tool"] != call.name || last["refused_by"] != call.want {
			t.Errorf("the record of %s is %v, want refused_by %v", call.name, last, call.want)
		}
	}
}

// TestRedirectAudited checks that the audit log has a tool that the selection has hidden from a call that would be redirected
// to it, though the client got the answer for a name that no tool has.
func TestRedirectAudited(t *testing.T) {
	t.Parallel()
	srv := redirecting(t, tool(t, "wipe", echo, mcptool.Group("secret")), tool(t, "read", echo, mcptool.Group("public")))
	log := new(journal)
	srv.Observer = audit.New(slog.New(slog.NewJSONHandler(log, nil)))
	client := &runtime.Selection{Groups: []string{"public"}}
	for _, call := range []struct {
		name                string
		tool, via, refusing any
	}{
		{"read", "read", "do", nil},
		{"wipe", "wipe", "do", "selection"},
		{"none", "do", nil, nil},
	} {
		ask(t, srv, nil, &collector{selection: client}, "tools/call", `"name":"do","arguments":{"name":"`+call.name+`"},`)
		records := auditOf(t, log)
		if last := records[len(records)-1]; last["tool"] != call.tool || last["via"] != call.via || last["refused_by"] != call.refusing {
			t.Errorf("the record of %s is %v, want tool %v, via %v, refused_by %v", call.name, last, call.tool, call.via, call.refusing)
		}
	}
}

// TestRedirectedTaskAudited checks the same for a call that runs as a task.
func TestRedirectedTaskAudited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := redirecting(t, tool(t, "wipe", echo, mcptool.Group("secret")), tool(t, "read", echo, mcptool.Group("public")))
		log := new(journal)
		srv.Tasks, srv.Select = tasks.New(nil), runtime.Selection{Groups: []string{"public"}}
		srv.Observer = audit.New(slog.New(slog.NewJSONHandler(log, nil)))
		w := open(t, srv)
		w.handshake("2025-11-25")
		w.send(legacy("2", "tools/call", `"name":"do","arguments":{"name":"wipe"},"task":{}`))
		taskOf(t, w.next())
		time.Sleep(time.Second)
		records := auditOf(t, log)
		if last := records[len(records)-1]; last["tool"] != "wipe" || last["via"] != "do" || last["refused_by"] != "selection" {
			t.Errorf("the record of the task is %v, want tool wipe, via do, refused_by selection", last)
		}
	})
}

// TestUnknownSelection checks the errors for names that do not exist, and that the same names in a request are logged once.
func TestUnknownSelection(t *testing.T) {
	t.Parallel()
	srv := selectServer(t)
	srv.Select = runtime.Selection{Groups: []string{"a", "c"}, Tools: []string{"raed_a", "prompt_a", ""}, Except: []string{"x://aa/", "b", "Über"}}
	err := srv.Check()
	const want = `Server.Select: there is no group "c"; the groups are a, b
Server.Select: there is no tool ""
Server.Select: there is no tool "prompt_a"
Server.Select: there is no tool "raed_a"; did you mean "read_a"?
Server.Select: there is no tool, prompt, resource or group "x://aa/"; did you mean "x://a/"?
Server.Select: there is no tool, prompt, resource or group "Über"`
	if fmt.Sprint(err) != want {
		t.Errorf("got the error\n%v\nwant\n%s", err, want)
	}
	srv = selectServer(t)
	log := new(journal)
	srv.Logger = slog.New(slog.NewTextHandler(log, nil))
	for i := range 4000 {
		client := &runtime.Selection{Tools: []string{"gone", "read_a", fmt.Sprintf("%-100d", i)}}
		if i%100 > 0 && i > 2000 {
			continue
		}
		ask(t, srv, nil, &collector{selection: client}, "ping", "")
	}
	const records = 999 // with 1,000 names, of which the first has two
	if got := strings.Count(log.String(), "a client selects names that do not exist"); got != records || strings.Count(log.String(), "gone") != 1 || strings.Contains(log.String(), "read_a") {
		t.Errorf("%d records, want %d, with gone once and without read_a", got, records)
	}
	if got := strings.Count(log.String(), "no more names that do not exist are logged"); got != 1 {
		t.Errorf("%d records say that no more names are logged, want 1", got)
	}
	if got := listedNames(t, srv, nil, &runtime.Selection{Tools: []string{"gone"}, Groups: []string{"gone"}}); got != nil {
		t.Errorf("unknown names select %q, want nothing", got)
	}
}

// TestReadOnlyLogged checks that the server logs how many tools a read-only selection hides, once.
func TestReadOnlyLogged(t *testing.T) {
	t.Parallel()
	srv := selectServer(t)
	log := new(journal)
	srv.Logger, srv.Select = slog.New(slog.NewTextHandler(log, nil)), runtime.Selection{ReadOnly: true}
	for range 2 {
		ask(t, srv, nil, &collector{}, "tools/list", "")
	}
	if got := strings.Count(log.String(), "hidden=4 tools=8"); got != 1 {
		t.Errorf("%d records with the number of hidden tools, want 1: %s", got, log)
	}
}

// TestAttachedResourceSelected checks that a resource of a tool is selected with the tool.
func TestAttachedResourceSelected(t *testing.T) {
	t.Parallel()
	page, err := mcptool.NewResource(func(context.Context, noArguments) (string, error) { return "page", nil }, mcptool.URI("ui://page"))
	if err != nil {
		t.Fatal(err)
	}
	attach := mcptool.Attach(mcptool.Attachment{Extension: &mcptool.ClientExtension{ID: "com.example/page"}, Resources: []*mcptool.Resource{page}})
	srv := serve(t, tool(t, "shows", echo, attach, mcptool.Group("a")), tool(t, "other", echo, mcptool.Group("b")))
	for _, test := range []struct {
		client runtime.Selection
		want   string
	}{
		{runtime.Selection{Groups: []string{"a"}}, "shows ui://page"},
		{runtime.Selection{Groups: []string{"b"}}, "other"},
		{runtime.Selection{Except: []string{"a"}}, "other"},
		{runtime.Selection{}, "other shows ui://page"},
	} {
		if got := strings.Join(listedNames(t, srv, nil, &test.client), " "); got != test.want {
			t.Errorf("%+v lists %s, want %s", test.client, got, test.want)
		}
	}
}

// TestSelectionOfSession checks that the first request of a session selects, also what the client may subscribe to.
func TestSelectionOfSession(t *testing.T) {
	t.Parallel()
	srv := selectServer(t)
	x := &collector{end: make(chan []byte, 1)}
	session := srv.Open(t.Context(), x)
	send := func(text string, client runtime.Selection) string {
		m := srv.Read([]byte(text))
		m.Select = (*engine.Selection)(&client)
		session.Serve(m, x)
		return string(<-x.end)
	}
	send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, runtime.Selection{Groups: []string{"a"}})
	later := runtime.Selection{Groups: []string{"b"}}
	for uri, want := range map[string]string{"x://a/": `"result":{}`, "x://b/": "Resource not found", "x:///": "Resource not found"} {
		if got := send(legacy("1", "resources/subscribe", fmt.Sprintf(`"uri":%q`, uri)), later); !strings.Contains(got, want) {
			t.Errorf("subscription to %s: got %s, want %s", uri, got, want)
		}
	}
	if got := send(legacy("1", "tools/call", `"name":"read_b","arguments":{}`), later); !strings.Contains(got, `unknown tool \"read_b\"`) {
		t.Errorf("call of a tool that only a later request selects: %s", got)
	}
	if err := session.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSelectionFlags checks the flags, whose names replace those that were set before.
func TestSelectionFlags(t *testing.T) {
	t.Parallel()
	before := runtime.Selection{Groups: []string{"z"}, Except: []string{"y"}}
	for _, test := range []struct {
		args string
		want runtime.Selection
	}{
		{"", before},
		{"-groups=a,,b -groups=c -read-only", runtime.Selection{Groups: []string{"a", "b", "c"}, Except: []string{"y"}, ReadOnly: true}},
		{"-tools=t -except=", runtime.Selection{Groups: []string{"z"}, Tools: []string{"t"}}},
		{"-read-only=false", before},
	} {
		s, flags := before, flag.NewFlagSet("server", flag.ContinueOnError)
		s.Flags(flags)
		if err := flags.Parse(strings.FieldsFunc(test.args, func(r rune) bool { return r == ' ' })); err != nil {
			t.Error(err)
		}
		if !reflect.DeepEqual(s, test.want) {
			t.Errorf("%s: got %+v, want %+v", test.args, s, test.want)
		}
	}
	if before.Groups[0] != "z" {
		t.Error("a flag has changed the names of another selection")
	}
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	new(runtime.Selection).Flags(flags)
	if err := flags.Parse([]string{"-read-only=maybe"}); err == nil || !strings.Contains(err.Error(), `"maybe"`) {
		t.Errorf("got the error %v, want one about maybe", err)
	}
}

// TestSelectionFromEnv checks the environment variables.
func TestSelectionFromEnv(t *testing.T) {
	t.Setenv("SHOP_GROUPS", " a , b")
	t.Setenv("SHOP_TOOLS", "")
	t.Setenv("SHOP_EXCEPT", "é,,")
	t.Setenv("SHOP_READ_ONLY", "true")
	got, err := runtime.SelectionFromEnv("SHOP_")
	if want := (runtime.Selection{Groups: []string{"a", "b"}, Except: []string{"é"}, ReadOnly: true}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if got, err := runtime.SelectionFromEnv("NOT_SET_"); err != nil || !reflect.DeepEqual(got, runtime.Selection{}) {
		t.Errorf("without variables: got %+v, %v, want zero", got, err)
	}
	t.Setenv("SHOP_READ_ONLY", "maybe")
	if _, err := runtime.SelectionFromEnv("SHOP_"); err == nil || err.Error() != `environment variable SHOP_READ_ONLY is "maybe"; write true or false` {
		t.Errorf("got the error %v, want one about the variable", err)
	}
}
