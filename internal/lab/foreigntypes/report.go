package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
)

// A role is how a tool uses a type.
type role struct {
	refusal error // of mcptool.New; nil if it is accepted
	size    int   // of the schema in bytes; 0 if it is accepted without one
}

func (r role) String() string {
	switch {
	case r.refusal != nil:
		return "refused"
	case r.size == 0:
		return "no schema"
	default:
		return fmt.Sprintf("%d B", r.size)
	}
}

// A row is a type with what was found about it.
type row struct {
	name             string
	argument, result role
	inAny            role // in a result of the type any
}

// A report has the results of a run.
type report struct {
	rows     []row
	counts   map[string]int       // of checks, and of differences that are documented
	examples map[string]string    // one of each difference that is documented
	failures map[string][]failure // by kind
}

// A failure is something that is wrong with a type.
type failure struct{ name, text string }

func newReport() *report {
	return &report{counts: map[string]int{}, examples: map[string]string{}, failures: map[string][]failure{}}
}

// count counts a check.
func (r *report) count(what string) { r.counts[what]++ }

// allow counts a difference that is documented.
func (r *report) allow(what, name, example string) {
	r.counts[what]++
	if _, ok := r.examples[what]; !ok {
		r.examples[what] = name + ": " + example
	}
}

// fail records something that is wrong.
func (r *report) fail(kind, name, text string) {
	r.failures[kind] = append(r.failures[kind], failure{name, text})
}

// accepted returns how many types are accepted as arguments and as results.
func (r *report) accepted() (arguments, results int) {
	for _, row := range r.rows {
		if row.argument.refusal == nil {
			arguments++
		}
		if row.result.refusal == nil {
			results++
		}
	}
	return arguments, results
}

// print prints the report, with at most most failures of each kind for a type.
func (r *report) print(w io.Writer, most int) {
	fmt.Fprintf(w, "%-60s %-10s %-10s %s\n", "type", "argument", "result", "in any")
	for _, row := range r.rows {
		inAny := "as JSON"
		if row.inAny.refusal != nil {
			inAny = "refused"
		}
		fmt.Fprintf(w, "%-60s %-10s %-10s %s\n", row.name, row.argument, row.result, inAny)
	}
	r.printRefusals(w, "arguments", func(row row) error { return row.argument.refusal })
	r.printRefusals(w, "results", func(row row) error { return row.result.refusal })
	r.printRefusals(w, "values in an any", func(row row) error { return row.inAny.refusal })
	fmt.Fprintf(w, "\nChecks, and differences that are documented\n")
	for _, what := range slices.Sorted(maps.Keys(r.counts)) {
		fmt.Fprintf(w, "%7d %s\n", r.counts[what], what)
		if example, ok := r.examples[what]; ok {
			fmt.Fprintf(w, "        such as %s\n", example)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(r.failures)) {
		list := r.failures[kind]
		fmt.Fprintf(w, "\nWRONG: %s (%d)\n", kind, len(list))
		printed := map[string]int{}
		for _, f := range list {
			if printed[f.name]++; printed[f.name] <= most {
				fmt.Fprintf(w, "  %s: %s\n", f.name, strings.ReplaceAll(f.text, "\n", "\n    "))
			}
		}
	}
}

// printRefusals prints each text once, with the types that it was about.
func (r *report) printRefusals(w io.Writer, what string, refusal func(row) error) {
	types := map[string][]string{}
	for _, row := range r.rows {
		if err := refusal(row); err != nil {
			types[mistakes(err)] = append(types[mistakes(err)], row.name)
		}
	}
	fmt.Fprintf(w, "\nRefused as %s\n", what)
	texts := slices.SortedFunc(maps.Keys(types), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(types[b]), len(types[a])), cmp.Compare(a, b))
	})
	for _, text := range texts {
		fmt.Fprintf(w, "  %s\n    %s\n", strings.Join(types[text], ", "), strings.ReplaceAll(text, "\n", "\n    "))
	}
}

// mistakes returns the mistakes of an error of mcptool.New, one to a line; of another error its text.
func mistakes(err error) string {
	refused := (*mcptool.RegisterError)(nil)
	if !errors.As(err, &refused) {
		return err.Error()
	}
	var lines []string
	for _, m := range refused.Mistakes {
		_, text, _ := strings.Cut(m.String(), ": ") // after the name of the tool
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// requireFixes records each mistake of a refusal without a fix.
func (r *report) requireFixes(name string, role role) {
	refused := (*mcptool.RegisterError)(nil)
	if role.refusal == nil {
		return
	}
	if !errors.As(role.refusal, &refused) {
		r.fail("mcptool.New fails", name, role.refusal.Error())
		return
	}
	for _, m := range refused.Mistakes {
		if m.Fix == "" {
			r.fail("a refusal has no fix", name, m.String())
		}
	}
}

// verdict returns an error if a bar is missed.
func (r *report) verdict(arguments, results int) error {
	var missed []error
	a, b := r.accepted()
	if a < arguments {
		missed = append(missed, fmt.Errorf("%d types accepted as arguments, of %d at least", a, arguments))
	}
	if b < results {
		missed = append(missed, fmt.Errorf("%d types accepted as results, of %d at least", b, results))
	}
	for _, kind := range slices.Sorted(maps.Keys(r.failures)) {
		missed = append(missed, fmt.Errorf("%s: %d", kind, len(r.failures[kind])))
	}
	return errors.Join(missed...)
}
