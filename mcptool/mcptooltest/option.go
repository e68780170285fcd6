package mcptooltest

import "time"

// Option configures [Check], [Bench] and [Fuzz]. An option that names a tool that does not exist fails the test.
type Option interface{ apply(s *settings) }

type option func(s *settings)

func (o option) apply(s *settings) { o(s) }

// Arguments adds calls of a tool that are known to be valid: each is a value with the JSON of its arguments, such as
// one of the tool's own type, or that JSON as a [encoding/json.RawMessage]. They are made in addition to the
// generated calls, must be answered without an error, and are what Bench measures. Use it for tools whose arguments
// must refer to something that exists, such as a file.
func Arguments(tool string, calls ...any) Option {
	return option(func(s *settings) {
		s.named(tool)
		s.arguments[tool] = append(s.arguments[tool], calls...)
	})
}

// Answers are the client's answers in each call of a tool that sends requests to it, in order; see [Client]. By
// default the client cannot answer, and such a tool gets an error.
func Answers(tool string, answers ...any) Option {
	return option(func(s *settings) {
		s.named(tool)
		s.answers[tool] = append(s.answers[tool], answers...)
	})
}

// Skip excludes tools completely.
func Skip(tools ...string) Option {
	return option(func(s *settings) {
		for _, tool := range tools {
			s.named(tool)
			s.skipped[tool] = true
		}
	})
}

// Destructive allows tools to run although they may delete or overwrite something: those named, or all if none is
// named. As for clients, a tool may do so if it is hinted as destructive, or has neither the hint that it is
// read-only nor the hint that it is not destructive. By default such a tool is only called with arguments that its
// schema refuses, so it does not run.
func Destructive(tools ...string) Option {
	return option(func(s *settings) {
		s.allDestructive = s.allDestructive || len(tools) == 0
		for _, tool := range tools {
			s.named(tool)
			s.destructive[tool] = true
		}
	})
}

// Varying names tools that may give different answers to the same call, although they are read-only or idempotent: a
// clock, a search in data of others. By default their answers are compared.
func Varying(tools ...string) Option {
	return option(func(s *settings) {
		for _, tool := range tools {
			s.named(tool)
			s.varying[tool] = true
		}
	})
}

// Within sets how long Check tests each tool, and how long Check and Fuzz wait for an answer. The default is 10
// seconds, also for zero or less. The log of the test lists what there was no time for.
func Within(most time.Duration) Option {
	return option(func(s *settings) {
		if most > 0 {
			s.within = most
		}
	})
}
