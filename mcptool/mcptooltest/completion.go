package mcptooltest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/mcptool-go/mcptool/reflectschema"
)

const (
	maxCompletions = 100 // of a completion, by the specification
	maxSuggestions = 20  // tried per completion
)

// completions is the part of a trial that requests completions.
type completions struct{ *itemTrial }

// requestAll requests completions of each argument in each revision, as if the user types it.
func (t completions) requestAll(ctx context.Context) {
	if t.item.completer == nil {
		return
	}
	for _, name := range t.item.arguments() {
		before := t.failed()
		for k := range t.peers {
			switch {
			case t.hidden[k] || t.failed() > before:
				continue
			case t.isLate():
				t.omit("remaining completions", "time ran out at the argument %s; set a longer time with the option Within", name)
				return
			}
			t.completeArgument(ctx, t.peers[k], name)
		}
	}
}

// completeArgument requests completions of an argument.
func (t completions) completeArgument(ctx context.Context, p *peer, name string) {
	others := maps.Clone(t.base)
	delete(others, name)
	values := t.complete(ctx, p, name, "", others)
	typed := []string{"no such value", "é", strings.Repeat("x", 1000), "\x00"}
	if len(values) > 0 {
		first := []rune(values[0])
		typed = append(typed, string(first[:min(1, len(first))]), values[0])
	}
	for _, prefix := range typed {
		t.complete(ctx, p, name, prefix, others)
	}
	t.complete(ctx, p, name, "", nil)
	for _, value := range values[:min(len(values), maxSuggestions)] {
		t.judgeSuggestion(p, name, value)
	}
}

// complete requests a completion and judges it.
func (t completions) complete(ctx context.Context, p *peer, name, prefix string, others map[string]string) (values []string) {
	params := t.item.completion(name, prefix, others)
	c := &call{args: []byte("{" + params + "}"), about: "completion"}
	a, err := t.request(ctx, p, methodComplete, params, nil)
	if err != nil {
		t.unlike(p, c, err.Error(), "an answer")
		return nil
	}
	return t.judge(p, c, &a, name)
}

// judge checks the values for an argument, and returns them. An error of the func is not a failure.
func (t completions) judge(p *peer, c *call, a *answer, name string) (values []string) {
	switch {
	case t.judgeDefect(p, c, a):
	case a.refusal != nil && a.refusal.Code == codeInternal:
		t.noteOnce(fmt.Sprintf("completion of %s: %s", name, reasonOf(a)))
	case a.refusal != nil:
		t.unlike(p, c, string(a.raw), "values")
	case a.result.Completion == nil || a.result.Completion.Values == nil || len(a.result.Completion.Values) > maxCompletions:
		t.unlike(p, c, string(a.raw), fmt.Sprintf("at most %d values", maxCompletions))
	default:
		return a.result.Completion.Values
	}
	return nil
}

// judgeSuggestion checks that the argument accepts a suggested value. A suggestion may also be the beginning of a
// value, such as the directory of a file, so a value that cannot be in a URI is not a failure.
func (t completions) judgeSuggestion(p *peer, name, value string) {
	values := maps.Clone(t.base)
	if values == nil {
		values = map[string]string{}
	}
	values[name] = value
	args, ok := t.item.written(values)
	if !ok {
		return
	}
	misfit, _ := t.item.judge(args)
	invalid, ok := errors.AsType[*reflectschema.InvalidError](misfit)
	if !ok {
		return
	}
	for _, v := range invalid.Violations {
		if strings.TrimPrefix(v.Path, "/") == name {
			t.unlike(p, &call{args: args, about: "with a suggested value"}, fmt.Sprintf("the suggestion %q for %s", value, name),
				"suggestions that fit the argument: "+invalid.Error())
			return
		}
	}
}
