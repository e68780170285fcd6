package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
)

type (
	hitList struct {
		Query string   `json:"query"`
		Hits  []hit    `json:"hits"`
		Words []string `json:"words"`
	}
	hit struct {
		Text  string `json:"text"`
		Lines []int  `json:"lines"`
	}
)

// answer is a decoded response to a call.
type answer struct {
	Result struct {
		StructuredContent json.RawMessage
		IsError           bool
		Content           []struct{ Type, Text string }
	}
}

// callOnce calls the tool of a server in a revision, and returns the answer and its size in bytes.
func callOnce(t *testing.T, srv *runtime.Server, name, revision string) (a answer, size int) {
	t.Helper()
	msg := respond(t, srv, name, revision)
	decode(t, msg, &a)
	return a, len(msg)
}

// respond returns the response of a server to a call without arguments in a revision.
func respond(t *testing.T, srv *runtime.Server, name, revision string) string {
	t.Helper()
	w := open(t, srv)
	if revision == "2026-07-28" {
		w.send(modern("1", "tools/call", `,"name":"`+name+`"`))
	} else {
		w.handshake(revision)
		w.send(legacy("1", "tools/call", `"name":"`+name+`"`))
	}
	return w.next()
}

// TestOutputLimit: a result that is too large is an error that asks for a smaller part, whatever it consists of.
func TestOutputLimit(t *testing.T) {
	t.Parallel()
	many := hitList{Query: "q", Hits: []hit{}, Words: strings.Fields(strings.Repeat("word ", 1000))}
	block := &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: strings.Repeat("x", 5000)}}}
	seen := []mcptool.Content{mcptool.Text{Text: "Seen."}}
	const told = "but the limit is 3.9 KiB; request a smaller part"
	for _, test := range []struct {
		name   string
		tool   *mcptool.Tool
		words  string // part of the text
		failed bool
		reason string
	}{
		{"fits", returning(t, "x", hitList{Hits: []hit{}, Words: []string{"a"}}), `{"query"`, false, "below the limit"},
		{"list", returning(t, "x", many), told, true, "no list is cut"},
		{"text", returning(t, "x", block), told, true, "no text is cut"},
		{"other content", returning(t, "x", &mcptool.Result{Structured: many, Content: seen}, mcptool.OutputType[hitList]()), told, true, "the content of the author does not replace the structured part"},
		{
			"content has the same text", returning(t, "x", &mcptool.Result{Structured: many, Content: []mcptool.Content{mcptool.Text{Text: encoded(t, many)}}}, mcptool.OutputType[hitList]()),
			told, true, "the text is not added a second time, and is too large",
		},
		{"no type", returning(t, "x", &mcptool.Result{Structured: many}), told, true, "the type is unknown"},
		{"custom schema", returning(t, "x", many, mcptool.OutputSchema(json.RawMessage(`{"type":"object"}`))), told, true, "the schema allows everything"},
	} {
		for _, revision := range revisions {
			t.Run(test.name+" "+revision, func(t *testing.T) {
				t.Parallel()
				srv := serve(t, test.tool)
				srv.Limits.MaxResultBytes = 4000
				srv.MaskErrors = true // does not affect these errors
				log := logged(srv, slog.LevelWarn)
				got, size := callOnce(t, srv, "x", revision)
				if text := got.Result.Content[0].Text; !strings.Contains(text, test.words) || got.Result.IsError != test.failed || size > 4000 {
					t.Errorf("got %d bytes: %+v: %s", size, got.Result, test.reason)
				}
				if logged := strings.Contains(log.String(), "result too large"); logged != test.failed {
					t.Errorf("logged = %t, want %t: %s", logged, test.failed, log)
				}
			})
		}
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestOutputLimitAnything: any result is sent whole if its bytes are within the limit, and is an error if it has one more.
func TestOutputLimitAnything(t *testing.T) {
	t.Parallel()
	d := rand.New(rand.NewPCG(2, 6))
	for range testscale.Short(testscale.Count(150)) {
		out := hitList{Query: strings.Repeat(`"é\`, d.IntN(20)), Words: []string{}, Hits: []hit{}}
		for range 1 + d.IntN(80) {
			out.Hits = append(out.Hits, hit{Text: strings.Repeat("a\n", d.IntN(30)), Lines: make([]int, d.IntN(50))})
		}
		for range d.IntN(200) {
			out.Words = append(out.Words, fmt.Sprint(d.IntN(1000)))
		}
		tool, revision := returning(t, "x", out), revisions[d.IntN(len(revisions))]
		var whole struct{ Result json.RawMessage }
		decode(t, callWithin(t, tool, revision, 0), &whole)
		size := len(whole.Result)
		if got := callWithin(t, tool, revision, size); !strings.Contains(got, string(whole.Result)) {
			t.Fatalf("%s: the limit is %d bytes, as large as the result, and the answer is %.300s", revision, size, got)
		}
		var refused answer
		decode(t, callWithin(t, tool, revision, size-1), &refused)
		if text := refused.Result.Content[0].Text; !refused.Result.IsError || refused.Result.StructuredContent != nil || !strings.HasPrefix(text, "the result has ") || !strings.HasSuffix(text, "; request a smaller part or use narrower arguments") {
			t.Fatalf("%s: the limit is %d bytes, one less than the result, and the answer is %.300s", revision, size-1, text)
		}
	}
}

// callWithin returns the response to a call of the tool, which is named x, by a server with this limit for results.
func callWithin(t *testing.T, tool *mcptool.Tool, revision string, limit int) string {
	t.Helper()
	srv := serve(t, tool)
	srv.Limits.MaxResultBytes = limit
	return respond(t, srv, "x", revision)
}

// TestOutputLimitTask: the limit applies to the result of a task.
func TestOutputLimitTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := hitList{Hits: []hit{{Lines: make([]int, 5000)}}, Words: []string{}}
		srv := taskServer(t, returning(t, "x", out, mcptool.Task(mcptool.TaskSupportRequired)))
		srv.Limits.MaxResultBytes = 4000
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"x"`))
		id, _ := taskOf(t, w.next())
		synctest.Wait()
		w.send(tasked("2", "tasks/get", `,"taskId":"`+id+`"`))
		if msg := w.want(`"isError":true`, "but the limit is 3.9 KiB; request a smaller part"); len(msg) > 4000 {
			t.Errorf("got %d bytes, want at most 4000", len(msg))
		}
	})
}

// TestOutputLimitMethod: a method result that is too large is an error.
func TestOutputLimitMethod(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]string{
		100:  "the result has 109 bytes, but the limit is 100 bytes; request a smaller part",
		1090: "the result has more than 1.1 KiB, but the limit is 1.1 KiB; request a smaller part",
	} {
		srv := serve(t)
		srv.Limits.MaxResultBytes = limit
		srv.Methods = []runtime.Method{{Name: "x", Handle: func(context.Context, json.RawMessage) (any, error) {
			return map[string]string{"text": strings.Repeat("x", limit)}, nil
		}}}
		w := open(t, srv)
		w.handshake("2025-11-25")
		w.send(legacy("1", "x", ""))
		w.want(`"error":{"code":-32603,"message":"` + want)
	}
}

// TestOutputLimitAudit: a result that is too large has its own outcome.
func TestOutputLimitAudit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, outputLimitAudit)
}

func outputLimitAudit(t *testing.T) {
	t.Helper()
	srv := serve(t, returning(t, "x", mcptool.Text{Text: strings.Repeat("x", 500)}))
	srv.Limits.MaxResultBytes = 100
	log := &journal{}
	srv.Observer = audit.New(slog.New(slog.NewJSONHandler(log, nil)))
	callOnce(t, srv, "x", "2025-11-25")
	synctest.Wait() // the record is written after the answer
	if records := auditOf(t, log); len(records) != 1 || records[0]["outcome"] != "too_large" {
		t.Errorf("records = %v, want one with outcome too_large", records)
	}
}

// rows are much larger as JSON than in memory: they share a text of 64 KiB.
type rows struct {
	Rows []row `json:"rows"`
}
type row struct {
	Text string `json:"text"`
}

// verbatim is a marshaler that returns its text.
type verbatim string

func (v verbatim) MarshalJSON() ([]byte, error) { return []byte(v), nil }

// sharedRows returns n rows with the same text.
func sharedRows(n int) rows {
	text := strings.Repeat("x", 64<<10)
	return rows{slices.Repeat([]row{{text}}, n)}
}

// TestEndlessResults: a result far beyond the limit is rejected before it is completely encoded, whatever its type.
func TestEndlessResults(t *testing.T) { //nolint:paralleltest // measures allocations of the process
	if testing.Short() {
		t.Skip("writes 16 MiB in each of 20 cases and measures allocations")
	}
	const n = 20_000 // 1.3 GB of JSON
	text := strings.Repeat("x", 64<<10)
	quoted := json.RawMessage(`"` + text + `"`)
	byName := map[string]string{}
	for i := range n {
		byName[strconv.Itoa(i)] = text
	}
	through := func(next mcptool.Handler) mcptool.Handler {
		return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			result, err := next(ctx, args)
			if err != nil {
				return nil, fmt.Errorf("in middleware: %w", err)
			}
			return result, nil
		}
	}
	for name, tool := range map[string]*mcptool.Tool{
		"structs":       returning(t, "x", sharedRows(n)),
		"texts":         returning(t, "x", slices.Repeat([]string{text}, n)),
		"bytes":         returning(t, "x", slices.Repeat([][]byte{[]byte(text)}, n)),
		"map":           returning(t, "x", byName),
		"any":           returning(t, "x", slices.Repeat([]any{text}, n)),
		"raw":           returning(t, "x", slices.Repeat([]json.RawMessage{quoted}, n)),
		"marshalers":    returning(t, "x", slices.Repeat([]verbatim{verbatim(quoted)}, n)),
		"numbers":       returning(t, "x", slices.Repeat([]int{math.MaxInt}, 2<<20)),
		"Result":        returning(t, "x", &mcptool.Result{Structured: sharedRows(n)}),
		"typed Result":  returning(t, "x", &mcptool.Result{Structured: sharedRows(n)}, mcptool.OutputType[rows]()),
		"schema":        returning(t, "x", sharedRows(n), mcptool.OutputSchema(json.RawMessage(`{"type":"object"}`))),
		"in middleware": returning(t, "x", sharedRows(n), mcptool.Use(through)),
	} {
		for _, revision := range []string{"2024-11-05", "2025-06-18"} { // only text; text and structuredContent
			t.Run(name+" "+revision, func(t *testing.T) { //nolint:paralleltest // as above
				srv := serve(t, tool)
				srv.MaskErrors = true // does not affect these errors
				log := logged(srv, slog.LevelWarn)
				var before, after goruntime.MemStats
				goruntime.ReadMemStats(&before)
				got, _ := callOnce(t, srv, "x", revision)
				goruntime.ReadMemStats(&after)
				if text := got.Result.Content[0].Text; !got.Result.IsError || !strings.HasPrefix(text, "the result has more than 32.0 MiB, but the limit is 16.0 MiB; request a smaller part") {
					t.Errorf("got %.200s", text)
				}
				if !strings.Contains(log.String(), "result too large") {
					t.Errorf("log lacks the large result: %s", log)
				}
				if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 640 {
					t.Errorf("allocated %d MiB, want at most 640", mib)
				}
			})
		}
	}
	srv := serve(t)
	srv.Methods = []runtime.Method{{Name: "x", Handle: func(context.Context, json.RawMessage) (any, error) { return sharedRows(n), nil }}}
	w := open(t, srv)
	w.handshake("2025-11-25")
	w.send(legacy("1", "x", ""))
	w.want(`"error":{"code":-32603,"message":"the result has more than 32.0 MiB, but the limit is 16.0 MiB`)
}

// TestNoOutputLimit: a limit of math.MaxInt does not overflow.
func TestNoOutputLimit(t *testing.T) {
	t.Parallel()
	srv := serve(t, returning(t, "x", sharedRows(2)))
	srv.Limits.MaxResultBytes = math.MaxInt
	if got, size := callOnce(t, srv, "x", "2025-06-18"); got.Result.IsError || size < 4*64<<10 {
		t.Errorf("got %d bytes: %+.200v", size, got.Result)
	}
}

// TestResultsBeyondLimit: the error for a result above the limit has its size, with the text or without it.
func TestResultsBeyondLimit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long; runs without -short")
	}
	const n = 20 << 20 / (64 << 10) // 20 MiB, above 16 with the text or without it
	srv := serve(t, returning(t, "x", sharedRows(n)))
	if got, _ := callOnce(t, srv, "x", "2025-06-18"); !strings.HasPrefix(got.Result.Content[0].Text, "the result has 40.0 MiB, but the limit is 16.0 MiB") {
		t.Errorf("got %.200s", got.Result.Content[0].Text)
	}
	srv = serve(t, returning(t, "x", sharedRows(n)))
	if got, _ := callOnce(t, srv, "x", "2024-11-05"); !strings.HasPrefix(got.Result.Content[0].Text, "the result has 20.0 MiB, but the limit is 16.0 MiB") {
		t.Errorf("got %.200s", got.Result.Content[0].Text)
	}
}
