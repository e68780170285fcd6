package mcptooltest

import (
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// Option configures [Check], [Bench], [Fuzz], [FuzzPrompt] and [FuzzResource]. Options name tools and prompts by their names,
// and resources by their URIs or templates. A prompt that has the name of a tool is named with "prompt " before its name.
// An option for something that does not exist fails the test.
type Option interface{ apply(s *settings) }

type option func(s *settings)

func (o option) apply(s *settings) { o(s) }

// Arguments adds calls of a tool, prompt or resource that are known to be valid. Each element of calls is a value whose
// JSON is the arguments, such as a value of the tool's argument type, or the JSON itself as a
// [encoding/json.RawMessage]. Check and Fuzz make these calls in addition to the generated ones, and they must not
// return an error, also when they are repeated: Check makes them in every revision. Bench measures the first of them. Use
// it for tools whose arguments must refer to something that exists, such as a file.
//
// For a prompt the members of the JSON are strings, numbers or booleans, which are sent as strings. For a resource the JSON
// is the variables of its template, or a string, which is the URI.
func Arguments(name string, calls ...any) Option {
	return option(func(s *settings) {
		s.named(name)
		s.arguments[name] = append(s.arguments[name], calls...)
	})
}

// Answers sets the client's answers to the requests of each call of a tool, prompt or resource, in order, as in
// [Client.Answers]. By default the client has no capabilities, and a request to it returns an error.
func Answers(name string, answers ...any) Option {
	return option(func(s *settings) {
		s.named(name)
		s.answers[name] = append(s.answers[name], answers...)
	})
}

// Skip excludes tools, prompts and resources: they are not called.
func Skip(names ...string) Option {
	return option(func(s *settings) {
		for _, name := range names {
			s.named(name)
			s.skipped[name] = true
		}
	})
}

// Destructive allows these tools to run although they may delete or overwrite something; without names it allows all
// tools. As for clients, a tool may be destructive if it has the hint, or if it has neither the hint that it is
// read-only nor the hint that it is not destructive. By default such a tool is called only with arguments that do not
// fit its schema, so it does not run; Check then has a skipped subtest "valid arguments", see [Check].
func Destructive(tools ...string) Option {
	return option(func(s *settings) {
		s.allDestructive = s.allDestructive || len(tools) == 0
		for _, tool := range tools {
			s.named(tool)
			s.destructive[tool] = true
		}
	})
}

// Stable lists tools that must answer the same call with the same bytes; without names all tools must. Check then makes
// each call of these tools twice. By default answers may differ: a tool that is read-only or idempotent has no further
// effect when it is called again, but its answer may contain a time or changed data.
func Stable(tools ...string) Option {
	return option(func(s *settings) {
		s.allStable = s.allStable || len(tools) == 0
		for _, tool := range tools {
			s.named(tool)
			s.stable[tool] = true
		}
	})
}

// Failing lists tools, prompts and resources of which no call has to succeed in Check, for example because a service that
// they need is not available in tests. By default at least one call must succeed.
func Failing(names ...string) Option {
	return option(func(s *settings) {
		for _, name := range names {
			s.named(name)
			s.failing[name] = true
		}
	})
}

// Within sets how long Check may test each tool, prompt and resource, and how long Check and Fuzz wait for an answer.
// The default is 10 seconds; zero means the default, and a negative duration ends the test. If the time is too short, the rest is a skipped subtest, whose
// reason has the number of calls that were made.
func Within(most time.Duration) Option {
	return option(func(s *settings) { s.within = most })
}

// Extensions makes Check and Fuzz call each tool on a server with the extensions that the func returns. The func is called for
// each tool, because an extension can belong to the tools of one server. Tools of the extensions are not tested, and tests of
// prompts and resources and Bench have no extensions.
//
// With [github.com/mcptool-go/mcptool/extension/results], a test also fails if read_result cannot read a result that was
// cut, or a part of it that was cut. Such results differ in their handles, so [Stable] does not apply to them.
func Extensions(extensions func() []runtime.Extension) Option {
	return option(func(s *settings) {
		if extensions != nil {
			s.extensions = extensions
		}
	})
}
