package lint

// A Severity is the consequence of breaking a [Rule].
type Severity uint8

const (
	// Advice breaks nothing: models call the tool better if it is followed,
	// reports of what clients do contradict each other, or a client hides from some
	// models a bound that the server enforces anyway.
	Advice Severity = iota + 1
	// Ignored means that the client removes something before the model sees it.
	// Calls still work, and the server still checks all of it.
	Ignored
	// Refused means that the client rejects the tool, the whole server or the whole
	// request, or that no value of some part of the schema is valid.
	Refused
)

// String returns advice, ignored or refused.
func (s Severity) String() string {
	switch s {
	case Advice:
		return "advice"
	case Ignored:
		return "ignored"
	case Refused:
		return "refused"
	default:
		return "unknown"
	}
}
