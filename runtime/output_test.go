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

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
)

type (
	hitList struct {
		Query string    `json:"query"`
		Hits  []hit     `json:"hits" mcp:"truncate" jsonschema:"minItems=1"`
		Words []string  `json:"words" mcp:"truncate"`
		Sure  []float64 `json:"sure"`
	}
	hit struct {
		Text  string `json:"text"`
		Lines []int  `json:"lines" mcp:"truncate"`
	}
)

// answer is a decoded response to a call.
type answer struct {
	Result struct {
		StructuredContent json.RawMessage
		IsError           bool
		Content           []struct{ Type, Text string }
		Meta              struct {
			Truncated *struct {
				Lists []struct {
					Path         string
					Shown, Total int
				}
				More int
			} `json:"io.github.mcptool-go/truncated"`
		} `json:"_meta"`
	}
}

// callOnce calls the tool of a server in a revision, and returns the answer and its size in bytes.
func callOnce(t *testing.T, srv *runtime.Server, name, revision string) (a answer, size int) {
	t.Helper()
	w := open(t, srv)
	if revision == "2026-07-28" {
		w.send(modern("1", "tools/call", `,"name":"`+name+`"`))
	} else {
		w.handshake(revision)
		w.send(legacy("1", "tools/call", `"name":"`+name+`"`))
	}
	msg := w.next()
	decode(t, msg, &a)
	return a, len(msg)
}

// TestOutputLimit: a result that is too large is truncated if its type allows that, and is an error otherwise.
func TestOutputLimit(t *testing.T) {
	t.Parallel()
	many := hitList{Query: "q", Hits: []hit{{Text: "x", Lines: []int{}}}, Words: strings.Fields(strings.Repeat("word ", 1000)), Sure: []float64{}}
	fixed := hitList{Hits: []hit{{Lines: []int{}}}, Words: []string{}, Sure: make([]float64, 4000)}
	block := &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: strings.Repeat("x", 5000)}}}
	const told = "but the limit is 3.9 KiB; request a smaller part"
	for _, test := range []struct {
		name   string
		tool   *mcptool.Tool
		words  string // beginning of the text
		failed bool
		reason string
	}{
		{"fits", returning(t, "x", hitList{Hits: []hit{{Lines: []int{}}}, Words: []string{"a"}, Sure: []float64{}}), `{"query"`, false, "below the limit"},
		{"cut", returning(t, "x", many), "The result was too large and was truncated. It contains words: the first ", false, "the list has the tag truncate"},
		{"nothing to cut", returning(t, "x", fixed), told, true, "the list does not have the tag"},
		{"text", returning(t, "x", block), told, true, "content is not truncated"},
		{
			"other content", returning(t, "x", &mcptool.Result{Structured: many, Content: []mcptool.Content{mcptool.Text{Text: "Seen."}}}, mcptool.OutputType[hitList]()),
			"The result was too large", false, "a Result with a known type",
		},
		{
			"content has the same text", returning(t, "x", &mcptool.Result{Structured: many, Content: []mcptool.Content{mcptool.Text{Text: encoded(t, many)}}}, mcptool.OutputType[hitList]()),
			told, true, "content of the author is not truncated",
		},
		{"no type", returning(t, "x", &mcptool.Result{Structured: many}), told, true, "the type is unknown"},
		{
			"custom schema", returning(t, "x", many, mcptool.OutputSchema(json.RawMessage(`{"type":"object","required":["words"],"properties":{"query":{"type":"string"},"hits":{"type":"array"},"sure":{"type":"array"},"words":{"type":"array","minItems":900}}}`))),
			told, true, "the truncated result would violate the schema",
		},
	} {
		for _, revision := range revisions {
			t.Run(test.name+" "+revision, func(t *testing.T) {
				t.Parallel()
				srv := serve(t, test.tool)
				srv.Limits.MaxResultBytes = 4000
				srv.MaskErrors = true // does not affect these errors
				log := logged(srv, slog.LevelWarn)
				got, size := callOnce(t, srv, "x", revision)
				if text := got.Result.Content[0].Text; !strings.Contains(text, test.words) || got.Result.IsError != test.failed || size > 4000+2048 {
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

// TestOutputLimitAnything: for any result and limit, the answer is an error, or it is within the limit (plus the report),
// matches the output schema, and reports what is missing.
func TestOutputLimitAnything(t *testing.T) {
	t.Parallel()
	d := rand.New(rand.NewPCG(2, 6))
	cut, failed, results := 0, 0, testscale.Short(testscale.Count(600))
	for range results {
		out := hitList{Query: strings.Repeat(`"é\`, d.IntN(20)), Words: []string{}, Hits: []hit{}, Sure: []float64{}}
		for range 1 + d.IntN(80) {
			out.Hits = append(out.Hits, hit{Text: strings.Repeat("a\n", d.IntN(30)), Lines: make([]int, d.IntN(50))})
		}
		for range d.IntN(200) {
			out.Words = append(out.Words, fmt.Sprint(d.IntN(1000)))
		}
		made := returning(t, "x", out)
		srv := serve(t, made)
		srv.Limits.MaxResultBytes = 100 + d.IntN(2*len(encoded(t, out)))
		revision := revisions[d.IntN(len(revisions))]
		got, size := callOnce(t, srv, "x", revision)
		r := got.Result
		if size > srv.Limits.MaxResultBytes+2048 {
			t.Fatalf("got %d bytes, limit %d", size, srv.Limits.MaxResultBytes)
		}
		if r.IsError {
			if failed++; !strings.Contains(r.Content[0].Text, "request a smaller part") {
				t.Fatalf("unexpected error %+v", r)
			}
			continue
		}
		text := r.Content[len(r.Content)-1].Text
		if err := made.OutputSchema().Check([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if revision >= "2025-06-18" && string(r.StructuredContent) != text {
			t.Fatalf("structuredContent %s differs from the text %s", r.StructuredContent, text)
		}
		var left hitList
		decode(t, text, &left)
		missing := missingOf(out, left)
		if (r.Meta.Truncated == nil) != (len(missing) == 0) {
			t.Fatalf("missing %v, reported %+v", missing, r.Meta.Truncated)
		}
		if len(missing) == 0 {
			if len(r.Content) != 1 || cmp.Diff(out, left) != "" {
				t.Fatalf("changed although nothing is missing: %+v", r)
			}
			continue
		}
		cut++
		if len(missing) != len(r.Meta.Truncated.Lists)+r.Meta.Truncated.More || len(r.Meta.Truncated.Lists) > 5 {
			t.Fatalf("missing %v, reported %+v", missing, r.Meta.Truncated)
		}
		for _, l := range r.Meta.Truncated.Lists {
			if told := fmt.Sprintf("%s: the first %d of %d", l.Path, l.Shown, l.Total); !missing[told] || !strings.Contains(r.Content[0].Text, told) {
				t.Fatalf("reported %s, missing %v; text: %s", told, missing, r.Content[0].Text)
			}
		}
	}
	if cut < results/6 || failed < results/30 {
		t.Errorf("%d truncated and %d failed, want at least %d and %d", cut, failed, results/6, results/30)
	}
}

// missingOf returns the lists of left that are shorter than in out.
func missingOf(out, left hitList) map[string]bool {
	missing := map[string]bool{}
	note := func(path string, shown, total int) {
		if shown < total {
			missing[fmt.Sprintf("%s: the first %d of %d", path, shown, total)] = true
		}
	}
	note("hits", len(left.Hits), len(out.Hits))
	note("words", len(left.Words), len(out.Words))
	for i, h := range left.Hits {
		note(fmt.Sprintf("hits[%d].lines", i), len(h.Lines), len(out.Hits[i].Lines))
	}
	return missing
}

// TestOutputLimitTask: the limit applies to the result of a task.
func TestOutputLimitTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := hitList{Hits: []hit{{Lines: make([]int, 5000)}}, Words: []string{}, Sure: []float64{}}
		srv := taskServer(t, returning(t, "x", out, mcptool.Task(mcptool.TaskSupportRequired)))
		srv.Limits.MaxResultBytes = 4000
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"x"`))
		id, _ := taskOf(t, w.next())
		synctest.Wait()
		w.send(tasked("2", "tasks/get", `,"taskId":"`+id+`"`))
		if msg := w.want("hits[0].lines: the first ", `"shown":`, `"total":5000`); len(msg) > 4000+2048 {
			t.Errorf("got %d bytes, want at most %d", len(msg), 4000+2048)
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
	Rows []row `json:"rows" mcp:"truncate"`
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

// TestResultsBeyondLimit: a result slightly above the limit is truncated if its type allows that; otherwise the error has its size.
func TestResultsBeyondLimit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long; runs without -short")
	}
	const n = 20 << 20 / (64 << 10) // 20 MiB, above 16 with the text or without it
	srv := serve(t, returning(t, "x", sharedRows(n)))
	got, size := callOnce(t, srv, "x", "2025-06-18")
	if got.Result.Meta.Truncated == nil || got.Result.Meta.Truncated.Lists[0].Total != n || size > 16<<20+2048 || size < 14<<20 {
		t.Errorf("got %d bytes, truncated %+v", size, got.Result.Meta.Truncated)
	}
	srv = serve(t, returning(t, "x", sharedRows(n).Rows))
	if got, _ := callOnce(t, srv, "x", "2025-06-18"); !strings.HasPrefix(got.Result.Content[0].Text, "the result has 40.0 MiB, but the limit is 16.0 MiB") {
		t.Errorf("got %.200s", got.Result.Content[0].Text)
	}
}
