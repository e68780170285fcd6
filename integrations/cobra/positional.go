package cobratools

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// usedWord matches one word of Use: NAME, <name>, [NAME], NAME..., [NAME...] or [NAME]... .
var usedWord = regexp.MustCompile(`^(\[?)<?([A-Za-z][\w-]*)>?(\.\.\.)?(\]?)(\.\.\.)?$`)

// addPositionals adds the positional arguments of a command, which are declared or taken from Use and ValidArgs, and
// reports whether it has any. The functions in Args cannot be inspected. Names are lowercase. If a flag has the name, "_arg"
// is appended.
func (l *line) addPositionals(cmd *cobra.Command, declared []declared) (found bool, err error) {
	args, problem := usedArguments(wordsOf(cmd, declared))
	if len(declared) > 0 {
		if problem == "" && len(args) < len(declared) { // NAME [NAME...]
			problem = "two have the name " + args[len(args)-1].name
		}
		if problem != "" {
			return false, errors.New("Positional: " + problem)
		}
	} else if problem != "" || len(args) == 0 && len(cmd.ValidArgs) > 0 {
		args = []argument{positional("args", true)}
	}
	if len(args) == 1 && len(cmd.ValidArgs) > 0 {
		schema := args[0].schema
		if items, isList := schema["items"].(map[string]any); isList {
			schema = items
		}
		schema["enum"] = withoutHelp(cmd.ValidArgs)
	}
	for i, a := range args {
		for l.has(a.name) {
			a.name += "_arg"
		}
		if a.required && a.schema["type"] == "array" {
			a.schema["minItems"] = 1
		}
		description := "positional, as in: " + cmd.Use
		if len(declared) > 0 {
			description = cmp.Or(strings.TrimSpace(declared[i].description), description)
		}
		describe(a.schema, description)
		l.arguments = append(l.arguments, a)
		if i > 0 && !a.required && !args[i-1].required { // it would become the one before
			l.dependent[a.name] = []string{l.arguments[len(l.arguments)-2].name}
		}
	}
	return len(args) > 0, nil
}

// wordsOf returns the words for positional arguments: the declared words, or else the words of Use.
func wordsOf(cmd *cobra.Command, declared []declared) []string {
	dots := strings.NewReplacer("…", "...", " ...", "...")
	if len(declared) > 0 {
		var words []string
		for _, d := range declared {
			words = append(words, dots.Replace(strings.TrimSpace(d.word)))
		}
		return words
	}
	words := strings.Fields(dots.Replace(cmd.Use))
	return slices.DeleteFunc(words[min(1, len(words)):], func(word string) bool {
		return slices.Contains([]string{"[flags]", "[options]", "[command]"}, strings.ToLower(word))
	})
}

// usedArguments returns the arguments of the words of Use, or a problem: a word has another form, one that is required
// follows one that is not, or one that may be repeated is not the last.
func usedArguments(words []string) (args []argument, problem string) {
	for i, word := range words {
		m := usedWord.FindStringSubmatch(word)
		if m == nil || (m[1] == "") != (m[4] == "") {
			return nil, fmt.Sprintf("%q is not NAME, [NAME], NAME... or [NAME...]", word)
		}
		a := positional(strings.ToLower(m[2]), m[3]+m[5] != "")
		a.required = m[1] == ""
		isList := a.schema["type"] == "array"
		if last := len(args) - 1; last >= 0 {
			same := args[last].name == a.name && isList // NAME [NAME...]
			switch {
			case a.required && !args[last].required:
				return nil, word + " is required, but the argument before it is optional"
			case !same && slices.ContainsFunc(args, func(b argument) bool { return b.name == a.name }):
				return nil, "two have the name " + a.name
			case same:
				a.required, args = args[last].required, args[:last]
			}
		}
		if isList && i < len(words)-1 {
			return nil, word + " may be repeated, but is not the last argument"
		}
		args = append(args, a)
	}
	return args, ""
}

// positional returns the argument for one positional argument, or for all that remain.
func positional(name string, isList bool) argument {
	schema := map[string]any{"type": "string"}
	if isList {
		schema = map[string]any{"type": "array", "items": schema}
	}
	return argument{name: name, schema: schema}
}
