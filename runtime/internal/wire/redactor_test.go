package wire_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

func TestRedactJSON(t *testing.T) {
	t.Parallel()
	redactor := wire.Redactor(func(text string) string { return strings.NewReplacer("SECRET", "*", "4111", "*").Replace(text) })
	for _, test := range []struct{ name, raw, want, texts, reason string }{
		{"scalars", `[null,true,1.50,"a"]`, `[null,true,1.50,"a"]`, `[null,true,1.50,"a"]`, "nothing to redact"},
		{"escapes", `"S\u0045CRET\/"`, `"*/"`, `"SECRET/"`, "the decoded text is redacted"},
		{"quotes", `"\"SECRET\""`, `"\"*\""`, `"\"SECRET\""`, "the result is valid JSON"},
		{"numbers", `{"a":4111}`, `{"a":"*"}`, `{"a":4111}`, "a number may be a secret"},
		{"names", `{"SECRET":1,"\u0053ECRET":2,"b":{"SECRET":[{}]}}`, `{"*":1,"b":{"*":[{}]}}`, `{"SECRET":1,"b":{"SECRET":[{}]}}`, "names stay unique"},
		{"texts", `{"title":"SECRET","const":"SECRET","enumNames":["SECRET"],"title2":{"title":"SECRET"}}`, `{"title":"*","const":"*","enumNames":["*"],"title2":{"title":"*"}}`, `{"title":"*","const":"SECRET","enumNames":["*"],"title2":{"title":"*"}}`, "only some strings are texts"},
		{"white space", " [ 1 , { \"a\" : [ ] } ] ", `[1,{"a":[]}]`, `[1,{"a":[]}]`, "the result is compact"},
		{"divided by a sequence", `"SEC\u001b[0mRET"`, `"*"`, `"SEC\u001b[0mRET"`, "the text that is sent counts"},
		{"hidden", "\"a\u202e\\u001b\"", "\"a\ufffd\"", "\"a\u202e\\u001b\"", "texts are sanitized"},
	} {
		got := string(redactor.AppendJSON(nil, []byte(test.raw), math.MaxInt))
		texts := string(redactor.AppendTexts([]byte(`{"x":`), []byte(test.raw), func(member string) bool { return member == "title" || member == "enumNames" }))
		if got != test.want || texts != `{"x":`+test.texts || !json.Valid([]byte(got)) {
			t.Errorf("%s (%s): got %s and %s, want %s and %s", test.name, test.reason, got, texts, test.want, test.texts)
		}
	}
	if got := redactor.AppendJSON(nil, []byte(`["`+strings.Repeat(`a","`, 1000)+`"]`), 20); len(got) < 20 || len(got) > 40 {
		t.Errorf("AppendJSON with a limit = %s", got)
	}
	if got := string(wire.Redactor(nil).AppendJSON(nil, []byte(`{"a":4111}`), math.MaxInt)); got != `{"a":4111}` {
		t.Errorf("AppendJSON without a func = %s", got)
	}
}
