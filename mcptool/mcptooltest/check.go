package mcptooltest

import (
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Check tests every tool of a registry, nil for [mcptool.Default], in its own subtest:
//
//	func TestTools(t *testing.T) { mcptooltest.Check(t, registry) }
//
// It generates calls from the input schema: arguments that fit it, arguments at its edges, and arguments just beyond
// them (see [reflectschema.Schema.Samples]). It sends each call through the engine in every revision of the protocol,
// and fails if
//
//   - a tool panics, or does not answer in time;
//   - arguments that do not fit reach the tool, or are not answered as the revision requires: with a result that the
//     model reads, before 2025-11-25 with error -32602;
//   - arguments that fit are answered with a JSON-RPC error;
//   - a result does not fit the output schema that the client was shown, as the validator alone judges it, or
//     its text is not the JSON of its structured part;
//   - the same call is not answered with the same bytes: this applies to arguments that do not fit, and to all calls
//     of tools that are read-only or idempotent, unless [Varying] names them;
//   - the tool's entry in tools/list is not valid.
//
// An error of the tool itself, for example about a city that does not exist, is no failure: the log of the test (go
// test -v) lists it, with the number of calls. But calls of the option [Arguments] must succeed, unless the tool asks
// the user and the revision does not support that, which the tool then reports: in any words if it has [Answers]. A
// tool that may destroy something does not run unless [Destructive] allows it; it gets only arguments that do not
// fit. Tools really run, so give the registry tools that use stores and services made for tests.
func Check(t *testing.T, registry *mcptool.Registry, opts ...Option) {
	t.Helper()
	tools := toolsOf(t, registry)
	s := newSettings(t, tools, opts)
	for _, tool := range tools {
		t.Run(tool.Name(), func(t *testing.T) {
			if s.skipped[tool.Name()] {
				t.Skip("the option Skip leaves it out")
			}
			tr, err := newTrial(t.Context(), tool, s)
			if err != nil {
				t.Fatal(err)
			}
			defer tr.close(t.Context())
			tr.run(t.Context())
			tr.tell(t)
		})
	}
}
