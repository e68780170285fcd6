package mcptooltest

import (
	"fmt"
	"strings"
	"testing"
)

// maxFailures is how many failures of one tool are told, and maxShown the length of what is shown
// of a call or an answer, in bytes.
const (
	maxFailures = 5
	maxShown    = 1200
)

// A report is what came of a trial.
type report struct {
	failures []string
	more     int // failures that are not listed
	notes    []string
	counts   counts
}

// counts says what became of the calls.
type counts struct {
	answered, failed, refused, misfits int

	failure, refusal, needs, lacks string // one of each

	unasked []string // revisions in which the tool reported that the user cannot be asked
}

// String lists what became of calls that fit.
func (n *counts) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{n.answered, "answered"}, {n.failed, "ended with an error of the tool"}, {n.refused, "refused"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

// fail notes a failure.
func (r *report) fail(text string) {
	if len(r.failures) == maxFailures {
		r.more++
		return
	}
	r.failures = append(r.failures, text)
}

// unlike notes that a call came to something else than it should.
func (t *trial) unlike(p *peer, c *call, got, want string) {
	t.fail(fmt.Sprintf("%s, in revision %s\n    call  %s\n          (%s)\n    got   %s\n    want  %s", t.tool.Name(), p.revision, shown(c.args), c.about, shown([]byte(got)), want))
}

// note notes something that is no failure.
func (r *report) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// tell ends a test with the report.
func (r *report) tell(tb testing.TB) {
	tb.Helper()
	for _, text := range r.failures {
		tb.Error(text)
	}
	if r.more > 0 {
		tb.Errorf("and %d more", r.more)
	}
	for _, text := range r.notes {
		tb.Log(text)
	}
}

// shown cuts what is too long to be read.
func shown(text []byte) string {
	if len(text) > maxShown {
		return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(string(text[:maxShown]), ""), len(text))
	}
	return string(text)
}
