package mcptooltest

import (
	"context"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Check tests each tool, prompt and resource of a registry in a subtest; nil means [mcptool.Default]. The subtests of
// prompts and of resources are grouped in subtests with the names prompts and resources:
//
//	func TestTools(t *testing.T) { mcptooltest.Check(t, registry) }
//
// It generates calls from the input schema: with arguments that fit, including those at the limits of what fits, and
// with arguments just beyond these limits (see [samples.Of]). It sends each call to a server in
// memory, in every revision of the protocol, and fails if
//
//   - a tool panics, or does not return in time (see [Within]);
//   - the tool is called with arguments that do not fit, or such a call does not get the answer that the revision
//     requires: a result with isError, or before 2025-11-25 the JSON-RPC error -32602;
//   - a call with arguments that fit is answered with a JSON-RPC error;
//   - a result does not fit the output schema in tools/list, as checked by a separate validator, or its text is not the
//     JSON of its structured content;
//   - a second identical call is not answered with the same bytes: this applies to arguments that do not fit, and to
//     all calls of tools that [Stable] lists;
//   - the tool's entry in tools/list is not valid;
//   - with the option [Extensions], a result that an extension has cut cannot be read;
//   - no call with arguments that fit succeeds, unless [Failing] lists the tool, or it must not run, see below.
//
// An error of the tool itself, for example about a city that does not exist, is not a failure of the test as long as
// another call succeeds: the test log (go test -v) has the number of such calls. But calls of the option [Arguments] must
// succeed, except if the tool
// asks the user and the revision does not support that. Then the result must be the error of [mcptool.Require], or any
// error for a tool with the option [Answers].
//
// Prompts and resources are tested in the same way, with arguments of prompts and variables of URI templates, if they can be
// expressed as text. Check fails if
//
//   - one panics, does not return in time, or returns what cannot be sent;
//   - arguments that do not fit get another answer than the JSON-RPC error -32602, which describes them, or arguments that
//     fit get it;
//   - a resource without variables, or one that a template lists ([mcptool.ListWith]), is not found, or a listed one fails;
//   - contents do not have the media type or the size, before any encoding, that the resource or its list announces;
//   - a list has a URI twice, fails, or does not end; or panics with a cursor that is not its own;
//   - a completion panics, has more than 100 values, or suggests a value that the argument does not take.
//
// A URI that is generated from a template need not exist, and an error of the func of a prompt or resource is not a
// failure: the test log has the number. But one call must succeed, as for tools, and the calls of the option [Arguments]
// must. The caller has no principal, and all scopes; [Client.Check] calls as another caller. The subtest of a tool, prompt
// or resource that is hidden from the caller ([mcptool.VisibleIf]) is skipped.
//
// A [mcptool.ResourceLink] in a result or a message is a failure if a resource of the registry has the scheme of its
// URI, and none matches the URI: clients cannot read it. The schemes http and https are excepted, because clients fetch
// such URIs themselves. Resources of tools ([mcptool.Attach]) belong to the registry. The URIs of embedded resources
// are not checked.
//
// Check really calls the tools, so use a registry of tools whose stores and services are made for tests. A tool that
// may destroy something is called only with arguments that do not fit, so it does not run, unless [Destructive] allows
// it.
//
// A part of a test that is not run is a skipped subtest of the item, with the reason: valid arguments, if the tool must not
// run; and remaining calls, completions, pages and listed resources, if the time of [Within] runs out. So the results that
// go test -v and -json print list it, for example as TestTools/delete_file/valid_arguments.
func Check(t *testing.T, registry *mcptool.Registry, opts ...Option) {
	t.Helper()
	new(Client).Check(t, registry, opts...)
}

// Check is [Check] with calls, completions and lists by the client: with its Principal, Scopes and Claims. Its other fields
// have no effect: [Answers] sets answers, and rate limits do not apply.
//
//	agent := &mcptooltest.Client{Principal: "ada", Scopes: []string{"tickets:read"}}
//	agent.Check(t, registry)
func (c *Client) Check(t *testing.T, registry *mcptool.Registry, opts ...Option) {
	t.Helper()
	about := subjectsOf(t, registry)
	s := newSettings(t, c, about, opts)
	s.registry = orDefault(registry)
	for _, tool := range about.tools {
		s.check(t, tool.Info().Name, tool.Info().Name, func(ctx context.Context) (tried, error) { return newTrial(ctx, tool, s) })
	}
	if len(about.prompts) > 0 {
		t.Run("prompts", func(t *testing.T) {
			for _, prompt := range about.prompts {
				key := about.promptKey(prompt)
				s.check(t, prompt.Info().Name, key, func(ctx context.Context) (tried, error) {
					return newItemTrial(ctx, promptItem(prompt), key, s)
				})
			}
		})
	}
	if len(about.resources) > 0 {
		t.Run("resources", func(t *testing.T) {
			for _, resource := range about.resources {
				s.check(t, resource.URI(), resource.URI(), func(ctx context.Context) (tried, error) {
					i, err := resourceItem(resource)
					if err != nil {
						return nil, err
					}
					return newItemTrial(ctx, i, resource.URI(), s)
				})
			}
		})
	}
}

// tried is the trial of a tool, a prompt or a resource.
type tried interface {
	run(ctx context.Context)
	tell(tb testing.TB)
	skip(tb testing.TB)
	close(ctx context.Context)
}

// check runs a trial in a subtest; key is the name of the item in options.
func (s *settings) check(t *testing.T, name, key string, start func(ctx context.Context) (tried, error)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		if s.skipped[key] {
			t.Skip("excluded by the option Skip")
		}
		tr, err := start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer tr.close(t.Context())
		tr.skip(t)
		tr.run(t.Context())
		tr.tell(t)
	})
}
