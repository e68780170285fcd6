package strictjson_test

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// TestParse reads unvalidated data.
func TestParse(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 4) + strings.Repeat("]", 4)
	for _, test := range []struct{ reason, data, want, problem string }{
		{"a value", ` {"b":1,"a":[true]} `, `{"b":1,"a":[true]}`, ""},
		{"the last of two counts, where the first stood", `{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`, ""},
		{"as deep as is allowed", deep, deep, ""},
		{"one deeper", "[" + deep + "]", "", "nested more than 3 deep"},
		{"no UTF-8", "\"\xff\"", "\"\ufffd\"", ""},
		{"nothing", "", "", "unexpected end of input"},
		{"more", "1 2", "", "unexpected data after the value"},
		{"broken", `{"a":}`, "", "expected a value, got '}'"},
		{"not closed", `[1`, "", "unexpected end of input"},
	} {
		v, err := strictjson.Parse([]byte(test.data), 3)
		switch {
		case test.problem == "" && err != nil:
			t.Errorf("%s: %v", test.reason, err)
		case test.problem != "" && (err == nil || !strings.Contains(err.Error(), test.problem)):
			t.Errorf("%s: error %v, want %q in it", test.reason, err, test.problem)
		case err == nil && string(v.AppendTo(nil)) != test.want:
			t.Errorf("%s: read as %s", test.reason, v.AppendTo(nil))
		}
	}
	if v, _ := strictjson.Parse([]byte("\"a\xffb\""), 3); v.Text() != "a\ufffdb" {
		t.Errorf("the text is %q", v.Text())
	}
}
