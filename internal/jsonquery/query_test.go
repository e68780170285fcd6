package jsonquery_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/jsonquery"
)

// ask answers a query about JSON.
func ask(t *testing.T, text string, in jsonquery.Query) (string, error) {
	t.Helper()
	doc, err := jsonquery.New([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := doc.Answer(t.Context(), &in, jsonquery.Schema{}, 8<<10)
	return string(answer), err
}

// TestPath: the parts that paths lead to.
func TestPath(t *testing.T) {
	t.Parallel()
	const text = `{"a":[{"b":1,"c":[1,2]},{"b":2,"c":[3]}],"m":{"x.y":{"b":3},"*":{"b":4},"":{"b":5}},"s":"x\ny\n"}`
	for path, want := range map[string]string{
		"a.0.b":    `{"rows":[1],"matched":1}`,
		"a[1].b":   `{"rows":[2],"matched":1}`,
		"$.a[1].b": `{"rows":[2],"matched":1}`,
		"/a/1/b":   `{"rows":[2],"matched":1}`,
		"/m/x.y":   `{"value":{"b":3}}`,
		"/m/~01":   `path: m has no "~1"; it has x.y, *, . Example: "m.x.y"`,
		"/m/":      `{"value":{"b":5}}`,
		"a.*.b":    `{"rows":[1,2],"paths":["a.0.b","a.1.b"],"matched":2}`,
		"a[*].c":   `{"rows":[1,2,3],"paths":["a.0.c.0","a.0.c.1","a.1.c.0"],"matched":3}`,
		"**.b":     `{"rows":[1,2,3,4,5],"paths":["a.0.b","a.1.b","/m/x.y/b","/m/*/b","/m//b"],"matched":5}`,
		"m.**":     `{"rows":[{"x.y":{"b":3},"*":{"b":4},"":{"b":5}},{"b":3},{"b":4},{"b":5}],"paths":["m","/m/x.y","/m/*","/m/"],"matched":4}`,
		"**.**.b":  `{"rows":[1,2,3,4,5],"paths":["a.0.b","a.1.b","/m/x.y/b","/m/*/b","/m//b"],"matched":5}`,
		"s":        `{"text":"x\ny\n","lines":2}`,
		"s.z":      `path: s has no "z": it is string`,
	} {
		answer, err := ask(t, text, jsonquery.Query{Path: path})
		if err != nil {
			answer = err.Error()
		}
		if answer != want {
			t.Errorf("%s:\ngot  %s\nwant %s", path, answer, want)
		}
	}
}

// TestPaths: the paths in an answer lead to the parts that they name.
func TestPaths(t *testing.T) {
	t.Parallel()
	const text = `{"a":[{"x/y":"1"},{"~":"2"},{"b.c":"3"},{"":"4"},{" ":"5"},{"\"":"6"},{"[0]":"7"},{"$":"8"},{"**":"9"}]}`
	for i := 1; i <= 9; i++ {
		answer, err := ask(t, text, jsonquery.Query{Search: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		var found struct{ Matches []struct{ Path string } }
		if err := json.Unmarshal([]byte(answer), &found); err != nil {
			t.Fatal(err)
		}
		if got, err := ask(t, text, jsonquery.Query{Path: found.Matches[0].Path}); got != fmt.Sprintf(`{"text":"%d","lines":1}`, i) {
			t.Errorf("%s: %s, %v", found.Matches[0].Path, got, err)
		}
	}
}

// TestNumbers: integers are compared exactly, and decimals are summed exactly.
func TestNumbers(t *testing.T) {
	t.Parallel()
	const text = `[{"n":9007199254740993},{"n":9007199254740992},{"n":0.1},{"n":0.2},{"n":1e3},{"n":-5}]`
	for _, test := range []struct {
		in   jsonquery.Query
		want string
	}{
		{jsonquery.Query{Where: []jsonquery.Condition{{Field: "n", Op: "gt", Value: jsonquery.Operand("9007199254740992")}}}, `{"rows":[{"n":9007199254740993}],"matched":1,"of":6}`},
		{jsonquery.Query{Where: []jsonquery.Condition{{Field: "n", Op: "eq", Value: jsonquery.Operand("1000")}}}, `{"rows":[{"n":1e3}],"matched":1,"of":6}`},
		{jsonquery.Query{Where: []jsonquery.Condition{{Field: "n", Op: "lt", Value: jsonquery.Operand("1")}}, Aggregate: []jsonquery.Aggregate{{Fn: "sum", Field: "n"}, {Fn: "avg", Field: "n"}}}, `{"rows":[{"sum_n":-4.7,"avg_n":-1.5666666666666667}],"matched":3,"groups":1,"of":6}`},
		{jsonquery.Query{Where: []jsonquery.Condition{{Field: "n", Op: "ge", Value: jsonquery.Operand("1001")}}, Aggregate: []jsonquery.Aggregate{{Fn: "sum", Field: "n"}}}, `{"rows":[{"sum_n":18014398509481985}],"matched":2,"groups":1,"of":6}`},
		{jsonquery.Query{Sort: []jsonquery.Order{{Field: "n", Desc: true}}, Limit: 2}, `{"rows":[{"n":9007199254740993},{"n":9007199254740992}],"next":2,"matched":6}`},
		{jsonquery.Query{Where: []jsonquery.Condition{{Field: "n", Op: "is_null"}}, Aggregate: []jsonquery.Aggregate{{Fn: "sum", Field: "n"}, {Fn: "max", Field: "n"}}}, `{"rows":[{"sum_n":0,"max_n":null}],"matched":0,"groups":1,"of":6}`},
	} {
		if got, err := ask(t, text, test.in); got != test.want {
			t.Errorf("%+v:\ngot  %s, %v\nwant %s", test.in, got, err, test.want)
		}
	}
}

// TestSearchLines compares searches in a text with a naive search of its lines.
func TestSearchLines(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "line %d%s\n", i*i%1009, strings.Repeat(" and more", i%7))
	}
	text := b.String()
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	quoted, _ := json.Marshal(text)
	for _, pattern := range []string{"line 7", "^line 1.*more$", "8$", "no match"} {
		re := regexp.MustCompile(pattern)
		for around := range 3 {
			var want []string
			for i, line := range lines {
				if re.MatchString(strings.TrimSuffix(line, "\n")) {
					want = append(want, fmt.Sprint(i, strings.Join(lines[max(i-around, 0):min(i+around+1, len(lines))], "")))
				}
			}
			var got []string
			for offset := 0; ; {
				answer, err := ask(t, string(quoted), jsonquery.Query{Search: pattern, Regexp: true, Context: around, Offset: offset})
				if err != nil {
					t.Fatal(err)
				}
				var p struct {
					Matches []struct {
						Line int
						Text string
					}
					Next    *int
					Matched int
				}
				if err := json.Unmarshal([]byte(answer), &p); err != nil || p.Matched != len(want) {
					t.Fatalf("%s: %d matches, want %d; %v", pattern, p.Matched, len(want), err)
				}
				for _, m := range p.Matches {
					got = append(got, fmt.Sprint(m.Line, m.Text))
				}
				if p.Next == nil {
					break
				}
				offset = *p.Next
			}
			if strings.Join(got, "|") != strings.Join(want, "|") {
				t.Errorf("%s with %d lines of context: the matches differ", pattern, around)
			}
		}
	}
}

// TestLongLine: a line that does not fit into an answer counts as several, and a match may be anywhere in it.
func TestLongLine(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 3000) + "needle" + strings.Repeat("yü", 30_000)
	quoted, _ := json.Marshal(text)
	answer, err := ask(t, string(quoted), jsonquery.Query{Search: "needle"})
	if err != nil || !strings.Contains(answer, `"matched":1`) {
		t.Errorf("%.200s, %v", answer, err)
	}
	for at := 1990; at < 2020; at++ { // around the end of a part
		quoted, _ := json.Marshal(strings.Repeat("x", at) + "needle" + strings.Repeat("y", 5000))
		if answer, err := ask(t, string(quoted), jsonquery.Query{Search: "needle"}); err != nil || !strings.Contains(answer, `"matched":1`) {
			t.Errorf("at %d: %.200s, %v", at, answer, err)
		}
	}
	read := ""
	for offset := 0; ; {
		answer, err := ask(t, string(quoted), jsonquery.Query{Offset: offset})
		if err != nil {
			t.Fatal(err)
		}
		var p struct {
			Text string
			Next *int
		}
		if err := json.Unmarshal([]byte(answer), &p); err != nil {
			t.Fatal(err)
		}
		if read += p.Text; p.Next == nil {
			break
		}
		offset = *p.Next
	}
	if read != text {
		t.Errorf("read %d bytes, want the text of %d", len(read), len(text))
	}
}

// TestExpensive: queries that would take too much time or memory are refused, or end with the context.
func TestExpensive(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	rows.WriteString("[0")
	for i := range 300_000 {
		fmt.Fprintf(&rows, ",%d", i)
	}
	rows.WriteString("]")
	for _, test := range []struct {
		name string
		in   jsonquery.Query
		want string
	}{
		{"sort", jsonquery.Query{Sort: []jsonquery.Order{{Field: "_value"}}}, "there are 300001 rows to sort, more than 262144; add conditions"},
		{"group", jsonquery.Query{Group: []string{"_value"}}, "there are too many groups, more than 10000; add conditions, or group by a column with fewer values"},
		{"regexp", jsonquery.Query{Search: "(a{30}){30}", Regexp: true}, "search: the regular expression is too expensive; use smaller repetitions"},
	} {
		if _, err := ask(t, rows.String(), test.in); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
	doc, err := jsonquery.New([]byte(`"` + strings.Repeat("a", 20<<20) + `"`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err = doc.Answer(ctx, &jsonquery.Query{Search: "(a|aa|aaa)*(a|aa)*(a|b|aa|ba)*c", Regexp: true}, jsonquery.Schema{}, 8<<10)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 20*time.Second {
		t.Errorf("%v after %s", err, time.Since(begin))
	}
	if _, err := jsonquery.New([]byte("[" + strings.Repeat("1,", 1<<21) + "1]")); err == nil || !strings.Contains(err.Error(), "more than 2097152 values") {
		t.Errorf("many values: %v", err)
	}
}

// TestDeep: paths and cuts of values that nest deeply take little time.
func TestDeep(t *testing.T) {
	t.Parallel()
	const depth = 1000
	text := strings.Repeat(`{"a":`, depth) + `"needle"` + strings.Repeat("}", depth)
	answer, err := ask(t, text, jsonquery.Query{Search: "needle"})
	if err != nil || !strings.Contains(answer, strings.Repeat("a.", depth-1)+"a") {
		t.Errorf("%.200s, %v", answer, err)
	}
	if answer, err := ask(t, text, jsonquery.Query{Path: strings.Repeat("**.", 50) + "a"}); err == nil && len(answer) > 10_000 {
		t.Errorf("%d bytes", len(answer))
	}
}
