package mcptooltest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// maxFailures is how many failures of one tool, prompt or resource are told, and maxShown the length of what is shown
// of a call or an answer, in bytes.
const (
	maxFailures = 5
	maxShown    = 1200
)

// A report is what came of a trial.
type report struct {
	noun, name string // of what is tried: "tool", "prompt" or "resource"

	failures []string
	more     int // failures that are not listed
	notes    []string
	counts   counts
}

// counts says what became of the calls.
type counts struct {
	answered, failed, refused, missing, misfits int // missing: a resource that is not found

	failure, refusal, needs, lacks string // one of each

	unasked []string // revisions in which it was reported that the user cannot be asked
}

// fitting returns the number of calls that fit.
func (n *counts) fitting() int { return n.answered + n.failed + n.refused + n.missing }

// came lists what became of calls that fit.
func (r *report) came() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{r.counts.answered, "answered"},
		{r.counts.failed, "ended with an error of the " + r.noun},
		{r.counts.refused, "refused"},
		{r.counts.missing, "not found"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
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
func (r *report) unlike(p *peer, c *call, got, want string) {
	r.fail(fmt.Sprintf("%s, in revision %s\n    call  %s\n          (%s)\n    got   %s\n    want  %s", r.name, p.revision, shown(c.args), c.about, shown([]byte(got)), want))
}

// note notes something that is no failure.
func (r *report) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// noteOnce notes something, unless that was done before.
func (r *report) noteOnce(text string) {
	if !slices.Contains(r.notes, text) {
		r.notes = append(r.notes, text)
	}
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

// summarize notes what became of the calls.
func (r *report) summarize(revisions int) {
	n := &r.counts
	r.note("%d calls with arguments that fit: %s; %d with arguments that do not; in %d revisions", n.fitting(), r.came(), n.misfits, revisions)
	if n.refused > 0 {
		r.note("%d calls that fit the schema were refused, although clients only know the schema: for example %s", n.refused, n.refusal)
	}
	if n.answered == 0 && n.failed > 0 && n.needs == "" {
		r.note("every call that fits ended with an error of the %s, for example %s; set other arguments with the option Arguments", r.noun, n.failure)
	}
	if n.answered == 0 && n.missing > 0 && n.failed == 0 {
		r.note("nothing was found that can be read; set variables of something that exists with the option Arguments")
	}
	if len(n.unasked) > 0 {
		r.note("it reports that it cannot ask the user, which the revision does not support: %s; in %s", n.lacks, strings.Join(n.unasked, ", "))
	}
	if n.needs != "" {
		r.note("it sends requests to its client, which needs the option Answers: %s", n.needs)
	}
}
