package mcptooltest

import (
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Check tries every tool of a registry, nil for [mcptool.Default], in a test of its own:
//
//	func TestTools(t *testing.T) { mcptooltest.Check(t, registry) }
//
// It makes calls from the input schema, those that fit it, at its edges, and those that just do
// not (see [reflectschema.Schema.Samples]), and sends each through the engine in every revision of
// the protocol. It fails if
//
//   - a tool panics, or does not answer in time;
//   - arguments that do not fit reach the tool, or are not answered as the revision wants it:
//     with a result that the model reads, before 2025-11-25 with error -32602;
//   - arguments that fit are answered with an error of the protocol;
//   - a result does not fit the output schema that the client was shown, as the
//     validator alone sees it, or its text is not the JSON of its structured part;
//   - the same call is not answered with the same bytes: of arguments that do not fit, and of
//     all calls to tools that say they are read-only or idempotent, unless [Varying] is said;
//   - the tool's entry in tools/list is not valid.
//
// That a tool fails in words, for a city that does not exist, is no failure: it is told in the log
// of the test (go test -v), with what was called how often. But what the option [Arguments] gives must
// succeed; unless the tool asks the user and the revision has no questions, which the tool then reports: in any words if it
// has [Answers]. A tool that may destroy something is not run unless [Destructive] lets it; it is tried with arguments that do
// not fit alone. Tools run for real, so give the registry tools that stand on stores and services made for tests.
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
