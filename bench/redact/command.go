package redact

import (
	"iter"
	"slices"
	"strings"
)

// Command returns a command line as one text, without the secrets in it: values of flags and variables whose names say so,
// and what has the shape of a secret.
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

// An argument is one element of a command line, and the value in it.
type argument struct {
	text   string // the whole element
	name   string // of the flag or variable that has the value; "" if there is none
	inline bool   // name and value are in one element: NAME=VALUE, --flag=VALUE
	value  string // text, or of an inline one what is after the =
}

// isSecret reports whether the value is a secret because of its name, or because it looks random. A value in an element of
// its own is judged by the name alone: the flag before it may be one without a value.
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

// A commandReader reads the elements of a command line one by one.
type commandReader struct {
	flag string // whose value the next element may be; "" for none
}

// next returns the next element. A flag without = has the element after it as its value, unless that is a flag too.
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

// givenSecret reports whether a value that was given to a server under a name is a secret: because of the name, or because
// it looks random and the name does not say why.
func givenSecret(name, value string) bool {
	return Secret(name, value) ||
		looksRandom(value) && !slices.ContainsFunc(split(name), func(w string) bool { return slices.Contains(notRandom, w) })
}
