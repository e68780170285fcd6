package mcptooltest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/mcptool"
)

func FuzzSearch(f *testing.F) {
	tool, err := mcptool.New(search)
	if err != nil {
		f.Fatal(err)
	}
	fuzz(f, new(Client), tool, hang.Watch(f))
}

func TestTakes(t *testing.T) {
	t.Parallel()
	tr := &trial{tool: must(mcptool.New(sum))(t)}
	for _, test := range []struct {
		reason, args string
		fits, skip   bool
	}{
		{"fits", `{"a":1}`, true, false},
		{"with white space", " {\"a\" : 1}\n", true, false},
		{"does not fit", `{"a":0}`, false, false},
		{"not an object", `[1]`, false, true},
		{"empty", ` `, false, true},
		{"not JSON", `{"a":1`, false, true},
		{"duplicate name", `{"a":1,"a":1}`, false, true},
		{"text that is not UTF-8", "{\"a\":\"\xff\"}", false, true},
		{"deeper than a message", `{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, false, true},
	} {
		if fits, skip := tr.takes([]byte(test.args)); fits != test.fits || skip != test.skip {
			t.Errorf("%s: %s: fits %v, skipped %v; want %v and %v", test.reason, test.args, fits, skip, test.fits, test.skip)
		}
	}
}

// TestTakesWhatServersAccept: null is accepted for an optional argument, and a wrong type only with Coerce.
func TestTakesWhatServersAccept(t *testing.T) {
	t.Parallel()
	type in struct {
		A int    `json:"a"`
		B string `json:"b,omitempty"`
	}
	fn := func(context.Context, in) (string, error) { return "", nil }
	strict := &trial{tool: must(mcptool.New(fn, mcptool.Name("n")))(t)}
	coercing := &trial{tool: must(mcptool.New(fn, mcptool.Name("n"), mcptool.Coerce(true)))(t)}
	for _, test := range []struct {
		args             string
		strict, coercing bool
	}{
		{`{"a":1,"b":null}`, true, true},
		{`{"a":null}`, false, false},
		{`{"a":"1","b":null}`, false, true},
		{`{"a":"x"}`, false, false},
	} {
		one, _ := strict.takes([]byte(test.args))
		two, _ := coercing.takes([]byte(test.args))
		if one != test.strict || two != test.coercing {
			t.Errorf("%s: fits %v, with Coerce %v; want %v and %v", test.args, one, two, test.strict, test.coercing)
		}
	}
}

// TestFuzzFinds checks that the fuzzer finds a defect that occurs only for arguments outside the samples.
func TestFuzzFinds(t *testing.T) {
	t.Parallel()
	tool := raw(t, "x", func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
		if strings.Contains(string(args), "zzz") {
			return &mcptool.Result{Content: []mcptool.Content{nil}}, nil
		}
		return &mcptool.Result{}, nil
	}, mcptool.ReadOnly(true))
	if tr := triedTool(t, tool); len(tr.failures) > 0 {
		t.Fatalf("the samples found it: %s", tr.failures[0])
	}
	tr, err := newTrial(t.Context(), tool, newSettings(t, new(Client), subjects{tools: []*mcptool.Tool{tool}}, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.close(t.Context())
	args := []byte(`{"a":"zzz"}`)
	fits, _ := tr.takes(args)
	tr.try(t.Context(), 0, &call{args: args, fits: fits}, false)
	if len(tr.failures) != 1 || !strings.Contains(tr.failures[0], "content[0]: the block is nil") {
		t.Errorf("got %q, want the defect of the result", tr.failures)
	}
}
