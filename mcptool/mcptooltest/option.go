package mcptooltest

import "time"

// Option configures [Check], [Bench] and [Fuzz]. An option for a tool that does not exist fails the test.
type Option interface{ apply(s *settings) }

type option func(s *settings)

func (o option) apply(s *settings) { o(s) }

// Arguments adds calls of a tool that are known to be valid. Each element of calls is a value whose JSON is the
// arguments, such as a value of the tool's argument type, or the JSON itself as a [encoding/json.RawMessage]. Check and
// Fuzz make these calls in addition to the generated ones, and they must not return an error. Bench measures the first
// of them. Use it for tools whose arguments must refer to something that exists, such as a file.
func Arguments(tool string, calls ...any) Option {
	return option(func(s *settings) {
		s.named(tool)
		s.arguments[tool] = append(s.arguments[tool], calls...)
	})
}

// Answers sets the client's answers to the requests of each call of a tool, in order, as in [Client.Answers]. By
// default the client has no capabilities, and a request of the tool returns an error.
func Answers(tool string, answers ...any) Option {
	return option(func(s *settings) {
		s.named(tool)
		s.answers[tool] = append(s.answers[tool], answers...)
	})
}

// Skip excludes tools: they are not called.
func Skip(tools ...string) Option {
	return option(func(s *settings) {
		for _, tool := range tools {
			s.named(tool)
			s.skipped[tool] = true
		}
	})
}

// Destructive allows these tools to run although they may delete or overwrite something; without names it allows all
// tools. As for clients, a tool may be destructive if it has the hint, or if it has neither the hint that it is
// read-only nor the hint that it is not destructive. By default such a tool is called only with arguments that do not
// fit its schema, so it does not run.
func Destructive(tools ...string) Option {
	return option(func(s *settings) {
		s.allDestructive = s.allDestructive || len(tools) == 0
		for _, tool := range tools {
			s.named(tool)
			s.destructive[tool] = true
		}
	})
}

// Varying lists tools that may answer the same call differently although they are read-only or idempotent, such as a
// clock or a search in changing data. By default two answers to the same call must be equal.
func Varying(tools ...string) Option {
	return option(func(s *settings) {
		for _, tool := range tools {
			s.named(tool)
			s.varying[tool] = true
		}
	})
}

// Within sets how long Check may test each tool, and how long Check and Fuzz wait for an answer. The default is 10
// seconds; zero or less means the default. The test log lists the calls for which there was no time.
func Within(most time.Duration) Option {
	return option(func(s *settings) {
		if most > 0 {
			s.within = most
		}
	})
}
