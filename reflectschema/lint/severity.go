package lint

// A Severity is the consequence of breaking a [Rule]. Greater values are worse; the zero value is not a severity.
type Severity uint8

const (
	// SeverityAdvice means that the tool works: models call it better if the rule is followed, reports about clients contradict
	// each other, or a client hides from some models a bound that the server enforces anyway.
	SeverityAdvice Severity = iota + 1
	// SeverityIgnored means that the client removes something before the model sees it. Calls still work, and the server still
	// enforces the whole schema.
	SeverityIgnored
	// SeverityRefused means that the client rejects the tool, the whole server or the whole request, or that no value fits some
	// part of the schema.
	SeverityRefused
)

// String returns advice, ignored or refused; unknown for any other value.
func (s Severity) String() string {
	switch s {
	case SeverityAdvice:
		return "advice"
	case SeverityIgnored:
		return "ignored"
	case SeverityRefused:
		return "refused"
	default:
		return "unknown"
	}
}
