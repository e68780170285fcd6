//go:build unix

package cobratools_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	cobratools "github.com/mcptool-go/mcptool/integrations/cobra"
	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/mcptool"
)

// tools returns the tools of the tests by name.
func tools(tb testing.TB) map[string]*mcptool.Tool {
	tb.Helper()
	list, err := cobratools.Tools(newRoot(), allowed()...)
	if err != nil {
		tb.Fatal(err)
	}
	byName := map[string]*mcptool.Tool{}
	for _, tool := range list {
		byName[tool.Info().Name] = tool
	}
	return byName
}

// call calls a tool and returns the structured part of its result.
func call(t *testing.T, tool *mcptool.Tool, args any) (dumped, error) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	result, err := tool.Call(t.Context(), raw)
	if err != nil {
		return dumped{}, err
	}
	if result.IsError {
		t.Fatalf("%s: %s", raw, textOf(result))
	}
	var d dumped
	structured, _ := result.Structured.(json.RawMessage)
	if err := json.Unmarshal(structured, &d); err != nil {
		t.Fatalf("%s: %v in %s", raw, err, textOf(result))
	}
	return d, nil
}

// textOf returns the text of a result.
func textOf(result *mcptool.Result) string {
	var texts []string
	for _, content := range result.Content {
		if text, ok := content.(mcptool.Text); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n---\n")
}

type object = map[string]any

func TestValues(t *testing.T) {
	t.Parallel()
	types := tools(t)["types"]
	tests := []struct {
		name, reason string
		args         object
		want         dumped
	}{
		{"none", "defaults are left to the flags", object{}, dumped{}},
		{"bool", "a default of true can be changed", object{"bool": false}, dumped{Flags: map[string]string{"bool": "false"}}},
		{"count", "it is a number, not repeated", object{"count": 3}, dumped{Flags: map[string]string{"count": "3"}}},
		{"int", "negative values are not flags", object{"int": -1}, dumped{Flags: map[string]string{"int": "-1"}}},
		{"integral number", "JSON Schema counts 3.0 and 1e2 as integers", object{"int": json.RawMessage("3.0"), "int64": json.RawMessage("1e2")}, dumped{Flags: map[string]string{"int": "3", "int64": "100"}}},
		{"exact integer", "float64 would round it", object{"int64": int64(9007199254740993)}, dumped{Flags: map[string]string{"int64": "9007199254740993"}}},
		{"float", "", object{"float64": 1.25e-9}, dumped{Flags: map[string]string{"float64": "1.25e-09"}}},
		{"duration", "", object{"duration": "1m30s"}, dumped{Flags: map[string]string{"duration": "1m30s"}}},
		{"empty string", "it differs from absent", object{"string": ""}, dumped{Flags: map[string]string{"string": ""}}},
		{"null", "it means absent", object{"string": nil}, dumped{}},
		{"string slice", "pflag reads CSV", object{"string-slice": []string{"a,b", `say "hi"`, "", "two\nlines", " x ", "'"}}, dumped{Flags: map[string]string{"string-slice": "[\"a,b\",\"say \"\"hi\"\"\",,\"two\nlines\",\" x \",']"}}},
		{"string array", "pflag does not read CSV", object{"string-array": []string{"a,b", `"`, ""}}, dumped{Flags: map[string]string{"string-array": `["a,b","""",]`}}},
		{"int slice", "", object{"int-slice": []int{1, -2}}, dumped{Flags: map[string]string{"int-slice": "[1,-2]"}}},
		{"bool slice", "", object{"bool-slice": []bool{true, false}}, dumped{Flags: map[string]string{"bool-slice": "[true,false]"}}},
		{"duration slice", "", object{"duration-slice": []string{"1s", "2m"}}, dumped{Flags: map[string]string{"duration-slice": "[1s,2m0s]"}}},
		{"map", "pflag reads CSV if there are two equal signs", object{"map": object{"a": "1,2", "b": `"q"`, "c": "x=y"}}, dumped{Flags: map[string]string{"map": `["a=1,2","b=""q""",c=x=y]`}}},
		{"map with one entry", "pflag does not read CSV if there is one equal sign", object{"map": object{"a": `1,"2"`}}, dumped{Flags: map[string]string{"map": `["a=1,""2"""]`}}},
		{"int map", "", object{"int-map": object{"a": 1}}, dumped{Flags: map[string]string{"int-map": "[a=1]"}}},
		{"empty lists and maps", "they mean absent", object{"string-array": []string{}, "int-slice": []int{}, "int-map": object{}, "arg": []string{}}, dumped{}},
		{"other types", "they are strings", object{"ip": "::1", "hex": "00ff", "level": "debug"}, dumped{Flags: map[string]string{"ip": "::1", "hex": "00FF", "level": "debug"}}},
		{"flags as values", "a value is part of the word of its flag", object{"string": "--bool=false", "string-array": []string{"-v", "--"}}, dumped{Flags: map[string]string{"string": "--bool=false", "string-array": "[-v,--]"}}},
		{"flags as arguments", "they follow --", object{"arg": []string{"--int=5", "-v", "--help", "--", "config", "view", "", "a b", "$HOME", "*"}}, dumped{Args: []string{"--int=5", "-v", "--help", "--", "config", "view", "", "a b", "$HOME", "*"}}},
		{"arguments only of the parent", "persistent flags are arguments", object{"context": "staging", "verbose": 2}, dumped{Flags: map[string]string{"context": "staging", "verbose": "2"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := call(t, types, test.args)
			if err != nil {
				t.Fatal(err)
			}
			test.want.Command = "demo types"
			if test.want.Args == nil {
				test.want.Args = []string{}
			}
			if test.want.Flags == nil {
				test.want.Flags = map[string]string{}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", test.reason, diff)
			}
		})
	}
}

func TestPositionalArguments(t *testing.T) {
	t.Parallel()
	byName := tools(t)
	tests := []struct {
		name, reason, tool string
		args               object
		want               []string
	}{
		{"one by one", "", "config_set", object{"key": "-k", "value": "--value"}, []string{"-k", "--value"}},
		{"a subcommand as argument", "cobra looks for subcommands before --", "run", object{"arg": []string{"inner", "x"}}, []string{"inner", "x"}},
		{"a list after a required one", "the flag --name has taken the name", "get", object{"kind": "pods", "name_arg": []string{"a", "b"}, "namespace": "n"}, []string{"pods", "a", "b"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := call(t, byName[test.tool], test.args)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Args); diff != "" {
				t.Errorf("%s (-want +got)\n%s", test.reason, diff)
			}
			if want := "demo " + strings.ReplaceAll(test.tool, "_", " "); got.Command != want {
				t.Errorf("%s: %s ran, want %s", test.reason, got.Command, want)
			}
		})
	}
}

// TestPositional declares arguments of a command whose Use names none.
func TestPositional(t *testing.T) {
	t.Parallel()
	list, err := cobratools.Tools(newRoot(), cobratools.AllowJSON("types --bool=true"), cobratools.AllowJSON(" config  set"),
		cobratools.Positional("types", "KIND", "the kind of the objects"), cobratools.Positional(" types ", "[NAME…]", ""),
		cobratools.Positional("config set", "<option>", "the option to change"), cobratools.Positional("config set", "[NEW-VALUE]", "its new value"))
	if err != nil {
		t.Fatal(err)
	}
	type property struct{ Type, Description string }
	want := []map[string]property{
		{"kind": {"string", "the kind of the objects"}, "name": {"array", "positional, as in: types [ARG...]"}},
		{"option": {"string", "the option to change"}, "new-value": {"string", "its new value"}},
	}
	for i, names := range [][]string{{"kind", "name"}, {"option", "new-value"}} {
		var schema struct {
			Properties map[string]property
			Required   []string
		}
		must(json.Unmarshal(list[i].InputSchema().JSON(), &schema))
		maps.DeleteFunc(schema.Properties, func(name string, _ property) bool {
			return want[i][name] == property{} && !slices.Contains([]string{"key", "value"}, name)
		})
		if diff := cmp.Diff(want[i], schema.Properties); diff != "" {
			t.Errorf("%s: properties (-want +got)\n%s", list[i].Info().Name, diff)
		}
		if diff := cmp.Diff(names[:1], schema.Required); diff != "" {
			t.Errorf("%s: required (-want +got)\n%s", list[i].Info().Name, diff)
		}
	}
	got, err := call(t, list[0], object{"name": []string{"--bool=false", "b"}, "kind": "pods"})
	if diff := cmp.Diff([]string{"pods", "--bool=false", "b"}, got.Args); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	got, err = call(t, list[1], object{"option": "a", "new-value": "b"})
	if diff := cmp.Diff([]string{"a", "b"}, got.Args); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if _, err := call(t, list[1], object{"new-value": "b"}); err == nil || !strings.Contains(err.Error(), "option") {
		t.Errorf("without the required argument the error is %v", err)
	}
}

// TestUse has the arguments for a Use: one!, [optional], and list... .
func TestUse(t *testing.T) {
	t.Parallel()
	tests := []struct{ use, want, reason string }{
		{"cmd", "", "arguments that are not documented are not offered"},
		{"cmd [flags]", "", "cobra adds this word"},
		{"cmd SOURCE [TARGET]", "source! target", ""},
		{"cmd <source> [<target>] [options]", "source! target", ""},
		{"cmd [a] [b]", "a b(a)", "an argument cannot be left out before another one"},
		{"cmd NAME...", "name!...", ""},
		{"cmd [NAME...]", "name...", ""},
		{"cmd [NAME]...", "name...", ""},
		{"cmd [NAME ...]", "name...", ""},
		{"cmd NAME [NAME…]", "name!...", "both words are one list"},
		{"cmd [a] [b...]", "a b(a)...", ""},
		{"cmd flag", "flag_arg!", "a flag has the name"},
		{"cmd [a] b", "args...", "which of them is left out is not known"},
		{"cmd a... b", "args...", "where the list ends is not known"},
		{"cmd a a", "args...", "names differ"},
		{"cmd a|b", "args...", "alternatives"},
		{"cmd (a b | c)", "args...", ""},
		{"cmd [string to print]", "args...", ""},
		{"cmd a -- b", "args...", ""},
		{"cmd [a", "args...", ""},
	}
	for _, test := range tests {
		root := &cobra.Command{Use: "app"}
		cmd := &cobra.Command{Use: test.use, Run: dump}
		cmd.Flags().Bool("flag", false, "")
		root.AddCommand(cmd)
		list, err := cobratools.Tools(root, cobratools.Allow("cmd"))
		if err != nil {
			t.Errorf("%s: %v", test.use, err)
			continue
		}
		var schema struct {
			Properties map[string]struct{ Type string }
			Required   []string
			Dependent  map[string][]string `json:"dependentRequired"`
		}
		must(json.Unmarshal(list[0].InputSchema().JSON(), &schema))
		delete(schema.Properties, "flag")
		var got []string
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			word := name
			if slices.Contains(schema.Required, name) {
				word += "!"
			}
			if before := schema.Dependent[name]; before != nil {
				word += "(" + strings.Join(before, " ") + ")"
			}
			if schema.Properties[name].Type == "array" {
				word += "..."
			}
			got = append(got, word)
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: got %q, want %q; %s", test.use, got, test.want, test.reason)
		}
	}
}

// TestRefusedArguments has arguments that fit no command line. The command does not run.
func TestRefusedArguments(t *testing.T) {
	t.Parallel()
	byName := tools(t)
	tests := []struct {
		name, reason, tool string
		args               object
		want               string
	}{
		{"unknown flag", "a fixed flag is not an argument", "get", object{"kind": "pods", "namespace": "n", "output": "table"}, "output"},
		{"hidden flag", "", "get", object{"kind": "pods", "namespace": "n", "internal": true}, "internal"},
		{"deprecated flag", "", "get", object{"kind": "pods", "namespace": "n", "old": true}, "old"},
		{"missing flag", "MarkFlagRequired", "get", object{"kind": "pods"}, "namespace"},
		{"missing argument", "KIND is not in brackets", "get", object{"namespace": "n"}, "kind"},
		{"not a choice", "NoFileComp means that there are no other values", "get", object{"kind": "pods", "namespace": "n", "sort": "size"}, "age"},
		{"half of a group", "MarkFlagsRequiredTogether", "groups", object{"user": "ada"}, "password"},
		{"not a valid argument", "ValidArgs", "groups", object{"token": "t", "args": []string{"green"}}, "blue"},
		{"NUL", "a command line cannot contain it", "types", object{"string": "a\x00b"}, "NUL"},
		{"equal sign in a key", "it would end the key", "types", object{"map": object{"a=b": "c"}}, "equal sign"},
		{"empty list", "without the flag its default would apply", "types", object{"string-slice": []string{}}, "string-slice"},
		{"empty map", "without the flag its default would apply", "types", object{"map": object{}}, "map"},
		{"flag as a number", "", "types", object{"int": "5 --bool=false"}, "int"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got, err := call(t, byName[test.tool], test.args); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: got %v, %v; want an error with %q", test.reason, got, err, test.want)
			}
		})
	}
}

// TestMistakes has all mistakes in one error, as the author of an application reads them.
func TestMistakes(t *testing.T) {
	t.Parallel()
	file := golden.Open(t, "testdata/mistakes.txt")
	_, none := cobratools.Tools(newRoot())
	file.Check(t, "no command", none.Error())

	root := newRoot()
	root.AddCommand(&cobra.Command{Use: "config_view", Run: dump}, &cobra.Command{Use: "bad:name", Run: dump})
	_, commands := cobratools.Tools(root,
		cobratools.Allow("gte"), cobratools.Allow("config edit"), cobratools.Allow("config"), cobratools.Allow(""),
		cobratools.Allow("config old"), cobratools.Allow("secret inner"), cobratools.Allow("raw"), cobratools.Allow("bad:name"),
		cobratools.Allow("get --format=json --color=no"), cobratools.Allow("get --limit"), cobratools.Allow("config view"), cobratools.Allow("config_view"),
		cobratools.Allow("fail", mcptool.Timeout(-1)), cobratools.MaxOutputBytes(0), cobratools.Omit("context", "contxt", "namespace"), cobratools.Allow("get"),
	)
	file.Check(t, "commands", regexp.MustCompile(`[^ ]*tools_test.go:[0-9]+`).ReplaceAllString(commands.Error(), "tools_test.go"))

	_, positionals := cobratools.Tools(newRoot(),
		cobratools.Allow("types"), cobratools.Positional("types", "KIND | NAME", ""),
		cobratools.Allow("get"), cobratools.Positional("get", "[KIND]", ""), cobratools.Positional("get", "NAME", ""),
		cobratools.Allow("run"), cobratools.Positional("run", "ARG...", ""), cobratools.Positional("run", "[LAST]", ""),
		cobratools.Allow("config set"), cobratools.Positional("config set", "KEY", ""), cobratools.Positional("config set", "key...", ""),
		cobratools.Allow("fail"), cobratools.Positional("fial", "NAME", ""))
	file.Check(t, "positional arguments", positionals.Error())

	root = newRoot()
	root.PersistentFlags().StringToString("labels", nil, "")
	root.PersistentFlags().StringSlice("zones", nil, "")
	must(root.PersistentFlags().Set("labels", "a=b"))
	must(root.PersistentFlags().Set("zones", "a,b"))
	_, set := cobratools.Tools(root, cobratools.Allow("fail"))
	file.Check(t, "flags that cannot be passed on", set.Error())

	root = &cobra.Command{Use: "demo", TraverseChildren: true}
	run := &cobra.Command{Use: "run [ARG...]", Run: dump}
	inner := &cobra.Command{Use: "inner", Run: dump}
	root.AddCommand(run)
	run.AddCommand(inner)
	_, traverse := cobratools.Tools(root, cobratools.Allow("run"), cobratools.Allow("run inner"))
	file.Check(t, "arguments that are commands", traverse.Error())
	if cmd, _, err := root.Traverse([]string{"run", "--", "x", "inner"}); err != nil || cmd != inner {
		t.Errorf("cobra finds %v, %v; it no longer looks for commands after --, so the rule can go", cmd, err)
	}
}

// TestFlagsThatAreSet passes flags of the server on to the commands.
func TestFlagsThatAreSet(t *testing.T) {
	t.Parallel()
	root := newRoot()
	must(root.PersistentFlags().Set("context", "staging"))
	must(root.PersistentFlags().Set("verbose", "2"))
	list, err := cobratools.Tools(root, cobratools.AllowJSON("types --int=7"), cobratools.Omit("hex"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := call(t, list[0], object{"bool": false})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"context": "staging", "verbose": "2", "int": "7", "bool": "false"}
	if diff := cmp.Diff(want, got.Flags); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, name := range []string{"context", "verbose", "int", "hex"} {
		if strings.Contains(list[0].InputSchema().String(), `"`+name+`"`) {
			t.Errorf("--%s is an argument", name)
		}
	}
}

// TestServingCommand calls Tools while the application executes, which adds commands to it.
func TestServingCommand(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "demo"}
	var err error
	serve := &cobra.Command{Use: "serve", Run: func(cmd *cobra.Command, _ []string) {
		_, err = cobratools.Tools(cmd.Root(), cobratools.Allow("serve"), cobratools.Allow("help"), cobratools.Allow("completion bash"))
	}}
	root.AddCommand(serve)
	root.SetArgs([]string{"serve"})
	must(root.Execute())
	for _, want := range []string{"serve\": it is the command that starts the server", "demo help is hidden, deprecated or built into cobra", "demo completion is hidden, deprecated or built into cobra"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestEmptyLists checks that a list may be empty only if the command accepts that it is absent.
func TestEmptyLists(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "demo"}
	tag := &cobra.Command{Use: "tag FILE...", Run: func(*cobra.Command, []string) {}}
	root.AddCommand(tag)
	for _, name := range []string{"free", "required", "with", "other", "one", "another", "this", "that"} {
		tag.Flags().StringSlice(name, nil, "")
	}
	if err := tag.MarkFlagRequired("required"); err != nil {
		t.Fatal(err)
	}
	tag.MarkFlagsRequiredTogether("with", "other")
	tag.MarkFlagsOneRequired("one", "another")
	tag.MarkFlagsMutuallyExclusive("this", "that")
	list, err := cobratools.Tools(root, cobratools.Allow("tag"))
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct{ MinItems int }
	}
	if err := json.Unmarshal(list[0].InputSchema().JSON(), &schema); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for name, property := range schema.Properties {
		got[name] = property.MinItems
	}
	want := map[string]int{"free": 0, "required": 1, "with": 1, "other": 1, "one": 1, "another": 1, "this": 0, "that": 0, "file": 1}
	if !maps.Equal(got, want) {
		t.Errorf("minItems is %v, want %v", got, want)
	}
}
