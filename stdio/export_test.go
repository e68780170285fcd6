package stdio

import "time"

// ParentEnds replaces the check of the parent process.
func ParentEnds(ended func() bool) Option {
	return testOption(func(c *config) { c.parentEnded = ended })
}

// ParentTimes replaces the interval of the check, and the time in which the client has to send something.
func ParentTimes(interval, answer time.Duration) Option {
	return testOption(func(c *config) { c.parentInterval, c.answerTimeout = interval, answer })
}

type testOption func(*config)

func (o testOption) apply(c *config) { o(c) }
