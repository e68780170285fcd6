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
