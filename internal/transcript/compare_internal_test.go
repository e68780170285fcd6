package transcript

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name, was, is string
		ignore        string
		want          string // differences: path, was, is
		merged        string // "" means is
	}{
		{"equal but for layout", `{"a":1,"b":[true,"A"]}`, `{ "b":[true,"\u0041"], "a":1 }`, "", "", `{"b":[true,"A"],"a":1}`},
		{"a value", `{"a":{"b":[1,{"c":2}]}}`, `{"a":{"b":[1,{"c":3}]}}`, "", "a.b[1].c 2 3", ""},
		{"another spelling of a number", `{"a":1}`, `{"a":1.0}`, "", "a 1 1.0", ""},
		{"another type", `{"a":1}`, `{"a":"1"}`, "", `a 1 "1"`, ""},
		{"members", `{"a":1,"b":2}`, `{"b":2,"c":3}`, "", "a 1 -|c - 3", ""},
		{"a member that is null", `{"a":null}`, `{}`, "", "a null -", ""},
		{"an element that was inserted", `[1,2,3]`, `[1,9,2,3]`, "", "[1] - 9", ""},
		{"elements that were removed", `[1,2,3,4]`, `[1,4]`, "", "[1] 2 -|[2] 3 -", ""},
		{"all elements", `[]`, `[1]`, "", "[0] - 1", ""},
		{"ignored", `{"a":1,"b":1}`, `{"a":2,"b":1}`, "a", "", `{"a":1,"b":1}`},
		{"ignored and missing", `{"a":1}`, `{}`, "a", "", `{"a":1}`},
		{"ignored and new", `{}`, `{"a":1}`, "a", "", ""},
		{"ignored beside a difference", `{"a":1,"b":1}`, `{"b":2,"a":2}`, "a", "b 1 2", `{"b":2,"a":1}`},
		{"JSON in text", `{"t":"{\"x\": 1}"}`, `{"t":"{\"x\":2}"}`, "", "t.x 1 2", ""},
		{"JSON in text with another layout", `{"t":"[ 1 ]"}`, `{"t":"[1]"}`, "", "", `{"t":"[ 1 ]"}`},
		{"ignored JSON in text", `{"t":"{\"x\":1}"}`, `{"t":"{\"x\":2}"}`, "t.x", "", `{"t":"{\"x\":1}"}`},
		{"a hidden secret", `"key (hidden), (hidden)."`, `"key 1234, 5678."`, "", "", `"key (hidden), (hidden)."`},
		{"a hidden number", `["(hidden)","(hidden)"]`, `[12345678,true]`, "", `[1] "(hidden)" true`, `["(hidden)",true]`},
		{"another text around a secret", `"key (hidden)."`, `"key 1234!"`, "", ` "key (hidden)." "key 1234!"`, ""},
		{"a request id", `{"id":1,"result":{"requestState":"a"}}`, `{"id":"x","result":{"requestState":"b"}}`, "", "", `{"id":1,"result":{"requestState":"a"}}`},
		{"hidden characters", `"a"`, `"` + "\u202e\u009b" + `"`, "", ` "a" "\u202e\u009b"`, ""},
	} {
		c := &comparison{ignore: []path{{"result", "requestState"}}, handles: map[string]string{}}
		if test.ignore != "" {
			steps, err := parsePath(test.ignore)
			if err != nil {
				t.Fatal(err)
			}
			c.ignore = append(c.ignore, steps)
		}
		merged := string(c.compare([]byte(test.was), []byte(test.is)))
		var found []string
		for _, d := range c.found {
			absent := func(s string) string {
				if s == "" {
					return "-"
				}
				return s
			}
			found = append(found, d.Path+" "+absent(d.Was)+" "+absent(d.Is))
		}
		if got := strings.Join(found, "|"); got != test.want {
			t.Errorf("%s: differences %s, want %s", test.name, got, test.want)
		}
		want := test.merged
		if want == "" {
			want = test.is
		}
		var a, b any
		if json.Unmarshal([]byte(merged), &a) != nil || json.Unmarshal([]byte(want), &b) != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s: merged %s, want %s", test.name, merged, want)
		}
	}
}

// TestCompareManyDifferences checks that the merged message is the new one when not all differences are kept.
func TestCompareManyDifferences(t *testing.T) {
	message := func(n int) string {
		var all []string
		for i := range maxFound {
			all = append(all, fmt.Sprintf(`"m%d":%d`, i, n))
		}
		return fmt.Sprintf(`{%s,"text":"{\"x\":%d}"}`, strings.Join(all, ","), n)
	}
	c := &comparison{handles: map[string]string{}}
	if merged := string(c.compare([]byte(message(1)), []byte(message(2)))); merged != message(2) || len(c.found) != maxFound {
		t.Errorf("merged %s with %d differences, want the new message with %d", merged, len(c.found), maxFound)
	}
}

func TestCompareKeepsHandles(t *testing.T) {
	c := &comparison{ignore: []path{{"task"}, {"n"}}, handles: map[string]string{}}
	c.compare([]byte(`{"id":"1"}`), []byte(`{"id":"2"}`))
	c.compare([]byte(`{"task":{"id":"t1","all":["a",{"b":"c"}],"same":"s"},"n":1}`), []byte(`{"task":{"id":"t2","all":["x",{"b":"y"}],"same":"s"},"n":2}`))
	if want := map[string]string{"t1": "t2", "a": "x", "c": "y"}; !maps.Equal(c.handles, want) {
		t.Errorf("handles %v, want %v", c.handles, want)
	}
}

// TestCompareIsBounded compares values that are large or deep.
func TestCompareIsBounded(t *testing.T) {
	var was, is []string
	for i := range 1000 {
		was, is = append(was, fmt.Sprint(i)), append(is, fmt.Sprint(i+1000))
	}
	deep := strings.Repeat(`[1,`, 500)
	for name, values := range map[string][2]string{
		"many differences": {"[" + strings.Join(was, ",") + "]", "[" + strings.Join(is, ",") + "]"},
		"a long text":      {`"` + strings.Repeat("x", 1000) + "a" + strings.Repeat("y", 1000) + `"`, `"` + strings.Repeat("x", 1000) + "b" + strings.Repeat("y", 1000) + `"`},
		"deep nesting":     {deep + "0" + strings.Repeat("]", 500), deep + "1,2" + strings.Repeat("]", 500)},
	} {
		c := &comparison{handles: map[string]string{}}
		c.compare([]byte(values[0]), []byte(values[1]))
		if len(c.found) == 0 || len(c.found) > maxFound {
			t.Errorf("%s: %d differences, want some and at most %d", name, len(c.found), maxFound)
		}
		for _, d := range c.found {
			if len(d.Was) > 250 || len(d.Is) > 250 || name == "a long text" && (!strings.Contains(d.Was, "xay") || !strings.Contains(d.Is, "xby")) {
				t.Errorf("%s: was %s, is %s; want the parts that differ, cut", name, d.Was, d.Is)
			}
		}
	}
}
