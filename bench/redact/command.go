package redact

import (
	"iter"
	"slices"
	"strings"
)

// Command returns a command line as text without secrets: values of flags and variables with secret names, and text in
// the form of a secret.
func Command(args []string) string {
	var shown []string
	for a := range commandLine(args) {
		switch {
		case a.isSecret() && a.inline:
			shown = append(shown, a.name+"="+Hidden)
		case a.isSecret():
			shown = append(shown, Hidden)
		default:
			shown = append(shown, Text(a.text))
		}
	}
	return strings.Join(shown, " ")
}

// An argument is an element of a command line with its value.
type argument struct {
	text   string // the whole element
	name   string // name of the flag or variable with the value; "" if there is none
	inline bool   // name and value are in one element: NAME=VALUE, --flag=VALUE
	value  string // text, or the part after = if inline
}

// isSecret reports whether the value is a secret because of its name, or because it looks random. A separate value is
// judged by the name alone, since the flag before it may not take a value.
func (a argument) isSecret() bool {
	if a.inline {
		return givenSecret(a.name, a.value)
	}
	return a.name != "" && Secret(a.name, a.value)
}

// commandLine yields the elements of a command line.
func commandLine(args []string) iter.Seq[argument] {
	return func(yield func(argument) bool) {
		var r commandReader
		for _, text := range args {
			if !yield(r.next(text)) {
				return
			}
		}
	}
}

// A commandReader parses the elements of a command line one by one.
type commandReader struct {
	flag string // the flag before the next element, which may be its value; "" for none
}

// next returns the next element. The element after a flag without = is its value, unless it is also a flag.
func (r *commandReader) next(text string) argument {
	flag := r.flag
	r.flag = ""
	name, value, ok := strings.Cut(text, "=")
	switch {
	case ok && flagName.MatchString(name):
		return argument{text: text, name: name, inline: true, value: value}
	case strings.HasPrefix(text, "-"):
		if !ok {
			r.flag = text
		}
		return argument{text: text, value: text}
	default:
		return argument{text: text, name: flag, value: text}
	}
}

// givenSecret reports whether a named value passed to a server is a secret: because of the name, or because it looks
// random and the name does not explain that.
func givenSecret(name, value string) bool {
	return Secret(name, value) ||
		looksRandom(value) && !slices.ContainsFunc(split(name), func(w string) bool { return slices.Contains(notRandom, w) })
}
