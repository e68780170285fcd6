package cobratools

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// argument is an argument of a tool: a flag, or positional arguments.
type argument struct {
	name     string
	schema   map[string]any
	required bool
	flag     *pflag.Flag // nil for positional arguments
}

// jsonTypes maps the types of flags to JSON types. Any other type is a string.
var jsonTypes = map[string]string{
	"bool": "boolean", "boolfunc": "boolean", "float32": "number", "float64": "number", "count": "integer",
	"int": "integer", "int8": "integer", "int16": "integer", "int32": "integer", "int64": "integer",
	"uint": "integer", "uint8": "integer", "uint16": "integer", "uint32": "integer", "uint64": "integer",
}

// flagArgument returns the argument for a flag.
func flagArgument(cmd *cobra.Command, f *pflag.Flag) argument {
	elem, isList := strings.CutSuffix(f.Value.Type(), "Slice")
	elem, isMap := strings.CutPrefix(elem, "stringTo")
	if _, ok := f.Value.(pflag.SliceValue); ok && !isList {
		elem, isList = "string", true // stringArray, or a type of the program
	}
	schema := map[string]any{"type": "string"}
	if name, ok := jsonTypes[strings.ToLower(elem)]; ok {
		schema["type"] = name
	}
	_, usage := pflag.UnquoteUsage(f)
	choices, only := flagChoices(cmd, f)
	switch {
	case len(choices) > 0 && only:
		schema["enum"] = choices
	case len(choices) > 0:
		usage += " (for example " + strings.Join(choices, ", ") + ")"
	case elem == "duration":
		usage += " (a duration such as 1m30s)"
	}
	switch value := f.DefValue; {
	case slices.Contains([]string{"", "false", "0", "0s", "<nil>", "[]"}, value): // as in the help
	case isList || isMap || !only && len(choices) > 0:
		usage += " (default " + value + ")"
	case schema["type"] == "string" && (!only || slices.Contains(choices, value)):
		schema["default"] = value
	case schema["type"] != "string" && json.Valid([]byte(value)):
		schema["default"] = json.RawMessage(value)
	}
	switch {
	case isList:
		schema = map[string]any{"type": "array", "items": schema}
		if !mayBeEmpty(f) {
			schema["minItems"] = 1
		}
	case isMap:
		schema = map[string]any{"type": "object", "additionalProperties": schema}
		if !mayBeEmpty(f) {
			schema["minProperties"] = 1
		}
	}
	describe(schema, usage)
	return argument{f.Name, schema, isRequired(f), f}
}

// isRequired reports whether MarkFlagRequired was called for a flag.
func isRequired(f *pflag.Flag) bool {
	return slices.Contains(f.Annotations[cobra.BashCompOneRequiredFlag], "true")
}

// mayBeEmpty reports whether the list or map of a flag may be empty. No command line has an empty one, so the flag is left
// out, which must mean the same: it has no default, and neither it nor its group is required.
func mayBeEmpty(f *pflag.Flag) bool {
	return (f.DefValue == "" || f.DefValue == "[]") && !isRequired(f) &&
		f.Annotations[requiredTogether] == nil && f.Annotations[oneRequired] == nil
}

// flagChoices returns the values that a flag completes to, and whether no other values are valid. It calls only
// completion functions made by cobra.FixedCompletions. The results of others may depend on a server, and change.
func flagChoices(cmd *cobra.Command, f *pflag.Flag) (choices []string, only bool) {
	complete, ok := cmd.GetFlagCompletionFunc(f.Name)
	if !ok || !strings.Contains(runtime.FuncForPC(reflect.ValueOf(complete).Pointer()).Name(), "FixedCompletions.func") {
		return nil, false
	}
	values, directive := complete(cmd, nil, "")
	return withoutHelp(values), directive&cobra.ShellCompDirectiveNoFileComp != 0
}

// withoutHelp returns completions without their descriptions.
func withoutHelp(completions []string) []string {
	var values []string
	for _, c := range completions {
		value, _, _ := strings.Cut(c, "\t")
		values = append(values, value)
	}
	return values
}

// words returns the words of the command line for a value that fits the schema.
func (a argument) words(value any) ([]string, error) {
	switch value := value.(type) {
	case []any:
		var words []string
		for _, v := range value {
			words = append(words, a.word(text(v)))
		}
		return words, nil
	case map[string]any:
		var pairs []string
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if strings.ContainsAny(key, "=,") {
				return nil, fmt.Errorf("%s: the key %q contains an equal sign or a comma", a.name, key)
			}
			pairs = append(pairs, csvField(key+"="+text(value[key])))
		}
		if len(pairs) == 0 {
			return nil, nil
		}
		if len(pairs) == 1 { // with fewer than two equal signs, pflag does not read CSV
			pairs = append(pairs, pairs[0])
		}
		return []string{"--" + a.name + "=" + strings.Join(pairs, ",")}, nil
	}
	return []string{a.word(text(value))}, nil
}

// word returns one word. That of a flag has its name, so that the value cannot be read as another flag.
func (a argument) word(value string) string {
	switch {
	case a.flag == nil:
		return value
	case a.isCSV():
		value = csvField(value)
	}
	return "--" + a.name + "=" + value
}

// isCSV reports whether pflag reads values of the flag as CSV.
func (a argument) isCSV() bool {
	return a.flag != nil && slices.Contains([]string{"stringSlice", "stringToString"}, a.flag.Value.Type())
}

// csvField quotes a field of CSV if that is necessary.
func csvField(s string) string {
	if s != "" && !strings.ContainsAny(s, "\",\r\n") {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// text writes a scalar for a command line. Flags do not read integers such as 3.0 or 1e2, which JSON Schema allows.
func text(value any) string {
	n, _ := value.(json.Number)
	if f, err := n.Float64(); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}
