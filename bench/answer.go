package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// answerFlags answer what a server asks the user. Commands embed it.
type answerFlags struct {
	Answer []string `help:"Fill in a field of a form of the server, with a value as on a terminal; may be repeated. The form is then accepted, and without a terminal its defaults fill in the rest." placeholder:"NAME=VALUE" sep:"none"`
	Yes    bool     `help:"Accept whatever the server asks, without asking you: a confirmation with yes, a form with --answer and its defaults, and a URL, which is only shown." short:"y"`
}

// dialogue returns a dialogue that takes answers from the flags first.
func (f *answerFlags) dialogue(con *console) (*dialogue, error) {
	d := newDialogue(con)
	d.yes = f.Yes
	var err error
	if d.answers, err = namedValues(f.Answer); err != nil { // its text has the value
		return nil, usageError("--answer is of the form NAME=VALUE, and each NAME is there once")
	}
	con.secrets.Pairs("=", f.Answer)
	return d, nil
}

// accepts reports whether the flags accept a form, and moves its fields with answers to the front, so that a wrong answer
// is an error before anything is typed.
func (d *dialogue) accepts(form *form) bool {
	slices.SortStableFunc(form.fields, func(a, b field) int { return cmp.Compare(d.given(b), d.given(a)) })
	return d.yes || len(form.fields) > 0 && d.given(form.fields[0]) > 0
}

// given returns 1 if a field has an answer, else 0.
func (d *dialogue) given(f field) int {
	if _, ok := d.answers[f.name]; ok {
		return 1
	}
	return 0
}

// value returns the value of a field of a form that is accepted; nil if it is left out. It is the one of --answer; with a
// user and without --yes, the one that is typed; otherwise the default.
func (d *dialogue) value(ctx context.Context, form *form, f *field) (json.RawMessage, error) {
	text, given := d.answers[f.name]
	d.used[f.name] = true
	switch {
	case given:
	case d.yes && form.isConfirmation():
		text = yes[0]
	case d.people() && !d.yes:
		return d.ask(ctx, form, f)
	case f.required && f.Default == nil:
		return nil, usageError("the server asks for %s, which has no default; give it with --answer %s=VALUE", f.described(), terminal.OneLine(f.name))
	}
	value, err := f.parse(form, text)
	switch {
	case err == nil:
		return value, nil
	case given:
		return nil, usageError("--answer %s", f.withoutValue(err))
	default:
		return nil, usageError("the default of %s is not valid: %w; give a value with --answer %s=VALUE", f.described(), err, terminal.OneLine(f.name))
	}
}

// described returns the heading of a field with its type or choices.
func (f *field) described() string {
	if kind := f.kind(); kind != "" {
		return terminal.OneLine(f.heading() + " (" + kind + ")")
	}
	return terminal.OneLine(f.heading())
}

// withoutValue describes an error of [field.parse] without the value, which may be a secret.
func (f *field) withoutValue(err error) string {
	invalid, ok := errors.AsType[*reflectschema.InvalidError](err)
	if !ok {
		return terminal.OneLine(f.name) + ": the value is not one for " + f.described()
	}
	clean := slices.Clone(invalid.Violations)
	for i := range clean {
		if keyword := clean[i].Keyword; keyword != "uniqueItems" && keyword != "additionalItems" { // they have positions and counts
			clean[i].Got = ""
		}
	}
	return (&reflectschema.InvalidError{Violations: clean, Total: invalid.Total}).Error()
}

// questionHint returns the flags that accept what a server asks.
func questionHint(form *form) string {
	if len(form.fields) == 0 || form.isConfirmation() {
		return "--yes accepts it"
	}
	var names []string
	for _, f := range form.fields {
		names = append(names, f.name)
	}
	return terminal.OneLine("--answer NAME=VALUE fills in " + strings.Join(names, ", ") + ", and --yes accepts the defaults")
}

// end returns the error of a question that the flags do not answer, or else err, the error of the request. It reports
// answers that no form has asked for.
func (d *dialogue) end(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.wrong != nil {
		return d.wrong
	}
	for _, name := range slices.Sorted(maps.Keys(d.answers)) {
		if !d.used[name] {
			d.say("bench: --answer %s is not used: the server has not asked for it\n", terminal.OneLine(name))
		}
	}
	return err
}
