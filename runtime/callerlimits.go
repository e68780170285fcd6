package runtime

// CallerLimits bounds what one caller may take of the limits that all share, so that the worst a caller can do leaves
// room for the others. A zero or negative member means its default, a quarter of the whole: more than one person's
// clients need, and it takes four callers to use up a server.
//
// A caller is a principal, or for messages without one the address they came from, see [Access.Caller]. Peers that the
// transport trusts, as over stdio, are not limited to a share.
type CallerLimits struct {
	// InFlight is how many calls of one caller the server has taken on and not ended; default a quarter of
	// [Limits.InFlight], 2048.
	InFlight int
	// Stateless is how many calls of one caller run at once of those that [Limits.Stateless] bounds; default a quarter
	// of that, 1024. More of them wait.
	Stateless int
	// Waiting is how many calls of one caller wait for a place at one tool; default a quarter of [Limits.Waiting], 64.
	Waiting int
	// Memory is how many bytes of [Limits.Memory] one caller may hold; default a quarter of that, 128 MiB. A message
	// that is larger is never accepted.
	Memory int
}

// resolved returns the limits with the defaults filled in, given those of all callers.
func (l CallerLimits) resolved(all *Limits) CallerLimits {
	return CallerLimits{
		InFlight:  positive(l.InFlight, quarter(all.InFlight)),
		Stateless: positive(l.Stateless, quarter(all.Stateless)),
		Waiting:   positive(l.Waiting, quarter(all.Waiting)),
		Memory:    positive(l.Memory, quarter(all.Memory)),
	}
}

// quarter returns what one caller may take of n by default.
func quarter(n int) int { return max(n/4, 1) }
