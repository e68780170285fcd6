package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestReport checks that each kind of failure is printed and leads to an error, unless it is a known exception.
func TestReport(t *testing.T) {
	before := exceptions
	defer func() { exceptions = before }()
	exceptions = []exception{{document: "pets", kind: badRequest, text: "pattern", reason: "the validator lacks it"}}
	failed := func(f failure) *result {
		f.document = "pets"
		return &result{imported: &imported{}, caller: &caller{failures: []failure{f}}}
	}
	for _, test := range []struct {
		name   string
		result *result
		want   string // in the report; "" for no error
	}{
		{"nothing", &result{imported: &imported{}}, ""},
		{"a known exception", failed(failure{kind: badRequest, text: "a pattern is wrong"}), ""},
		{"the same text in another kind", failed(failure{kind: badResult, text: "a pattern is wrong"}), "bad result: a pattern is wrong"},
		{"another text", failed(failure{kind: badRequest, text: "no id", arguments: []byte(`{"id":7}`)}), `arguments: {"id":7}`},
		{"an import", &result{imported: &imported{err: errors.New("no code")}}, "import: no code"},
		{"a check", &result{imported: &imported{checks: []check{{name: "vet", err: errors.New("copies a lock")}}}}, "vet: copies a lock"},
		{"a session", &result{imported: &imported{}, err: errors.New("it exited")}, "calls: it exited"},
	} {
		test.result.name = "pets"
		text, err := reportOn([]*result{test.result}, time.Second)
		if (err != nil) != (test.want != "") || !strings.Contains(text, test.want) {
			t.Errorf("%s: got error %v and\n%s", test.name, err, text)
		}
	}
}
