package jsondoc_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

func TestDuplicate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":{"b":1},"c":{"b":1},"b":["a","a"]}`: ``,
		`[{"a":1},{"a":2}]`:                       ``,
		`{"a":1,"\u0061":2}`:                      `/a`,
		`{"a":[0,{"x/y":1,"x/y":2}],"a":0}`:       `/a/1/x~1y`,
		`{"a":1,"b":2,"b":3,"a":4}`:               `/b`,
		`{"":1,"":2}`:                             `/`,
		`7`:                                       ``,
	} {
		if got := jsondoc.Parse([]byte(text)).Duplicate().Pointer(); got != want {
			t.Errorf("the duplicate in %s is %q, want %q", text, got, want)
		}
	}
}

// TestParseBrokenScalar checks that the methods of a scalar that was not valid can be called.
func TestParseBrokenScalar(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `tru`, `"a`, `"\ud800"`, "\"\xff\"", `-`, `}`} {
		d := jsondoc.Parse([]byte(text))
		if n, ok := d.Number(); d.IsTrue() || d.IsFalse() || d.IsBool() || d.IsNull() || d.IsSchema() || d.Text() != "" || ok || len(d.AppendTo(nil)) > 0 {
			t.Errorf("Parse(%q) = %+v with the number %v, want no value", text, d, n)
		}
	}
}
