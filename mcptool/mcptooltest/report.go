package mcptooltest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// maxFailures is the maximum number of failures that are listed for one tool, prompt or resource, and maxShown the
// maximum length of a call or an answer in them, in bytes.
const (
	maxFailures = 5
	maxShown    = 1200
)

// A report has the results of a trial.
type report struct {
	noun, name string // kind of the tested item: "tool", "prompt" or "resource"

	failures []string
	more     int // failures that are not listed
	notes    []string
	omitted  []omission
	counts   counts
}

// A call is a call of the item under test.
type call struct {
	args  []byte
	about string // reason for the call
	fits  bool   // the arguments fit the schema
	own   bool   // from the option Arguments, and must succeed
	first bool   // the first one that fits

	listed    bool          // its resource is in a list
	announced *announcement // of the list; nil: of the resource itself
}

// An announcement has the properties of contents that the list announces.
type announcement struct {
	mimeType string // "" means unset
	size     *int64 // nil means unset
}

// An omission is a part of the test that was not run.
type omission struct{ part, reason string }

// counts has the numbers of calls by result.
type counts struct {
	answered, failed, refused, missing, misfits int // missing: a resource that is not found
	reads                                       int // calls of read_result

	failure, refusal, needs, lacks string // one example of each

	unasked []string // revisions in which it was reported that the user cannot be asked
}

// fitting returns the number of calls that fit.
func (n *counts) fitting() int { return n.answered + n.failed + n.refused + n.missing }

// came lists the results of calls that fit.
func (r *report) came() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{r.counts.answered, "answered"},
		{r.counts.failed, "failed"},
		{r.counts.refused, "rejected"},
		{r.counts.missing, "not found"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// fail adds a failure.
func (r *report) fail(text string) {
	if len(r.failures) == maxFailures {
		r.more++
		return
	}
	r.failures = append(r.failures, text)
}

// unlike adds a failure: a call with another result than expected.
func (r *report) unlike(p *peer, c *call, got, want string) {
	r.fail(fmt.Sprintf("%s, in revision %s\n    call  %s\n          (%s)\n    got   %s\n    want  %s", r.name, p.revision, shown(c.args), c.about, shown([]byte(got)), want))
}

// note adds a note, which does not fail the test.
func (r *report) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// noteOnce adds a note unless it was added already.
func (r *report) noteOnce(text string) {
	if !slices.Contains(r.notes, text) {
		r.notes = append(r.notes, text)
	}
}

// omit adds a part of the test that was not run, unless it was added already. It does not fail the test.
func (r *report) omit(part, format string, args ...any) {
	if !slices.ContainsFunc(r.omitted, func(o omission) bool { return o.part == part }) {
		r.omitted = append(r.omitted, omission{part, fmt.Sprintf(format, args...)})
	}
}

// tell reports the failures and notes to the test. Each omission is a skipped subtest, because test results list those but
// not the log of a test that passes; a fuzz test, which has no subtests, logs it.
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
	for _, o := range r.omitted {
		if t, ok := tb.(*testing.T); ok {
			t.Run(o.part, func(t *testing.T) { t.Skip(o.reason) })
		} else {
			tb.Logf("%s: not tested: %s", o.part, o.reason)
		}
	}
}

// shown shortens a text that is too long for a report.
func shown(text []byte) string {
	if len(text) > maxShown {
		return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(string(text[:maxShown]), ""), len(text))
	}
	return string(text)
}

// summarize adds notes about the results of the calls.
func (r *report) summarize(revisions int) {
	n := &r.counts
	r.note("%d calls with valid arguments (%s) and %d with invalid arguments, in %d revisions", n.fitting(), r.came(), n.misfits, revisions)
	if n.reads > 0 {
		r.note("results were cut by an extension, and read with %d calls of read_result", n.reads)
	}
	if n.refused > 0 {
		r.note("%d calls that fit the schema were rejected as invalid, although clients know only the schema; for example %s", n.refused, n.refusal)
	}
	if n.failure != "" {
		r.note("%d calls with valid arguments failed, for example %s", n.failed, n.failure)
	}
	if len(n.unasked) > 0 {
		r.note("asking the user fails in revisions that do not support it: %s; in %s", n.lacks, strings.Join(n.unasked, ", "))
	}
	if n.needs != "" {
		r.note("needs answers of the client; set them with the option Answers: %s", n.needs)
	}
}

// requireSuccess adds a failure if no call with valid arguments has succeeded: then the test has not seen a result. It does
// not if there are other failures, or if the item is hidden.
func (r *report) requireSuccess(h hidden) {
	n := &r.counts
	if n.answered > 0 || len(r.failures) > 0 || h.not() == 0 {
		return
	}
	var why string
	switch {
	case n.needs != "":
		why = "set the answers of the client with the option Answers; it fails with: " + n.needs
	case n.failed > 0:
		why = "set arguments that succeed with the option Arguments, or call as another caller with the method Check of a Client; it fails for example with " + n.failure
	case n.refused > 0:
		why = "set arguments that it accepts with the option Arguments; it rejects for example " + n.refusal
	case n.missing > 0:
		why = "no resource was found; set the variables of an existing one with the option Arguments"
	default:
		why = "none was made, because no valid arguments could be generated, or because the time was too short; see the options Arguments and Within"
	}
	r.fail(fmt.Sprintf("%s: no call with valid arguments succeeded, so no result was tested: %s; if that is expected, list the %s in the option Failing", r.name, why, r.noun))
}

// hidden is, for each peer, whether the tested item is hidden from the caller.
type hidden []bool

// not returns the number of peers from which it is not hidden.
func (h hidden) not() (n int) {
	for _, hidden := range h {
		if !hidden {
			n++
		}
	}
	return n
}

// noteHidden notes how many revisions were not tested.
func (r *report) noteHidden(h hidden) {
	if n := len(h) - h.not(); n > 0 && n < len(h) { // otherwise the test is skipped
		r.note("hidden from the caller by VisibleIf, and therefore not tested, in %d of %d revisions", n, len(h))
	}
}

// skipHidden skips the test if the item is hidden in every revision: it would pass without a call.
func (r *report) skipHidden(tb testing.TB, h hidden) {
	tb.Helper()
	if h.not() == 0 && len(r.failures) == 0 {
		tb.Skipf("the %s is hidden from the caller by its scopes or by VisibleIf; test as another caller with the methods of a Client", r.noun)
	}
}
