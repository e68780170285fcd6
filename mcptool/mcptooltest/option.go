package mcptooltest

import "time"

// Option says something about how tools are tried, by [Check], [Bench] and [Fuzz]. What names a
// tool that is not there fails the test.
type Option interface{ apply(s *settings) }

type option func(s *settings)

func (o option) apply(s *settings) { o(s) }

// Arguments are calls of a tool that are known to be good: each is a value with the JSON of its
// arguments, of the tool's own type say, or that JSON as a [encoding/json.RawMessage]. They are
// made beside those that come of the schema, must be answered without an error, and are what
// Bench measures. It is for tools that need something to be there, a file of that name, say.
func Arguments(tool string, calls ...any) Option {
	return option(func(s *settings) {
		s.named(tool)
		s.arguments[tool] = append(s.arguments[tool], calls...)
	})
}

// Answers are what the client answers in each call of a tool that asks, in order; see [Client].
// By default the client can answer nothing, which such a tool tells it.
func Answers(tool string, answers ...any) Option {
	return option(func(s *settings) {
		s.named(tool)
		s.answers[tool] = append(s.answers[tool], answers...)
	})
}

// Skip leaves tools out altogether.
func Skip(tools ...string) Option {
	return option(func(s *settings) {
		for _, tool := range tools {
			s.named(tool)
			s.skipped[tool] = true
		}
	})
}

// Destructive lets tools run although they may delete or overwrite something: those named, or all
// if none is. A tool may, as for clients, that says so, or that says neither that it is
// read-only nor that it is not destructive. By default it is only called with arguments that
// its schema refuses, with which it does not run.
func Destructive(tools ...string) Option {
	return option(func(s *settings) {
		s.allDestructive = s.allDestructive || len(tools) == 0
		for _, tool := range tools {
			s.named(tool)
			s.destructive[tool] = true
		}
	})
}

// Varying names tools that may answer the same call differently the next time, although they are
// read-only or idempotent: a clock, a search in what others write. By default their answers are
// compared.
func Varying(tools ...string) Option {
	return option(func(s *settings) {
		for _, tool := range tools {
			s.named(tool)
			s.varying[tool] = true
		}
	})
}

// Within is how long Check tries each tool, and how long it and Fuzz wait for an answer. The default
// is 10 seconds, also for zero or less. What there was no time for is told in the log of the test.
func Within(most time.Duration) Option {
	return option(func(s *settings) {
		if most > 0 {
			s.within = most
		}
	})
}
