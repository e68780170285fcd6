package transcript

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// more is the member that allows an expected object to have other members.
const more = "<more>"

// match compares a value with the expected one, and returns the first path at which they differ.
func match(path string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		return matchObject(path, want, got)
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return differ(path, want, got)
		}
		for i := range want {
			if err := match(fmt.Sprintf("%s[%d]", path, i), want[i], list[i]); err != nil {
				return err
			}
		}
		return nil
	case string:
		return matchString(path, want, got)
	default:
		if want != got {
			return differ(path, want, got)
		}
		return nil
	}
}

func matchObject(path string, want map[string]any, got any) error {
	object, ok := got.(map[string]any)
	if !ok {
		return differ(path, want, got)
	}
	for _, name := range sortedNames(want, object) {
		w, wanted := want[name]
		g, there := object[name]
		switch {
		case name == more:
		case !wanted:
			if _, open := want[more]; !open {
				return fmt.Errorf("unexpected member %s.%s: %s", path, name, show(g))
			}
		case !there:
			return fmt.Errorf("%s.%s is missing", path, name)
		default:
			if err := match(path+"."+name, w, g); err != nil {
				return err
			}
		}
	}
	return nil
}

// matchString compares with a string, which may be a placeholder.
func matchString(path, want string, got any) error {
	var ok bool
	pattern, isMatch := strings.CutPrefix(want, "<match ")
	switch {
	case isMatch:
		text, isString := got.(string)
		re, err := regexp.Compile(`^(?s:` + strings.TrimSuffix(pattern, ">") + `)$`)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		ok = isString && re.MatchString(text)
	case want == "<any>":
		ok = true
	case want == "<string>", strings.HasPrefix(want, "<take "):
		_, ok = got.(string)
	case want == "<number>":
		_, ok = got.(json.Number)
	case want == "<object>":
		_, ok = got.(map[string]any)
	default:
		ok = want == got
	}
	if !ok {
		return differ(path, want, got)
	}
	return nil
}

// take collects the strings that an expected message takes from one that matches it.
func take(want, got any, taken map[string]string) {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for name, w := range want {
			take(w, object[name], taken)
		}
	case []any:
		list, _ := got.([]any)
		for i, w := range want {
			take(w, list[i], taken)
		}
	case string:
		if name, ok := strings.CutPrefix(want, "<take "); ok {
			taken[strings.TrimSuffix(name, ">")], _ = got.(string)
		}
	}
}

func differ(path string, want, got any) error {
	return fmt.Errorf("%s is %s, want %s", path, show(got), show(want))
}

func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// sortedNames returns the names in either object, in order.
func sortedNames(a, b map[string]any) []string {
	var names []string
	for _, object := range []map[string]any{a, b} {
		for name := range object {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
