package verdict

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// mostShown is the maximum number of wrong verdicts in a report; all are counted.
const mostShown = 20

// Report has the results of a run. It is passed between programs as JSON.
type Report struct {
	Seed  uint64
	Types struct{ Accepted, Refused int }
	// Empty is the number of accepted types for which no valid input was found.
	Empty                  int
	Outputs, Inputs, Calls Verdicts
	Refusals, Differences  Counts
	Wrong                  []Wrong
	WrongTotal             int
	Duration               time.Duration
}

// Verdicts counts values by the verdicts of the judge and the framework.
type Verdicts struct {
	Total, Valid, Taken int
}

// Counts counts by name. A nil map is allocated on demand.
type Counts map[string]int

func (c *Counts) add(name string) {
	if *c == nil {
		*c = Counts{}
	}
	(*c)[name]++
}

// Wrong is a wrong verdict with its counter-example.
type Wrong struct {
	Subject string
	Source  string // Go source of the type
	Schema  string // as published
	Value   string // the input as JSON, or the value as printed by Go
	What    string // both verdicts
}

func (r *Report) wrong(w Wrong) {
	r.WrongTotal++
	if len(r.Wrong) < mostShown {
		r.Wrong = append(r.Wrong, w)
	}
}

func (r *Report) count(v *Verdicts, f finding) {
	v.Total++
	if f.valid {
		v.Valid++
	}
	if f.taken {
		v.Taken++
	}
}

// Add adds the results of another run.
func (r *Report) Add(other *Report) {
	r.Types.Accepted += other.Types.Accepted
	r.Types.Refused += other.Types.Refused
	r.Empty += other.Empty
	for _, v := range []struct{ to, from *Verdicts }{{&r.Outputs, &other.Outputs}, {&r.Inputs, &other.Inputs}, {&r.Calls, &other.Calls}} {
		v.to.Total += v.from.Total
		v.to.Valid += v.from.Valid
		v.to.Taken += v.from.Taken
	}
	r.Refusals.join(other.Refusals)
	r.Differences.join(other.Differences)
	r.Wrong = append(r.Wrong, other.Wrong...)
	r.WrongTotal += other.WrongTotal
}

func (c *Counts) join(other Counts) {
	for name, n := range other {
		c.add(name)
		(*c)[name] += n - 1
	}
}

// Write formats the report as text.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, %v\n", r.Seed, r.Duration.Round(time.Millisecond))
	fmt.Fprintf(&b, "types    %7d accepted, %d rejected, %d without a valid input\n", r.Types.Accepted, r.Types.Refused, r.Empty)
	for _, row := range []struct {
		name string
		Verdicts
	}{{"outputs", r.Outputs}, {"inputs", r.Inputs}, {"calls", r.Calls}} {
		fmt.Fprintf(&b, "%-8s %7d, valid for the reference validator %d, accepted by us %d\n", row.name, row.Total, row.Valid, row.Taken)
	}
	writeCounts(&b, "documented differences", r.Differences)
	r.writeReasons(&b)
	writeCounts(&b, "types refused", r.Refusals)
	for i, wrong := range r.Wrong {
		if i == mostShown {
			break
		}
		fmt.Fprintf(&b, "\nWRONG %s: %s\n  value  %s\n  schema %s\n%s\n", wrong.Subject, wrong.What, wrong.Value, wrong.Schema, wrong.Source)
	}
	fmt.Fprintf(&b, "wrong verdicts: %d\n", r.WrongTotal)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeReasons writes the reasons for the differences that occurred.
func (r *Report) writeReasons(b *strings.Builder) {
	write := func(name, reason string) {
		for counted := range r.Differences {
			if strings.HasSuffix(counted, ": "+name) {
				fmt.Fprintf(b, "         %s: %s\n", name, reason)
				return
			}
		}
	}
	for _, d := range differences {
		write(d.name, d.reason)
	}
	for _, a := range acceptances {
		write(a.name, a.reason)
	}
}

func writeCounts(b *strings.Builder, title string, counts Counts) {
	fmt.Fprintf(b, "%s:\n", title)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(b, "  %6d %s\n", counts[name], name)
	}
}

// Err returns an error if there is a wrong verdict, or too little data.
func (r *Report) Err() error {
	switch {
	case r.WrongTotal > 0:
		return fmt.Errorf("%d wrong verdicts", r.WrongTotal)
	case r.Types.Accepted == 0 || r.Inputs.Valid == 0 || r.Inputs.Valid == r.Inputs.Total || r.Outputs.Taken == 0:
		return errors.New("the run tested nothing: no type was accepted, or all inputs were valid or all invalid")
	}
	return nil
}
