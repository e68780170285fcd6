package transcript

import (
	"iter"
	"slices"
	"strings"
)

// variants returns the text of the transcript for each revision that its line %revisions names, under the name of the
// file and the revision; if it has no such line, the text itself. Lines that do not apply to a revision are empty in
// its text, so that lines keep their numbers.
func variants(name, text string) iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			list, found := strings.CutPrefix(line, "%revisions ")
			if !found {
				continue
			}
			revisions := strings.Fields(list)
			for at, revision := range revisions {
				lines[i] = "%let REVISION " + revision
				if !yield(name+"/"+revision, strings.Join(linesOf(lines, revisions, at), "\n")) {
					return
				}
			}
			return
		}
		yield(name, text)
	}
}

// linesOf returns the lines without those that do not apply to one of the revisions. A line whose span does not begin
// and end with one of them stays, and is not a directive.
func linesOf(lines, revisions []string, at int) []string {
	held := make([]string, len(lines))
	for i, line := range lines {
		span, directive, _ := strings.Cut(line, " ")
		span, isMarked := strings.CutPrefix(span, "@")
		first, last, isSpan := strings.Cut(span, "..")
		from, to := slices.Index(revisions, first), slices.Index(revisions, last)
		if first == "" {
			from = 0
		}
		if last == "" {
			to = len(revisions) - 1
		}
		switch {
		case !isMarked || !isSpan || from < 0 || to < 0:
			held[i] = line
		case from <= at && at <= to:
			held[i] = directive
		}
	}
	return held
}
