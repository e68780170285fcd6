package jsondoc_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// TestEqual checks that equivalent values are equal.
func TestEqual(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true},
		{`10e-1`, `1`, true},
		{`1`, `2`, false},
		{`1`, `"1"`, false},
		{`"\u0061"`, `"a"`, true},
		{`true`, `false`, false},
		{`{"a":1,"b":[null]}`, `{"b":[null],"a":1.0}`, true},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":1}`, `{"a":1,"b":1}`, false},
		{`[1,2]`, `[2,1]`, false},
	} {
		if got := jsondoc.Parse([]byte(test.a)).Equal(jsondoc.Parse([]byte(test.b))); got != test.want {
			t.Errorf("%s equals %s: %v", test.a, test.b, got)
		}
	}
}
