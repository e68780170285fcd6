package cobratools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// line is the command line of a tool.
type line struct {
	path      []string   // the names of the commands
	fixed     []string   // flags that are not arguments
	arguments []argument // flags by name, then the positional arguments
	dependent map[string][]string
	rules     string // about several flags, for the description, because clients do not accept them in schemas
}

// newLine derives the arguments of a command. Flags in fixed, and flags that are set, are not arguments.
func (c *config) newLine(cmd *cobra.Command, path []string, fixed map[string]string) (*line, error) {
	l := &line{path: path, dependent: map[string][]string{}}
	var mistakes []error
	cmd.InheritedFlags() // adds the persistent flags of the parents to cmd.Flags()
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		if cmd.Flags().Lookup(name) == nil {
			mistakes = append(mistakes, fmt.Errorf("it has no flag --%s", name))
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value, isFixed := fixed[f.Name]
		c.found[f.Name] = true
		switch {
		case isFixed:
			l.fixed = append(l.fixed, "--"+f.Name+"="+value)
		case f.Changed:
			word, err := setWord(f)
			l.fixed, mistakes = append(l.fixed, word), append(mistakes, err)
		case f.Name == "help", f.Annotations[cobra.FlagSetByCobraAnnotation] != nil:
		case !f.Hidden && f.Deprecated == "" && !slices.Contains(c.omitted, f.Name):
			l.arguments = append(l.arguments, flagArgument(cmd, f))
		case isRequired(f):
			mistakes = append(mistakes, fmt.Errorf("--%s is required, so it must be an argument, or have a value in Allow", f.Name))
		}
	})
	l.addGroups(cmd)
	hasPositionals, err := l.addPositionals(cmd, c.declared[strings.Join(path, " ")])
	mistakes = append(mistakes, err)
	if hasPositionals && cmd.HasSubCommands() && cmd.Root().TraverseChildren {
		mistakes = append(mistakes, errors.New("it has positional arguments and subcommands, and with TraverseChildren "+
			`cobra looks for subcommands after "--", so an argument could select a command that is not allowed`))
	}
	return l, errors.Join(mistakes...)
}

// setWord returns the word for a flag that has been set in this process.
func setWord(f *pflag.Flag) (string, error) {
	if _, isList := f.Value.(pflag.SliceValue); isList || strings.HasPrefix(f.Value.Type(), "stringTo") {
		return "", fmt.Errorf("--%s is set, but lists and maps cannot be passed on", f.Name)
	}
	return "--" + f.Name + "=" + f.Value.String(), nil
}

// has reports whether the flag of a name is an argument.
func (l *line) has(name string) bool {
	return slices.ContainsFunc(l.arguments, func(a argument) bool { return a.name == name })
}

// Annotations of MarkFlagsRequiredTogether and so on, which cobra does not export.
const (
	requiredTogether  = "cobra_annotation_required_if_others_set"
	mutuallyExclusive = "cobra_annotation_mutually_exclusive"
	oneRequired       = "cobra_annotation_one_required"
)

// addGroups adds the rules about several flags that are arguments.
func (l *line) addGroups(cmd *cobra.Command) {
	var rules []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		groups := func(annotation string) (groups [][]string) {
			for _, group := range f.Annotations[annotation] {
				groups = append(groups, slices.DeleteFunc(strings.Fields(group), func(name string) bool { return !l.has(name) }))
			}
			return groups
		}
		for _, group := range groups(requiredTogether) {
			for _, other := range group {
				if l.has(f.Name) && other != f.Name && !slices.Contains(l.dependent[f.Name], other) {
					l.dependent[f.Name] = append(l.dependent[f.Name], other)
				}
			}
		}
		for _, group := range groups(mutuallyExclusive) {
			if len(group) > 1 {
				rules = append(rules, "At most one of: "+strings.Join(group, ", "))
			}
		}
		for _, group := range groups(oneRequired) {
			if len(group) > 0 {
				rules = append(rules, "At least one of: "+strings.Join(group, ", "))
			}
		}
	})
	slices.Sort(rules)
	l.rules = strings.Join(slices.Compact(rules), "\n")
}

// schema returns the input schema of the tool.
func (l *line) schema() json.RawMessage {
	properties, required := map[string]any{}, []string{}
	for _, a := range l.arguments {
		properties[a.name] = a.schema
		if a.required {
			required = append(required, a.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	if len(l.dependent) > 0 {
		schema["dependentRequired"] = l.dependent
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		return json.RawMessage(err.Error()) // unreachable; NewRaw would refuse it
	}
	return raw
}

// argv returns the words for arguments that fit the schema: the commands, the flags, "--", the positional arguments.
func (l *line) argv(raw json.RawMessage) ([]string, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var values map[string]any
	if err := dec.Decode(&values); err != nil {
		return nil, err
	}
	flags, positionals := slices.Concat(l.path, l.fixed), []string{"--"}
	for _, a := range l.arguments {
		value := values[a.name]
		if value == nil {
			continue
		}
		words, err := a.words(value)
		all := strings.Join(words, "")
		switch {
		case err != nil:
			return nil, err
		case strings.Contains(all, "\x00"):
			return nil, fmt.Errorf("%s contains a NUL character, which a command line cannot contain", a.name)
		case a.isCSV() && strings.Contains(all, "\r\n"):
			return nil, fmt.Errorf("%s contains a line end of two characters, \\r\\n, which would be read as \\n", a.name)
		case a.flag != nil:
			flags = append(flags, words...)
		default:
			positionals = append(positionals, words...)
		}
	}
	if len(positionals) == 1 {
		return flags, nil
	}
	return append(flags, positionals...), nil
}
