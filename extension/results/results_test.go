package results_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/extension/results"
	"github.com/mcptool-go/mcptool/extension/toolsearch"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/streamhttp"
	"github.com/mcptool-go/mcptool/task"
)

// linesOf returns a tool whose result is a text of n lines.
func linesOf(t *testing.T, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	type in struct {
		N int `json:"n,omitempty" jsonschema:"default=5000"`
	}
	return newTool(t, "lines", func(in in) string { return strings.Repeat("a line of text\n", in.N) }, opts...)
}

// TestBudget: which results are cut.
func TestBudget(t *testing.T) {
	t.Parallel()
	whole := `"` + results.ID + `":{"whole":true}`
	for _, test := range []struct {
		name    string
		options results.Options
		budget  int // of the tool
		meta    []string
		n, most int // lines of the result, and the largest size if it is cut; 0 means that it is not cut
	}{
		{"small", results.Options{}, 0, nil, 200, 0},
		{"large", results.Options{}, 0, nil, 500, 8 << 10},
		{"budget of the options", results.Options{Budget: 20_000}, 0, nil, 5000, 20_000},
		{"none", results.Options{Budget: -1}, 0, nil, 5000, 0},
		{"budget of the tool", results.Options{}, 3000, nil, 200, 3000},
		{"budget of the tool only", results.Options{Budget: -1}, 3000, nil, 200, 3000},
		{"no budget of the tool", results.Options{}, -1, nil, 5000, 0},
		{"the least budget", results.Options{}, 1, nil, 5000, 2048},
		{"the client wants everything", results.Options{}, 0, []string{whole}, 5000, 0},
		{"the client does not want everything", results.Options{}, 0, []string{`"` + results.ID + `":{"whole":false}`}, 5000, 8 << 10},
	} {
		for _, revision := range revisions {
			c := connect(t, newServer(t, test.options, linesOf(t, results.Budget(test.budget))), revision)
			res := c.call("lines", fmt.Sprintf(`{"n":%d}`, test.n), test.meta...)
			isCut := res.Meta[results.ID] != nil
			if isCut != (test.most > 0) || isCut && len(res.raw) > test.most {
				t.Errorf("%s, %s: %d bytes, cut: %v", test.name, revision, len(res.raw), isCut)
			}
			if !isCut && !strings.Contains(res.Content[0].Text, strings.Repeat("a line of text\n", test.n)) {
				t.Errorf("%s, %s: not the whole text", test.name, revision)
			}
		}
	}
}

// TestNotSelected: without read_result, results are complete.
func TestNotSelected(t *testing.T) {
	t.Parallel()
	var r mcptool.Registry
	if err := r.Add(linesOf(t)); err != nil {
		t.Fatal(err)
	}
	srv := &runtime.Server{Tools: &r, Extensions: []runtime.Extension{results.New(results.Options{})}, Select: runtime.Selection{Except: []string{"read_result"}}}
	if res := connect(t, srv, newest).call("lines", `{}`); res.Meta[results.ID] != nil {
		t.Errorf("cut: %.300s", res.raw)
	}
}

// TestErrors checks that errors of tools are cut as well, and that the results still have isError.
func TestErrors(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("it failed\n", 5000)
	tool := newTool(t, "fail", func(struct{}) *mcptool.Result {
		return &mcptool.Result{IsError: true, Content: []mcptool.Content{mcptool.Text{Text: long}}}
	}, mcptool.OutputType[orders]())
	c := connect(t, newServer(t, results.Options{}, tool), newest)
	res := c.call("fail", `{}`)
	if !res.IsError || len(res.raw) > 8<<10 || strings.Contains(res.Content[0].Text, "succeeded") {
		t.Errorf("%.500s", res.raw)
	}
	if got := c.readAll(res.report(t).Handle, ""); got != long {
		t.Errorf("read %.100q", got)
	}
}

// TestJSONText: a text that is JSON, as tools of other frameworks return it, is cut and read as JSON.
func TestJSONText(t *testing.T) {
	t.Parallel()
	text, _ := json.MarshalIndent(manyOrders(300), "", "  ")
	c := connect(t, newServer(t, results.Options{}, newTool(t, "orders", func(struct{}) mcptool.Content { return mcptool.Text{Text: string(text)} })), newest)
	res := c.call("orders", `{}`)
	var shown orders
	if err := json.Unmarshal([]byte(res.Content[1].Text), &shown); err != nil || len(shown.Orders) == 0 || shown.Note == "" {
		t.Errorf("%v: %.300s", err, res.Content[1].Text)
	}
	if p := c.query(res.report(t).Handle, `"path":"orders","limit":1`); p.Matched != 300 {
		t.Errorf("%d orders", p.Matched)
	}
}

// TestRepeatedText: a text with the JSON of the structured part is not kept twice.
func TestRepeatedText(t *testing.T) {
	t.Parallel()
	raw, _ := json.Marshal(manyOrders(300))
	tool := newTool(t, "orders", func(struct{}) *mcptool.Result {
		return &mcptool.Result{Structured: json.RawMessage(raw), Content: []mcptool.Content{mcptool.Text{Text: string(raw)}, mcptool.Text{Text: strings.Repeat("a comment\n", 2000)}}}
	}, mcptool.OutputType[orders]())
	c := connect(t, newServer(t, results.Options{}, tool), newest)
	res := c.call("orders", `{}`)
	if len(res.raw) > 8<<10 || len(res.Content) != 3 {
		t.Errorf("%d bytes, %d blocks: %.3000s", len(res.raw), len(res.Content), res.raw)
	}
	handle := res.report(t).Handle
	if p := c.query(handle, `"path":"structured.orders","limit":1`); p.Matched != 300 {
		t.Errorf("%d orders", p.Matched)
	}
	if p := c.query(handle, `"path":"content.0","offset":-1`); p.Lines != 2000 {
		t.Errorf("%d lines", p.Lines)
	}
}

type withMore struct {
	Orders []order       `json:"orders"`
	More   *results.More `json:"_more,omitzero"`
}

// TestMore checks that the member _more of a structured result, if its output type has one, lists what was cut.
func TestMore(t *testing.T) {
	t.Parallel()
	c := connect(t, newServer(t, results.Options{}, newTool(t, "orders", func(struct{}) withMore { return withMore{Orders: manyOrders(1000).Orders} })), newest)
	res := c.call("orders", `{}`)
	var shown withMore
	if err := json.Unmarshal(res.StructuredContent, &shown); err != nil || shown.More == nil || len(res.raw) > 8<<10 {
		t.Fatalf("%v: %d bytes: %.300s", err, len(res.raw), res.raw)
	}
	if want := fmt.Sprintf("orders: the first %d of 1000 elements. read_result returns the rest.", len(shown.Orders)); shown.More.Handle != res.report(t).Handle || shown.More.Note != want {
		t.Errorf("%+v, want the note %q", shown.More, want)
	}
}

// TestMistakes checks the errors of read_result for invalid arguments.
func TestMistakes(t *testing.T) {
	t.Parallel()
	c := connect(t, newServer(t, results.Options{}, newTool(t, "orders", func(struct{}) orders { return manyOrders(1000) })), newest)
	handle := c.call("orders", `{}`).report(t).Handle
	for arguments, want := range map[string]string{
		`"path":"ordrs"`:     `path: the result has no "ordrs"; did you mean "orders"?`,
		`"path":"xyz"`:       `path: the result has no "xyz"; it has orders, note. Example: "orders"`,
		`"path":"orders.id"`: `path: orders is a list of 1000 elements, and has no "id"; an element is orders.0, and orders.* is all of them`,
		`"path":"orders","where":[{"field":"totl","op":"gt","value":1}]`:                `where[0]: there is no column "totl"; did you mean "total"? The columns are total, id, customer, city, status, lines. Example: {"field":"total","op":"eq","value":`,
		`"path":"orders","where":[{"field":"total","op":"gt","value":"1"}]`:             `total is a number, so "gt" never holds for "1". Example: {"field":"total","op":"gt","value":`,
		`"path":"orders","where":[{"field":"city","op":"gt"}]`:                          `where[0]: gt needs a value. Example: {"field":"city","op":"eq","value":`,
		`"path":"orders","where":[{"field":"id","op":"in","value":3}]`:                  `where[0]: the value of "in" must be a list of at most 1000 values. Example: {"field":"id","op":"in","value":[1,2]}`,
		`"path":"orders","where":[{}]`:                                                  `where[0]: field and op are required. Example: {"field":"id","op":"eq","value":1}`,
		`"path":"orders","where":[{"field":"id","op":"eq","value":1,"any":[]}]`:         ``,
		`"path":"orders","aggregate":[{"fn":"sum"}]`:                                    `aggregate[0]: sum needs a field. Example: {"fn":"sum","field":"id"}`,
		`"path":"orders","aggregate":[{"fn":"sum","field":"customer"}]`:                 `aggregate[0]: sum needs numbers, but customer of orders.0 is a text`,
		`"path":"orders","aggregate":[{"fn":"median","field":"id"}]`:                    "read_result: invalid arguments\naggregate[0].fn: must be one of \"count\", \"sum\", \"min\", \"max\", \"avg\", got \"median\"",
		`"path":"orders","sort":[{"field":"when"}]`:                                     `sort[0]: there is no column "when". The columns are id,`,
		`"search":"("  ,"regexp":true`:                                                  `search: error parsing regexp: missing closing ): ` + "`(`",
		`"search":"(a{30}){30}","regexp":true`:                                          `search: the regular expression is too expensive; use smaller repetitions`,
		`"search":"a","where":[{"field":"id","op":"eq","value":1}]`:                     `search cannot be combined with`,
		`"path":"orders","where":[{"field":"city","op":"is_null"}],"limit":1`:           ``,
		`"path":"orders","where":[{"field":"status","op":"eq","value":"op"}],"limit":1`: ``,
	} {
		if got := c.ask(handle, arguments); want != "" && !strings.HasPrefix(got, want) || want == "" && !strings.HasPrefix(got, `{"rows":[`) {
			t.Errorf("%s:\ngot  %.300s\nwant %s", arguments, got, want)
		}
	}
}

// TestGone checks the errors of read_result for unknown handles.
func TestGone(t *testing.T) {
	t.Parallel()
	c := connect(t, newServer(t, results.Options{}, linesOf(t)), newest)
	for handle, want := range map[string]string{
		"lines-0123456789abcdefghijklmnop":  "the result of lines with this handle does not exist, or was deleted: results are kept for 1h0m0s, and fewer if there are many; call lines again",
		"others-0123456789abcdefghijklmnop": "there is no result with this handle; copy the handle from a result that says that it was cut",
		"":                                  "there is no result with this handle; copy the handle from a result that says that it was cut",
	} {
		if got := c.ask(handle, ""); got != want {
			t.Errorf("%q: %s", handle, got)
		}
	}
}

// TestOwner: the result of one caller does not exist for another one. The answer is the same as for a handle that never
// existed.
func TestOwner(t *testing.T) {
	t.Parallel()
	srv := newServer(t, results.Options{}, linesOf(t))
	tool, _ := srv.Tools.Lookup("lines")
	reader, _ := srv.Tools.Lookup("read_result")
	clients := map[string]*mcptooltest.Client{}
	c := mcptooltest.HTTP(t, srv, streamhttp.StaticTokens(map[string]streamhttp.Token{
		"a": {Principal: "ana"}, "b": {Principal: "ben"}, "c": {Principal: "ana", Tenant: "other"},
	}))
	for _, token := range []string{"a", "b", "c"} {
		clients[token] = &mcptooltest.Client{URL: c.URL, Header: http.Header{"Authorization": {"Bearer " + token}}}
	}
	res, err := clients["a"].Call(t.Context(), tool, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(fmt.Sprint(res), `\"handle\":\"`)
	handle, _, _ := strings.Cut(rest, `\"`)
	answer := func(token, handle string) string {
		res, err := clients[token].Call(t.Context(), reader, []byte(`{"handle":"`+handle+`","limit":1}`))
		if err != nil {
			t.Fatal(err)
		}
		contents, err := clients[token].Read(t.Context(), resourceOf(t, srv), "results://"+handle)
		return fmt.Sprintf("%v %.99v %v", res, contents, err)
	}
	if got := answer("a", handle); !strings.Contains(got, "a line of text") || !strings.Contains(got, "text/plain") {
		t.Errorf("the owner got %.300s", got)
	}
	for _, token := range []string{"b", "c"} {
		got, unknown := answer(token, handle), answer(token, "lines-"+strings.Repeat("a", 26))
		if strings.Contains(got, "a line of text") || strings.ReplaceAll(got, handle, "") != strings.ReplaceAll(unknown, "lines-"+strings.Repeat("a", 26), "") {
			t.Errorf("%s got\n%s\nand for an unknown handle\n%s", token, got, unknown)
		}
	}
}

func resourceOf(t *testing.T, srv *runtime.Server) *mcptool.Resource {
	t.Helper()
	for r := range srv.Tools.Resources() {
		return r
	}
	t.Fatal("no resource")
	return nil
}

// TestResource: the resource is the complete result.
func TestResource(t *testing.T) {
	t.Parallel()
	data := manyOrders(300)
	for _, revision := range revisions {
		c := connect(t, newServer(t, results.Options{}, newTool(t, "orders", func(struct{}) orders { return data })), revision)
		handle := c.call("orders", `{}`).report(t).Handle
		var read struct {
			Contents []struct{ Text, MIMEType string }
		}
		if err := json.Unmarshal([]byte(c.request("resources/read", `"uri":"results://`+handle+`"`)), &read); err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(data)
		if read.Contents[0].Text != string(want) || read.Contents[0].MIMEType != "application/json" {
			t.Errorf("%s: %.300v", revision, read)
		}
	}
}

// TestLimits checks that a new result replaces the oldest results of its caller, and then the oldest of all callers.
func TestLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		limits results.Limits
		calls  string // the callers of calls
		want   string // for each call, whether its result is kept at the end
	}{
		{"number per caller", results.Limits{ResultsPerCaller: 2}, "aaba", "0111"},
		{"number of all", results.Limits{Results: 3}, "abab", "0111"},
		{"bytes per caller", results.Limits{BytesPerCaller: 200_000}, "aaba", "0111"},
		{"bytes of all", results.Limits{Bytes: 280_000}, "abab", "0111"},
		{"too large for any", results.Limits{Bytes: 10_000}, "ab", "00"},
		{"a caller with many does not delete those of others", results.Limits{Results: 3, ResultsPerCaller: 2}, "baaaaa", "100011"},
	} {
		srv := newServer(t, results.Options{Limits: test.limits}, linesOf(t))
		tool, _ := srv.Tools.Lookup("lines")
		reader, _ := srv.Tools.Lookup("read_result")
		c := mcptooltest.HTTP(t, srv, streamhttp.StaticTokens(map[string]streamhttp.Token{"a": {Principal: "ana"}, "b": {Principal: "ben"}}))
		call := func(caller rune, tool *mcptool.Tool, args string) string {
			c := &mcptooltest.Client{URL: c.URL, Header: http.Header{"Authorization": {"Bearer " + string(caller)}}}
			res, err := c.Call(t.Context(), tool, []byte(args))
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(res)
		}
		var handles []string
		for _, caller := range test.calls {
			text := call(caller, tool, `{}`)
			_, rest, _ := strings.Cut(text, `\"handle\":\"`)
			handle, _, _ := strings.Cut(rest, `\"`)
			handles = append(handles, handle)
			if handle == "" && !strings.Contains(text, "was not kept: it has ") {
				t.Errorf("%s: %.500s", test.name, text)
			}
		}
		got := ""
		for i, caller := range test.calls {
			kept := "0"
			if strings.Contains(call(caller, reader, `{"handle":"`+handles[i]+`"}`), "a line of text") {
				kept = "1"
			}
			got += kept
		}
		if got != test.want {
			t.Errorf("%s: kept %s, want %s", test.name, got, test.want)
		}
	}
}

// TestExpiry: a result is gone after its TTL.
func TestExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, newServer(t, results.Options{TTL: time.Hour}, linesOf(t)), newest)
		handle := c.call("lines", `{}`).report(t).Handle
		time.Sleep(time.Hour - time.Second)
		if got := c.ask(handle, `"limit":1`); !strings.Contains(got, "a line") {
			t.Errorf("before the end: %s", got)
		}
		time.Sleep(2 * time.Second)
		if got := c.ask(handle, `"limit":1`); !strings.Contains(got, "call lines again") {
			t.Errorf("after the end: %s", got)
		}
	})
}

// TestRestart: another server with the same store has the results, and its owner finds no tasks among them.
func TestRestart(t *testing.T) {
	t.Parallel()
	store := task.NewMemory(task.MemoryLimits{})
	handle := connect(t, newServer(t, results.Options{Store: store}, linesOf(t)), newest).call("lines", `{}`).report(t).Handle
	for _, revision := range revisions {
		c := connect(t, newServer(t, results.Options{Store: store}, linesOf(t)), revision)
		if p := c.query(handle, `"offset":4999`); *p.Text != "a line of text\n" || p.Lines != 5000 {
			t.Errorf("%s: %+v", revision, p)
		}
	}
	if tasks, err := store.List(t.Context(), task.Owner{}, "", 10); err != nil || len(tasks) > 0 {
		t.Errorf("the caller has the tasks %v, %v", tasks, err)
	}
}

// fullStore is a store that has room for some records of each owner.
type fullStore struct {
	*task.Memory
	room int
}

func (s fullStore) Create(ctx context.Context, r task.Record) error {
	if all, _ := s.List(ctx, r.Owner, "", 100); len(all) >= s.room {
		return task.ErrFull
	}
	return s.Memory.Create(ctx, r)
}

// TestFullStore checks that a full store drops the oldest results of the caller, and that the text otherwise says why the
// result was not kept.
func TestFullStore(t *testing.T) {
	t.Parallel()
	c := connect(t, newServer(t, results.Options{Store: fullStore{task.NewMemory(task.MemoryLimits{}), 2}}, linesOf(t)), newest)
	var handles []string
	for range 3 {
		handles = append(handles, c.call("lines", `{}`).report(t).Handle)
	}
	if got := c.ask(handles[0], ""); !strings.Contains(got, "call lines again") {
		t.Errorf("the oldest: %.100s", got)
	}
	if got := c.ask(handles[2], ""); !strings.Contains(got, "a line") {
		t.Errorf("the newest: %.100s", got)
	}
	c = connect(t, newServer(t, results.Options{Store: fullStore{task.NewMemory(task.MemoryLimits{}), 0}}, linesOf(t)), newest)
	if res := c.call("lines", `{}`); !strings.Contains(res.Content[0].Text, "The rest was not kept: the task store is full. To see it, use narrower arguments.") || res.report(t).Handle != "" {
		t.Errorf("%.500s", res.raw)
	}
}

// TestForget deletes a result in a call.
func TestForget(t *testing.T) {
	t.Parallel()
	type in struct {
		Handle string `json:"handle"`
	}
	forget, err := mcptool.New(func(ctx context.Context, in in) (string, error) {
		if err := results.Forget(ctx, in.Handle); err != nil {
			return "", err
		}
		return "forgotten", nil
	}, mcptool.Name("forget"))
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, newServer(t, results.Options{}, linesOf(t), forget), newest)
	handle := c.call("lines", `{}`).report(t).Handle
	for _, want := range []string{"forgotten", task.ErrNotFound.Error()} {
		if res := c.call("forget", `{"handle":"`+handle+`"}`); res.Content[0].Text != want {
			t.Errorf("got %s, want %s", res.raw, want)
		}
		if got := c.ask(handle, ""); !strings.Contains(got, "call lines again") {
			t.Errorf("after Forget: %s", got)
		}
	}
	if err := results.Forget(t.Context(), handle); !errors.Is(err, results.ErrNotServed) {
		t.Errorf("outside of a call: %v", err)
	}
}

// TestOptions: mistakes in the options are mistakes of the server.
func TestOptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		options results.Options
		want    string
	}{
		{results.Options{Budget: 100}, "Options.Budget: 100 bytes are too few for a result and its summary; use at least 2048"},
		{results.Options{TTL: -1}, "Options.TTL is -1ns, but must not be negative; 0 means the default, 1h"},
		{results.Options{Limits: results.Limits{Bytes: -1}}, "Options.Limits.Bytes is -1, but must not be negative; 0 means the default, 128 MiB"},
		{results.Options{Prefix: "a b"}, `read_result: `},
	} {
		srv := &runtime.Server{Tools: new(mcptool.Registry), Extensions: []runtime.Extension{results.New(test.options)}}
		if err := srv.Check(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	shared := results.New(results.Options{})
	for i, want := range []string{"", `extension "` + results.ID + `": belongs to a server with other tools; call New for each registry`} {
		srv := &runtime.Server{Tools: new(mcptool.Registry), Extensions: []runtime.Extension{shared}}
		if err := srv.Check(); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("server %d: %v, want %q", i, err, want)
		}
	}
}

// TestConcurrent calls and reads at the same time, for the race detector.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	srv := newServer(t, results.Options{Limits: results.Limits{ResultsPerCaller: 3}}, linesOf(t))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			c := connect(t, srv, newest)
			var handles []string
			for range 10 {
				handles = append(handles, c.call("lines", `{}`).report(t).Handle)
				for _, handle := range slices.Backward(handles) {
					c.ask(handle, `"search":"line","limit":1`)
				}
			}
		})
	}
	wg.Wait()
}

// TestNotCut checks that a structured result that cannot be cut is left out, and that the text reports success. Without an
// output schema the result is not an error.
func TestNotCut(t *testing.T) {
	t.Parallel()
	data := object{}
	properties := object{}
	for i := range 1000 {
		name := fmt.Sprintf("member_%d", i)
		data[name], properties[name] = float64(i), object{"type": "integer"}
	}
	schema, _ := json.Marshal(object{"type": "object", "properties": properties})
	result := func(struct{}) *mcptool.Result { return &mcptool.Result{Structured: data} }
	c := connect(t, newServer(t, results.Options{}, newTool(t, "with_schema", result, mcptool.OutputSchema(schema)), newTool(t, "without", result)), newest)
	res := c.call("with_schema", `{}`)
	if !res.IsError || res.StructuredContent != nil || !strings.HasPrefix(res.Content[0].Text, "The call succeeded. This result has ") {
		t.Errorf("%.500s", res.raw)
	}
	if got := c.readAll(res.report(t).Handle, ""); !reflect.DeepEqual(got, data) {
		t.Errorf("read %.300v", got)
	}
	res = c.call("without", `{}`)
	var shown object
	if err := json.Unmarshal(res.StructuredContent, &shown); err != nil || res.IsError || len(shown) == 0 {
		t.Errorf("%v: %.500s", err, res.raw)
	}
}

// TestInvisible: invisible characters, which a text would lose, are readable as escapes.
func TestInvisible(t *testing.T) {
	t.Parallel()
	line := "a\u200bb\u202ec\x1b[31m\U000E0041\x7f\n"
	c := connect(t, newServer(t, results.Options{}, newTool(t, "lines", func(struct{}) []string { return slices.Repeat([]string{line}, 2000) })), newest)
	handle := c.call("lines", `{}`).report(t).Handle
	text := c.ask(handle, `"limit":1`)
	var p page
	if err := json.Unmarshal([]byte(text), &p); err != nil || p.Rows[0] != line || strings.ContainsAny(text, "\u200b\u202e\x1b\x7f") {
		t.Errorf("%v: %q", err, text)
	}
	for _, character := range []string{"\u200b", "\U000E0041", "\x7f", "\x01", "é"} {
		lines := strings.Repeat(character, 10_000) + "\n" + strings.Repeat(character+"\n", 10_000)
		c := connect(t, newServer(t, results.Options{}, newTool(t, "text", func(struct{}) string { return lines }), newTool(t, "list", func(struct{}) []string { return slices.Repeat([]string{lines}, 3) })), newest)
		text := c.call("text", `{}`).report(t).Handle
		list := c.call("list", `{}`).report(t).Handle
		for _, query := range []string{`"handle":"` + text + `"`, `"handle":"` + text + `","search":".","regexp":true`, `"handle":"` + list + `"`, `"handle":"` + list + `","path":"1"`} {
			if res := c.call("read_result", "{"+query+"}"); len(res.raw) > 8<<10 || res.IsError && character > "\x7f" { // a long line of control characters does not fit
				t.Errorf("%q: the answer to %s has %d bytes: %.300s", character, query, len(res.raw), res.raw)
			}
		}
	}
}

// TestTask: the result of a task is cut, and its handle works. In a common store, the kept result is not a task for clients.
func TestTask(t *testing.T) {
	t.Parallel()
	var r mcptool.Registry
	if err := r.Add(linesOf(t, mcptool.Task(mcptool.TaskSupportOptional))); err != nil {
		t.Fatal(err)
	}
	store := task.NewMemory(task.MemoryLimits{})
	srv := &runtime.Server{Tools: &r, Tasks: tasks.New(store), Extensions: []runtime.Extension{results.New(results.Options{Store: store})}}
	c := connect(t, srv, "2025-11-25")
	var created struct{ Task struct{ TaskID string } }
	if err := json.Unmarshal([]byte(c.request("tools/call", `"name":"lines","arguments":{},"task":{}`)), &created); err != nil {
		t.Fatal(err)
	}
	raw := c.request("tasks/result", `"taskId":"`+created.Task.TaskID+`"`)
	var res result
	if err := json.Unmarshal([]byte(raw), &res); err != nil {
		t.Fatal(err)
	}
	res.raw = raw
	if p := c.query(res.report(t).Handle, `"limit":1`); p.Lines != 5000 || len(raw) > 8<<10 {
		t.Errorf("%d lines, %d bytes", p.Lines, len(raw))
	}
	for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
		if got := c.request(method, `"taskId":"`+res.report(t).Handle+`"`); !strings.Contains(got, `"code":-32602`) {
			t.Errorf("%s of the handle: %.300s", method, got)
		}
	}
}

// TestToolSearch: with tool search, read_result is listed if it is kept, and can be called in any case.
func TestToolSearch(t *testing.T) {
	t.Parallel()
	var r mcptool.Registry
	if err := r.Add(linesOf(t, mcptool.ReadOnly(true))); err != nil {
		t.Fatal(err)
	}
	srv := &runtime.Server{Tools: &r, Extensions: []runtime.Extension{
		results.New(results.Options{}), toolsearch.New(toolsearch.Options{Keep: []string{"read_result"}}),
	}}
	if err := srv.Check(); err != nil {
		t.Fatal(err)
	}
	c := connect(t, srv, newest)
	if list := c.request("tools/list", ""); !strings.Contains(list, `"read_result"`) || strings.Contains(list, `"lines"`) {
		t.Errorf("%.500s", list)
	}
	handle := c.call("call_read_only_tool", `{"name":"lines"}`).report(t).Handle
	if p := c.query(handle, `"limit":1`); p.Lines != 5000 {
		t.Errorf("%d lines", p.Lines)
	}
}
