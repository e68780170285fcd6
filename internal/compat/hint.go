package compat

// compareHints compares the hints that clients act on. A missing hint has the default of the protocol: not read-only,
// destructive, not idempotent, open world.
//
// A tool that is no longer read-only breaks callers although every call still fits: clients run read-only tools without
// asking the user. Withdrawing another hint may break callers that relied on it. Adding a hint is compatible.
func compareHints(was, is *Hints) (changes []Change) {
	a, b := orNone(was), orNone(is)
	readsBefore, readsNow := hintOr(a.ReadOnly, false), hintOr(b.ReadOnly, false)
	for _, hint := range []struct {
		keyword string
		was, is bool // whether the tool makes the promise
		yes, no string
		lost    Class
		implied bool
	}{
		{"readOnlyHint", readsBefore, readsNow, "read-only", "not read-only", Breaks, false},
		{"destructiveHint", readsBefore || !hintOr(a.Destructive, true), readsNow || !hintOr(b.Destructive, true), "not destructive", "possibly destructive", MayBreak, readsBefore != readsNow},
		{"idempotentHint", readsBefore || hintOr(a.Idempotent, false), readsNow || hintOr(b.Idempotent, false), "idempotent", "not idempotent", MayBreak, readsBefore != readsNow},
		{"openWorldHint", !hintOr(a.OpenWorld, true), !hintOr(b.OpenWorld, true), "closed-world", "open-world", MayBreak, false},
	} {
		words := map[bool]string{true: hint.yes, false: hint.no}
		switch {
		case hint.was == hint.is || hint.implied && hint.is:
		case hint.is:
			changes = append(changes, Change{Class: Compatible, Keyword: hint.keyword, Was: words[hint.was], Now: words[hint.is]})
		default:
			changes = append(changes, Change{Class: hint.lost, Keyword: hint.keyword, Was: words[hint.was], Now: words[hint.is]})
		}
	}
	return changes
}

func orNone(h *Hints) Hints {
	if h == nil {
		return Hints{}
	}
	return *h
}

// hintOr returns the value of a hint, or its default if the hint is nil.
func hintOr(hint *bool, unset bool) bool {
	if hint == nil {
		return unset
	}
	return *hint
}

// compareExecution compares whether calls run as tasks; the default is forbidden.
func compareExecution(was, is *Execution) []Change {
	support := func(e *Execution) string {
		if e == nil || e.TaskSupport == "" {
			return "forbidden"
		}
		return e.TaskSupport
	}
	a, b := support(was), support(is)
	c := Change{Class: MayBreak, Keyword: "taskSupport", Was: "a task: " + a, Now: b}
	switch {
	case a == b:
		return nil
	case b == "required":
		c.Class = Breaks // clients without task support cannot call it
	case b == "optional":
		c.Class = Compatible
	}
	return []Change{c}
}
