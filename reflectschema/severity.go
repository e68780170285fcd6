package reflectschema

// A Severity says what comes of breaking a [Rule].
type Severity uint8

const (
	// Advice breaks nothing: the model would call the tool better otherwise,
	// reports of what clients do contradict each other, or a client hides from some
	// models a bound that the server enforces anyway.
	Advice Severity = iota + 1
	// Ignored means that the client takes something out before the model sees it.
	// Calls still work, and whoever checks them still checks all of it.
	Ignored
	// Refused means that the client takes the tool, the whole server or the whole
	// request for broken, or that every value of some part of it is refused.
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
