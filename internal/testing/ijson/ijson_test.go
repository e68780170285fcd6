package ijson_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/ijson"
)

func TestUnique(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text          string
		valid, unique bool
	}{
		{` {"a":[1e999,{"a":null}],"b":"\ud83d\ude00\\ud800"} `, true, true},
		{`[{"a":1},{"a":2}]`, true, true},
		{`["a","a"]`, true, true},
		{`{"a":1,"\u0061":1}`, true, false},
		{`{"a":[{"b":1,"b":2}]}`, true, false},
		{``, false, false},
		{`1 2`, false, false},
		{`[1,]`, false, false},
		{"\"\xff\"", false, false},
		{`"\ud83d"`, false, false},
		{`"\ud83d\n\ude00"`, false, false},
		{`"\ud83dx\ude00"`, false, false},
		{`"\ude00\ud83d"`, false, false},
		{`"\ud83d\ud83d\ude00"`, false, false},
	} {
		if err := ijson.Valid([]byte(test.text)); (err == nil) != test.valid {
			t.Errorf("Valid(%q) = %v, want valid = %t", test.text, err, test.valid)
		}
		if err := ijson.Unique([]byte(test.text)); (err == nil) != test.unique {
			t.Errorf("Unique(%q) = %v, want unique = %t", test.text, err, test.unique)
		}
	}
}

func TestCompact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		` { "\u0061" : [ 1.50 , " \/\\u0061\"" ] } `: `{"a":[1.50," /\\u0061\""]}`,
		`"\u003c\u2028\\u2028\ufffd\u0001\n"`:        "\"<\u2028\\\\u2028\ufffd\\u0001\\n\"",
		`[1`:                                         "",
		`"\ud800"`:                                   "",
	} {
		if got, err := ijson.Compact([]byte(text)); string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s compact is %s (%v), want %s", text, got, err, want)
		}
	}
	if got, want := ijson.Quote("a\xff\xff\u007f"), "\"a\ufffd\ufffd\u007f\""; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
