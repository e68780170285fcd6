package transcript

import (
	"cmp"
	"fmt"
	"strings"
)

// A Report is the result of a replay.
type Report struct {
	// Messages is the number of messages of the server that were compared.
	Messages int
	// Differences are in the order of the transcript; they are at most [MaxDifferences], and Omitted is the number of the
	// others.
	Differences []Difference
	Omitted     int
	// Updated is the transcript with the new messages of the server.
	Updated *Transcript
}

// MaxDifferences is the maximum number of differences in a report.
const MaxDifferences = 200

// A Difference is a value that is not as recorded.
type Difference struct {
	// Line is the line of the message in the transcript, or of the message before a new one.
	Line int
	// Subject describes the message, as in "tools/call get_weather".
	Subject string
	// Path leads to the value; "" for the whole message.
	Path string
	// Was and Is are the recorded value and the new one, as JSON of a limited length; "" if there is none.
	Was, Is string
}

// String lists the differences, grouped by message.
func (r *Report) String() string {
	var b strings.Builder
	last := Difference{}
	for _, d := range r.Differences {
		if d.Line != last.Line || d.Subject != last.Subject {
			fmt.Fprintf(&b, "line %d: %s\n", d.Line, d.Subject)
		}
		last = d
		path := cmp.Or(d.Path, "the message")
		switch {
		case d.Was == "":
			fmt.Fprintf(&b, "  %s is new\n    is  %s\n", path, d.Is)
		case d.Is == "":
			fmt.Fprintf(&b, "  %s is missing\n    was %s\n", path, d.Was)
		default:
			fmt.Fprintf(&b, "  %s\n    was %s\n    is  %s\n", path, d.Was, d.Is)
		}
	}
	if r.Omitted > 0 {
		fmt.Fprintf(&b, "and %d more\n", r.Omitted)
	}
	return b.String()
}

// add adds a difference.
func (r *Report) add(d Difference) {
	if d.Subject = printable(d.Subject); len(r.Differences) < MaxDifferences {
		r.Differences = append(r.Differences, d)
	} else {
		r.Omitted++
	}
}
