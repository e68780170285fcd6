package capability_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/capability"
)

func TestHas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		declared, path string
		want           bool
		reason         string
	}{
		{``, "sampling", false, "nothing was declared"},
		{`{}`, "sampling", false, "nothing was declared"},
		{`{"sampling":{}}`, "sampling", true, "an empty object declares"},
		{`{"sampling":{"x":1}}`, "sampling", true, "so does one that says more"},
		{`{"sampling":null}`, "sampling", false, "null is the same as leaving it out"},
		{`{"sampling":false}`, "sampling", false, "a flag that is down"},
		{`{"sampling":1}`, "sampling", false, "neither an object nor a flag"},
		{`{"Sampling":{}}`, "sampling", false, "names are exact"},
		{`{"s\u0061mpling":{}}`, "sampling", true, "escapes are only spelling"},
		{`{"roots":{"listChanged":true}}`, "roots.listChanged", true, "a flag"},
		{`{"roots":{"listChanged":false}}`, "roots.listChanged", false, "a flag that is down"},
		{`{"sampling":{}}`, "sampling.tools", false, "the outer one does not declare the inner one"},
		{`{"sampling":{"tools":{}}}`, "sampling.tools", true, "the inner one"},
		{`{"sampling":{"tools":{}}}`, "sampling", true, "the inner one declares the outer one"},
		{`{"elicitation":{}}`, "elicitation.form", true, "the only mode there was"},
		{`{"elicitation":{"form":{}}}`, "elicitation.form", true, "by name"},
		{`{"elicitation":{"url":{}}}`, "elicitation.form", false, "only the other mode"},
		{`{"elicitation":{}}`, "elicitation.url", false, "a mode that has to be named"},
		{`{"elicitation":{"form":null}}`, "elicitation.form", true, "null is the same as leaving it out, and then forms are meant"},
		{`{}`, "elicitation.form", false, "no elicitation"},
		{`{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, "extensions.io.modelcontextprotocol/tasks", true, "a name with dots"},
		{`{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, "extensions.io", false, "not part of a name"},
		{`{"experimental":{"a.b":{}}}`, "experimental.a.b", true, "a name with dots"},
		{`{"a":{"b":{"c":{}}}}`, "a.b.c", true, "as deep as one likes"},
		{`{"":{}}`, "", true, "an empty name is a name"},
		{`[]`, "sampling", false, "no object"},
	} {
		if got := capability.Has([]byte(test.declared), test.path); got != test.want {
			t.Errorf("Has(%s, %q) = %v: %s", test.declared, test.path, got, test.reason)
		}
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		paths []string
		want  string
	}{
		{nil, `{}`},
		{[]string{"sampling"}, `{"sampling":{}}`},
		{[]string{"sampling", "elicitation"}, `{"sampling":{},"elicitation":{}}`},
		{[]string{"elicitation", "elicitation.url", "elicitation"}, `{"elicitation":{"url":{}}}`},
		{[]string{"prompts.listChanged", "resources.subscribe"}, `{"prompts":{"listChanged":true},"resources":{"subscribe":true}}`},
		{[]string{"extensions.com.example/a", "extensions.com.example/b"}, `{"extensions":{"com.example/a":{},"com.example/b":{}}}`},
		{[]string{"a\"\n"}, `{"a\"\n":{}}`},
	} {
		if got := string(capability.Append(nil, test.paths...)); got != test.want {
			t.Errorf("%q: %s, want %s", test.paths, got, test.want)
		}
		for _, path := range test.paths {
			if !capability.Has([]byte(test.want), path) {
				t.Errorf("%s does not have %q", test.want, path)
			}
		}
	}
}

func TestAppendValues(t *testing.T) {
	t.Parallel()
	values := map[string][]byte{"extensions.com.example/a": []byte(`{"level":2}`), "prompts": []byte(`{"x":1}`)}
	for _, test := range []struct {
		paths  []string
		want   string
		reason string
	}{
		{[]string{"extensions.com.example/a", "extensions.com.example/b"}, `{"extensions":{"com.example/a":{"level":2},"com.example/b":{}}}`, "one has a value"},
		{[]string{"tools"}, `{"tools":{}}`, "values of what is not declared are not appended"},
		{[]string{"prompts", "prompts.listChanged"}, `{"prompts":{"listChanged":true}}`, "what is inside of it would be lost"},
	} {
		if got := string(capability.AppendValues(nil, values, test.paths...)); got != test.want {
			t.Errorf("%q: %s, want %s: %s", test.paths, got, test.want, test.reason)
		}
	}
}
