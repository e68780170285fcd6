package cobratools

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// usedWord matches one word of Use: NAME, <name>, [NAME], NAME..., [NAME...] or [NAME]... .
var usedWord = regexp.MustCompile(`^(\[?)<?([A-Za-z][\w-]*)>?(\.\.\.)?(\]?)(\.\.\.)?$`)

// addPositionals adds the positional arguments of a command, from Use and ValidArgs, and reports whether it has any. The
// functions in Args cannot be inspected. Names are lowercase. If a flag has the name, "_arg" is appended.
func (l *line) addPositionals(cmd *cobra.Command) bool {
	use := strings.NewReplacer("…", "...", " ...", "...").Replace(cmd.Use)
	words := slices.DeleteFunc(strings.Fields(use)[min(1, len(strings.Fields(use))):], func(word string) bool {
		return slices.Contains([]string{"[flags]", "[options]", "[command]"}, strings.ToLower(word))
	})
	args, ok := usedArguments(words)
	if !ok || len(args) == 0 && len(cmd.ValidArgs) > 0 {
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
		describe(a.schema, "positional, as in: "+cmd.Use)
		l.arguments = append(l.arguments, a)
		if i > 0 && !a.required && !args[i-1].required { // it would become the one before
			l.dependent[a.name] = []string{l.arguments[len(l.arguments)-2].name}
		}
	}
	return len(args) > 0
}

// usedArguments returns the arguments of the words of Use. It returns false if a word has another form, if one that is
// required follows one that is not, or if one that may be repeated is not the last.
func usedArguments(words []string) (args []argument, ok bool) {
	for i, word := range words {
		m := usedWord.FindStringSubmatch(word)
		if m == nil || (m[1] == "") != (m[4] == "") {
			return nil, false
		}
		a := positional(strings.ToLower(m[2]), m[3]+m[5] != "")
		a.required = m[1] == ""
		isList := a.schema["type"] == "array"
		if last := len(args) - 1; last >= 0 {
			same := args[last].name == a.name && isList // NAME [NAME...]
			if a.required && !args[last].required || !same && slices.ContainsFunc(args, func(b argument) bool { return b.name == a.name }) {
				return nil, false
			}
			if same {
				a.required, args = args[last].required, args[:last]
			}
		}
		if isList && i < len(words)-1 {
			return nil, false
		}
		args = append(args, a)
	}
	return args, true
}

// positional returns the argument for one positional argument, or for all that remain.
func positional(name string, isList bool) argument {
	schema := map[string]any{"type": "string"}
	if isList {
		schema = listOf(schema)
	}
	return argument{name: name, schema: schema}
}
