package jsonquery_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/jsonquery"
)

// countingContext counts the calls of Err, and ends with the call number end, or never if end is 0.
type countingContext struct {
	context.Context //nolint:containedctx // a context for tests
	calls, end      int
}

func (c *countingContext) Err() error {
	if c.calls++; c.end > 0 && c.calls >= c.end {
		return context.DeadlineExceeded
	}
	return nil
}

// TestEndsWithContext: expensive queries look at their context often, and end when it has ended. The same queries take minutes for
// the largest documents.
func TestEndsWithContext(t *testing.T) {
	t.Parallel()
	integers := "[" + strings.Repeat("1,", 5000) + "1]"
	wide := "[" + strings.Repeat(`{`+strings.Repeat(`"aa":1,`, 1000)+`"b":1},`, 60) + `{"z":1}]`
	any20 := slices.Repeat([]jsonquery.Comparison{{Field: "z", Op: "not_null"}}, 20)
	for _, test := range []struct {
		name, text string
		in         jsonquery.Query
		want       int // how often it looks at least
	}{
		{"a deep pattern", integers, jsonquery.Query{Path: strings.Repeat("**.", 300) + "**"}, 300},
		{"paths of the last rows", integers, jsonquery.Query{Path: "*", Offset: -4000}, 100},
		{"conditions for a column that is behind many others", wide, jsonquery.Query{Where: slices.Repeat([]jsonquery.Condition{{Any: any20}}, 20)}, 100},
	} {
		doc, err := jsonquery.New([]byte(test.text))
		if err != nil {
			t.Fatal(err)
		}
		ctx := &countingContext{Context: t.Context()}
		if _, err := doc.Answer(ctx, &test.in, jsonquery.Schema{}, 8<<10); err != nil || ctx.calls < test.want {
			t.Errorf("%s: it looks %d times at the context, want %d at least; error %v", test.name, ctx.calls, test.want, err)
		}
		ctx = &countingContext{Context: t.Context(), end: test.want / 2}
		if _, err := doc.Answer(ctx, &test.in, jsonquery.Schema{}, 8<<10); !errors.Is(err, context.DeadlineExceeded) || ctx.calls > ctx.end {
			t.Errorf("%s: after the end of its context, it looks %d times more, and the error is %v", test.name, ctx.calls-ctx.end, err)
		}
	}
}

// TestIn: many values of the condition in do not make it slower.
func TestIn(t *testing.T) {
	t.Parallel()
	doc, err := jsonquery.New([]byte("[" + strings.Repeat(`{"a":1},`, 200_000) + `{"a":2e0}]`))
	if err != nil {
		t.Fatal(err)
	}
	values := "[" + strings.Repeat("7,", 999) + "2]"
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // comparing each value takes a minute
	defer cancel()
	in := jsonquery.Query{Where: []jsonquery.Condition{{Field: "a", Op: "in", Value: jsonquery.Operand(values)}}}
	in.Where = slices.Repeat(in.Where, 20)
	if answer, err := doc.Answer(ctx, &in, jsonquery.Schema{}, 8<<10); string(answer) != `{"rows":[{"a":2e0}],"matched":1,"of":200001}` {
		t.Errorf("%s, %v", answer, err)
	}
}

// TestMemory: a query cannot make its answer many times as large as the document.
func TestMemory(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	var rows, members strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&rows, `{"id":%d,"m":{"t":"%s"}},`, i, strings.Repeat("x", 3000))
	}
	for i := range 500_000 {
		fmt.Fprintf(&members, `"%d":1,`, i)
	}
	spellings := []string{"m.t", "/m/t", "m[t]", "$m.t", ".m.t", "m[t", "$m[t]", "$.m.t"}
	var minimums []jsonquery.Aggregate
	for i, field := range spellings[:5] {
		minimums = append(minimums, jsonquery.Aggregate{Fn: []string{"min", "max"}[i%2], Field: field})
	}
	for _, test := range []struct {
		name, text string
		in         jsonquery.Query
		want       string // a part of the answer or of the error
	}{
		{
			"the same field many times", `{"a":"` + strings.Repeat("x", 10<<20) + `"}`,
			jsonquery.Query{Fields: slices.Repeat([]string{"a"}, 50)},
			"the row at offset 0 is too large for one answer",
		},
		{
			"the same field with many names", `{"m":{"t":"` + strings.Repeat("x", 10<<20) + `"}}`,
			jsonquery.Query{Fields: spellings},
			"the row at offset 0 is too large for one answer",
		},
		{
			"long minimums of many groups", "[" + rows.String() + "{}]",
			jsonquery.Query{Group: []string{"id"}, Aggregate: minimums},
			"the groups have more than 16.0 MiB; use conditions, or columns with shorter values",
		},
		{"a large map", "{" + members.String() + `"x":1}`, jsonquery.Query{}, `"matched":500001`},
	} {
		doc, err := jsonquery.New([]byte(test.text))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		answer, err := doc.Answer(t.Context(), &test.in, jsonquery.Schema{}, 8<<10)
		runtime.ReadMemStats(&after)
		const most = 110 << 20 // buffers that grow are allocated several times
		if got := after.TotalAlloc - before.TotalAlloc; got > most {
			t.Errorf("%s: %d MiB", test.name, got>>20)
		}
		if got := fmt.Sprintf("%s %v", answer, err); !strings.Contains(got, test.want) {
			t.Errorf("%s: %.300s, want %s", test.name, got, test.want)
		}
	}
}

// TestExact: values that are equal in one form only, and names that occur twice.
func TestExact(t *testing.T) {
	t.Parallel()
	where := func(field, op, value string) jsonquery.Query {
		return jsonquery.Query{Where: []jsonquery.Condition{{Field: field, Op: op, Value: jsonquery.Operand(value)}}}
	}
	const large = `[{"a":18446744073709551614},{"a":18446744073709551615},{"a":-18446744073709551615},{"a":1e500},{"a":-1e500},{"a":1e9999999999999999999}]`
	sums := jsonquery.Query{Group: []string{"a"}, Aggregate: []jsonquery.Aggregate{{Fn: "count"}}}
	for _, test := range []struct {
		name, text string
		in         jsonquery.Query
		want       string
	}{
		{"a letter in an escape", `["x\ny","n"]`, where("_value", "contains", `"n"`), `{"rows":["n"],"matched":1,"of":2}`},
		{"a line end", `["x\ny","n"]`, where("_value", "contains", `"\ny"`), `{"rows":["x\ny"],"matched":1,"of":2}`},
		{"a quotation mark after a backslash", `["\\\"","\\"]`, where("_value", "contains", `"\""`), `{"rows":["\\\""],"matched":1,"of":2}`},
		{"eq of 64 bits", large, where("a", "eq", "18446744073709551615"), `{"rows":[{"a":18446744073709551615}],"matched":1,"of":6}`},
		{"in of 64 bits", large, where("a", "in", "[18446744073709551615.0,1]"), `{"rows":[{"a":18446744073709551615}],"matched":1,"of":6}`},
		{"order of 64 bits", large, where("a", "gt", "18446744073709551614.5"), `{"rows":[{"a":18446744073709551615},{"a":1e500},{"a":1e9999999999999999999}],"matched":3,"of":6}`},
		{"order of numbers beyond a float64", large, where("a", "gt", "1E+500"), `{"rows":[{"a":1e9999999999999999999}],"matched":1,"of":6}`},
		{"order of negative numbers", large, where("a", "lt", "-18446744073709551614"), `{"rows":[{"a":-18446744073709551615},{"a":-1e500}],"matched":2,"of":6}`},
		{
			"groups of equal numbers", `[{"a":-0},{"a":0.0},{"a":1e20},{"a":100000000000000000000},{"a":-1.5e1},{"a":-15},{"a":-1e400}]`, sums,
			`{"rows":[{"a":0,"count":2},{"a":100000000000000000000,"count":2},{"a":-15,"count":2},{"a":-1e400,"count":1}],"matched":7,"groups":4}`,
		},
		{"a field twice", `[{"a":1}]`, jsonquery.Query{Fields: []string{"a", "a"}}, `{"rows":[{"a":1}],"matched":1}`},
	} {
		if got, err := ask(t, test.text, test.in); got != test.want {
			t.Errorf("%s: %s, %v, want %s", test.name, got, err, test.want)
		}
	}
	for _, test := range []struct {
		name, text string
		in         jsonquery.Query
		want       string
	}{
		{
			"a column with the name of a number", `[{"count":1}]`,
			jsonquery.Query{Group: []string{"count"}, Aggregate: []jsonquery.Aggregate{{Fn: "count"}}},
			`two members of the groups would have the name "count"; leave one out, or give count a field, such as {"fn":"count","field":"count"}`,
		},
		{"another type", `[{"a":1}]`, where("a", "ne", `"x"`), `a is a number, so "ne" always holds for "x". Example: {"field":"a","op":"ne","value":1}`},
	} {
		if _, err := ask(t, test.text, test.in); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

// TestCutPatterns: a map whose schema has patterns is cut as quickly as another one.
func TestCutPatterns(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	var members strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&members, `"a%d":"text",`, i)
	}
	doc, err := jsonquery.New([]byte("{" + members.String() + `"x":1}`))
	if err != nil {
		t.Fatal(err)
	}
	schema := jsonquery.Schema{Root: jsondoc.Parse([]byte(`{"patternProperties":{"^a":{"type":"string"},"^b":{"type":"string"},"(":true}}`))}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	value, cuts, ok := doc.Cut(0, schema, 4<<10)
	runtime.ReadMemStats(&after)
	const most = 30 << 20
	if got := after.TotalAlloc - before.TotalAlloc; !ok || len(cuts) != 1 || len(value) < 3<<10 || got > most {
		t.Errorf("%d MiB, %v: %.100s, %v", got>>20, ok, value, cuts)
	}
}

// TestLongNames: an error for a wrong name or value is short, whatever the names and values are, and its example is valid.
func TestLongNames(t *testing.T) {
	t.Parallel()
	text := `[{"` + strings.Repeat("long", 5000) + `":1,"` + strings.Repeat("a", 200) + `":1}]`
	for _, in := range []jsonquery.Query{{Path: "0.b"}, {Fields: []string{"b"}}, {Group: []string{"b"}}, {Aggregate: []jsonquery.Aggregate{{Fn: "sum"}}}} {
		if _, err := ask(t, text, in); err == nil || len(err.Error()) > 800 {
			t.Errorf("%v: %.1000v", in, err)
		}
	}
	for value, want := range map[string]string{
		`{"b":1}`:                                `{"field":"a","op":"not_null"}`,
		`"` + strings.Repeat("long", 5000) + `"`: `{"field":"a","op":"not_null"}`,
		`"short"`:                                `{"field":"a","op":"ne","value":"short"}`,
	} {
		in := jsonquery.Query{Where: []jsonquery.Condition{{Field: "a", Op: "ne", Value: jsonquery.Operand("1")}}}
		if _, err := ask(t, `[{"a":`+value+`}]`, in); err == nil || !strings.HasSuffix(err.Error(), "Example: "+want) || len(err.Error()) > 800 {
			t.Errorf("%.100s: %.1000v", value, err)
		}
	}
}
