package compat

import (
	"maps"
	"slices"
)

// A Prompt contains the published fields of a prompt that are compared.
type Prompt struct {
	Name        string     `json:"name"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Arguments   []Argument `json:"arguments,omitempty"`
}

// An Argument is an argument of a prompt.
type Argument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// comparePrompts compares the lists of prompts. A nil old list was not recorded.
func comparePrompts(old, now []Prompt) []Change {
	if old == nil {
		return recorded(PromptKind, len(now))
	}
	was, is := keyed(old, func(p Prompt) string { return p.Name }), keyed(now, func(p Prompt) string { return p.Name })
	return compareLists(PromptKind, was, is, comparePrompt)
}

// keyed returns the entries of a list by key.
func keyed[T any](list []T, key func(T) string) map[string]T {
	m := map[string]T{}
	for _, entry := range list {
		m[key(entry)] = entry
	}
	return m
}

// compareLists compares entries by key. A missing entry breaks callers, a new one is compatible; compare returns the
// changes of an entry that both lists contain.
func compareLists[T any](kind Kind, was, is map[string]T, compare func(was, is T) []Change) []Change {
	var changes []Change
	for _, key := range slices.Sorted(maps.Keys(was)) {
		now, ok := is[key]
		if !ok {
			changes = append(changes, Change{Class: Breaks, Kind: kind, Name: key, Keyword: "name", Was: "present", Now: "absent"})
			continue
		}
		for _, c := range compare(was[key], now) {
			c.Kind, c.Name = kind, key
			changes = append(changes, c)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(is)) {
		if _, ok := was[key]; !ok {
			changes = append(changes, Change{Class: Compatible, Kind: kind, Name: key, Keyword: "name", Was: "absent", Now: "present"})
		}
	}
	return changes
}

func comparePrompt(was, is Prompt) []Change {
	changes := compareWords(text{"title", was.Title, is.Title}, text{"description", was.Description, is.Description})
	before, after := keyed(was.Arguments, func(a Argument) string { return a.Name }), keyed(is.Arguments, func(a Argument) string { return a.Name })
	for _, name := range slices.Sorted(maps.Keys(before)) {
		now, ok := after[name]
		if !ok { // the server rejects or ignores it now
			changes = append(changes, Change{Class: Breaks, Path: member("arguments", name), Keyword: "arguments", Was: "present", Now: "absent"})
			continue
		}
		for _, c := range compareArgument(before[name], now) {
			c.Path = member("arguments", name)
			changes = append(changes, c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, ok := before[name]; ok {
			continue
		}
		c := Change{Class: Compatible, Path: member("arguments", name), Keyword: "arguments", Was: "absent", Now: "optional"}
		if after[name].Required {
			c.Class, c.Now = Breaks, "required"
		}
		changes = append(changes, c)
	}
	return changes
}

func compareArgument(was, is Argument) []Change {
	changes := compareWords(text{"title", was.Title, is.Title}, text{"description", was.Description, is.Description})
	switch {
	case is.Required && !was.Required:
		changes = append(changes, Change{Class: Breaks, Keyword: "required", Was: "optional", Now: "required"})
	case was.Required && !is.Required:
		changes = append(changes, Change{Class: Compatible, Keyword: "required", Was: "required", Now: "optional"})
	}
	return changes
}
