package mcptool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestTraceContext: keys defined by the W3C must have valid values.
func TestTraceContext(t *testing.T) {
	t.Parallel()
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, test := range []struct {
		name, key string
		value     any
		fits      bool
	}{
		{"T-META-04 a parent", "traceparent", parent, true},
		{"T-META-04 a parent of a later version", "traceparent", "cc" + parent[2:] + "-what-is-to-come", true},
		{"T-META-04 a parent that is longer than its version", "traceparent", parent + "-01", false},
		{"T-META-04 a parent of an invalid version", "traceparent", "ff" + parent[2:], false},
		{"T-META-04 a parent in upper case", "traceparent", strings.ToUpper(parent), false},
		{"T-META-04 a parent without a trace", "traceparent", "00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01", false},
		{"T-META-04 a parent without an id", "traceparent", "00-0af7651916cd43dd8448eb211c80319c-" + strings.Repeat("0", 16) + "-01", false},
		{"T-META-04 a parent that is not a string", "traceparent", 1, false},
		{"T-META-04 empty parent", "traceparent", "", false},
		{"T-META-04 a state with = in its value", "tracestate", "rojo=00f067aa0ba902b7,congo=a=b", false},
		{"T-META-04 states", "tracestate", "rojo=00f067aa0ba902b7, congo=t61rcWkgMzE ,,1a-_*/@b=x y", true},
		{"T-META-04 a state without a value", "tracestate", "rojo", false},
		{"T-META-04 too many states", "tracestate", strings.Repeat("a=b,", 32) + "c=d", false},
		{"T-META-04 baggage", "baggage", "userId=alice,serverNode=DF%2028 , isProduction=false;a=b; flag", true},
		{"T-META-04 baggage that is not escaped", "baggage", "name=größe", false},
		{"T-META-04 baggage without a key", "baggage", "=x", false},
		{"T-META-04 baggage that is not a string", "baggage", []string{"a=b"}, false},
		{"T-META-04 a custom key", "com.example/traceparent", 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool := answering(t, &mcptool.Result{Meta: map[string]any{test.key: test.value}})
			if test.fits {
				if _, err := tool.Call(t.Context(), nil); err != nil {
					t.Errorf("%v is refused: %v", test.value, err)
				}
				return
			}
			if err := outputError(t, tool); !strings.Contains(err.Error(), `_meta: key "`+test.key+`" has a value that is not in the W3C format`) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestCallInfoTraceContext: the trace context of a client is used if it is valid.
func TestCallInfoTraceContext(t *testing.T) {
	t.Parallel()
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, test := range []struct {
		name, meta string
		want       map[string]string
	}{
		{
			"T-META-04 all", `{"traceparent":"` + parent + `","tracestate":"a=b","baggage":"user=ann","x":1}`,
			map[string]string{"traceparent": parent, "tracestate": "a=b", "baggage": "user=ann"},
		},
		{"only baggage", `{"baggage":"user=ann"}`, map[string]string{"baggage": "user=ann"}},
		{"a state without a parent", `{"tracestate":"a=b"}`, nil},
		{"a state with an invalid parent", `{"traceparent":"` + parent + `-x","tracestate":"a=b","baggage":"user=ann"}`, map[string]string{"baggage": "user=ann"}},
		{"not strings", `{"traceparent":1,"tracestate":null,"baggage":[]}`, nil},
		{"empty strings", `{"traceparent":"","tracestate":"","baggage":""}`, nil},
		{"keys in another case", `{"TraceParent":"` + parent + `"}`, nil},
		{"no _meta", ``, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := mcptool.CallInfo{Meta: json.RawMessage(test.meta)}.TraceContext()
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
