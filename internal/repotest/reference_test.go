package repotest_test

import (
	"flag"
	"fmt"
	"go/doc"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

const reference = "docs/reference.md"

// TestReference compares docs/reference.md with what it is made of: the tables of the package documentation, the options
// in api, the members of structs with their defaults, and the help of bench. With -update it is rewritten.
func TestReference(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Reference\n\n<!-- written by go test ./internal/repotest -run TestReference -update -->\n\n" +
		"Tags, options, limits and commands, one line each. The package documentation has the details: run `go doc` in your module, with the path of the " +
		"package below `github.com/mcptool-go`, as in `go doc mcptool/runtime.Server` or `go doc mcptool/mcptool.NewResource`.\n")
	table := func(title, intro string, header []string, rows [][]string) {
		fmt.Fprintf(&b, "\n## %s\n\n", title)
		if intro != "" {
			b.WriteString(intro + "\n\n")
		}
		writeRow(&b, header)
		writeRow(&b, slices.Repeat([]string{"---"}, len(header)))
		for _, row := range rows {
			writeRow(&b, row)
		}
		if len(rows) < 3 {
			t.Errorf("%s: %d rows", title, len(rows))
		}
	}
	table("Settings of tools, prompts and resources", "In the tag of a blank field of the argument struct: `mcp:\"name=get_weather,readOnly\"`, "+
		"or by an option of package `mcptool`. For an item of another kind the option does not compile, and the key is a mistake. Of a setting of all kinds, tool also means prompt and resource.", []string{"In the tag", "Option", "Of", "Default", "Meaning"}, settingRows(t))
	table("Keywords of the jsonschema tag", "On fields: `jsonschema:\"minimum=1,maximum=9\"`. [Arguments and results](arguments.md#constraints) explains them.",
		[]string{"Keyword", "On", "Meaning"}, tagRows(t, "reflectschema", "title=TEXT", 3))
	table("Options of stdio", "", []string{"Option of `stdio`", "Meaning"}, optionRows(t, "stdio", "Option"))
	table("Options of HTTP", "", []string{"Option of `streamhttp`", "Meaning"}, optionRows(t, "streamhttp", "Option"))
	table("Options of HTTP servers", "Only `streamhttp.Serve` and `streamhttp.ListenAndServe` take them.", []string{"Option of `streamhttp`", "Meaning"}, optionRows(t, "streamhttp", "ServeOption"))
	table("Server", "The members of `runtime.Server`. The zero value of each is valid.", []string{"Member", "Meaning"}, memberRows(t, "Server", reflect.TypeFor[runtime.Server](), nil))
	limits := runtime.Internal(private.Key{}).Limits(runtime.Limits{})
	header := []string{"Member", "Default", "Meaning"}
	table("Limits", "The members of `runtime.Limits`. Zero means the default. Each default has its reason in [SECURITY.md](../SECURITY.md#defaults).",
		header, memberRows(t, "Limits", reflect.TypeFor[runtime.Limits](), defaultsOf(limits)))
	perCaller := memberRows(t, "CallerLimits", reflect.TypeFor[runtime.CallerLimits](), defaultsOf(limits.PerCaller))
	tasks := memberRows(t, "TaskLimits", reflect.TypeFor[runtime.TaskLimits](), defaultsOf(limits.Tasks))
	for _, row := range perCaller {
		row[0] = strings.Replace(row[0], "`", "`PerCaller.", 1)
	}
	for _, row := range tasks {
		row[0] = strings.Replace(row[0], "`", "`Tasks.", 1)
	}
	table("Limits of one caller, and of tasks", "", header, append(perCaller, tasks...))
	table("Commands of bench", "`bench COMMAND --help` lists the flags. [bench/README.md](../bench/README.md) explains them.", []string{"Command", "Does"}, commandRows(t))

	text, was := b.String(), ""
	if old, err := os.ReadFile(reference); err == nil {
		was = string(old)
	}
	if update := flag.Lookup("update"); was != text && update.Value.String() == "true" {
		if err := os.WriteFile(reference, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if was != text {
		t.Errorf("%s is not what the code says; go test ./internal/repotest -run TestReference -update rewrites it", reference)
	}
}

func writeRow(b *strings.Builder, cells []string) {
	for _, cell := range cells {
		b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
	}
	b.WriteString("|\n")
}

var columns = regexp.MustCompile(` {2,}`)

// tagRows returns the rows of the preformatted table in the documentation of a package whose first cell is first.
func tagRows(t *testing.T, dir, first string, width int) [][]string {
	t.Helper()
	_, table, ok := strings.Cut(docsOf(t, dir)[""], "\n\t"+first)
	if !ok {
		t.Fatalf("the documentation of %s has no table that begins with %s", dir, first)
	}
	var rows [][]string
	for line := range strings.Lines("\t" + first + table) {
		line, inside := strings.CutPrefix(strings.TrimRight(line, "\n"), "\t")
		if !inside {
			break
		}
		cells := columns.Split(line, width)
		if len(cells) != width {
			t.Errorf("%s: %q has not %d columns", dir, line, width)
			continue
		}
		cells[0] = "`" + cells[0] + "`"
		if strings.ToUpper(cells[1][:1]) == cells[1][:1] {
			cells[1] = "`" + dir + "." + cells[1] + "`"
		}
		rows = append(rows, cells)
	}
	return rows
}

// option matches a func that returns an option; the third group is the type.
var option = regexp.MustCompile(`(?m)^func (\w+)(.*) ((?:Tool|Prompt|Resource|Serve)?Option|interface \{ .*\})$`)

// settingRows returns the options of package mcptool, beginning with those that the mcp tag can set, in the order of its
// table. The type of an option is the item it applies to, and its documentation has one sentence about its default.
func settingRows(t *testing.T) [][]string {
	t.Helper()
	keys, docs := tagRows(t, "mcptool", "name=get_weather", 3), docsOf(t, "mcptool")
	tagged, untagged := make([][]string, len(keys)), [][]string(nil)
	for _, match := range option.FindAllStringSubmatch(readText(t, "api/mcptool.txt"), -1) {
		name := match[1]
		var kinds []string
		for _, kind := range []string{"Tool", "Prompt", "Resource"} {
			if match[3] == "Option" || strings.Contains(match[3], kind+"Option") {
				kinds = append(kinds, strings.ToLower(kind)+"s")
			}
		}
		unset := theDefault.FindStringSubmatch(strings.Join(strings.Fields(docs[name]), " ") + " ")
		if unset == nil {
			t.Errorf("the documentation of the option %s has no sentence that begins with The default or By default", name)
			continue
		}
		if len(kinds) == 3 {
			kinds = []string{"all"}
		}
		row := []string{"", signature(match), strings.Join(kinds, ", "), docLink.ReplaceAllString(unset[1], "`$1`"), firstSentence(name, docs[name])}
		if i := slices.IndexFunc(keys, func(key []string) bool { return key[1] == "`mcptool."+name+"`" }); i >= 0 {
			row[0], tagged[i] = keys[i][0], row
		} else {
			untagged = append(untagged, row)
		}
	}
	return append(tagged, untagged...)
}

// theDefault matches the sentence about the default of an option.
var theDefault = regexp.MustCompile(`(?:By default (?:it is )?|The default (?:is )?|There is no default: )(.*?)\. `)

// signature returns the name and the parameters of a func that option has matched.
func signature(match []string) string {
	if text := match[1] + match[2]; len(text) <= 60 {
		return "`" + text + "`"
	}
	return "`" + match[1] + "(…)`"
}

// optionRows returns the options of a package that have this type, from api.
func optionRows(t *testing.T, dir, typ string) [][]string {
	t.Helper()
	var rows [][]string
	for _, match := range option.FindAllStringSubmatch(readText(t, "api/"+dir+".txt"), -1) {
		if match[3] == typ {
			rows = append(rows, []string{signature(match), firstSentence(match[1], docsOf(t, dir)[match[1]])})
		}
	}
	return rows
}

// memberRows returns the exported members of a struct of package runtime, with their defaults, if any.
func memberRows(t *testing.T, name string, typ reflect.Type, defaults map[string]string) [][]string {
	t.Helper()
	var rows [][]string
	for i := range typ.NumField() {
		field := typ.Field(i)
		if !field.IsExported() {
			continue
		}
		text := docsOf(t, "runtime")[name+"."+field.Name]
		row := []string{"`" + field.Name + "`"}
		if defaults != nil {
			row = append(row, defaults[field.Name])
		}
		if text == "" && len(rows) > 0 { // the comment of the member before is about both
			row[0] = rows[len(rows)-1][0] + ", " + row[0]
			row = append(row, rows[len(rows)-1][1:]...)[:len(rows[len(rows)-1])]
			rows[len(rows)-1] = row
			continue
		}
		rows = append(rows, append(row, firstSentence(field.Name, text)))
	}
	return rows
}

// defaultsOf returns the members of a struct as text.
func defaultsOf(limits any) map[string]string {
	texts := map[string]string{}
	value := reflect.ValueOf(limits)
	for i := range value.NumField() {
		var text string
		switch v := value.Field(i).Interface().(type) {
		case time.Duration:
			text = "none"
			if v > 0 {
				text = regexp.MustCompile(`(\D)0[ms]`).ReplaceAllString(regexp.MustCompile(`(\D)0[ms]`).ReplaceAllString(v.String(), "$1"), "$1")
			}
		case int:
			switch {
			case v >= 1<<20 && v%(1<<20) == 0:
				text = fmt.Sprintf("%d MiB", v>>20)
			default:
				text = fmt.Sprint(v)
			}
		case mcptool.Rate:
			text = "none"
			if v.Calls > 0 {
				text = fmt.Sprintf("%d/%s", v.Calls, v.Per)
			}
		default:
			text = "see below"
		}
		texts[value.Type().Field(i).Name] = text
	}
	return texts
}

var helpCommand = regexp.MustCompile(`(?m)^  (\w+) {2,}(.*(?:\n {3,}\S.*)*)`)

// commandRows returns the commands of bench.
func commandRows(t *testing.T) [][]string {
	t.Helper()
	program, err := benchProgram()
	if err != nil {
		t.Fatal(err)
	}
	help, err := exec.CommandContext(t.Context(), program, "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, commands, _ := strings.Cut(string(help), "\nCommands:\n")
	var rows [][]string
	for _, match := range helpCommand.FindAllStringSubmatch(commands, -1) {
		does := strings.Join(strings.Fields(match[2]), " ")
		if !strings.HasSuffix(does, ".") {
			t.Errorf("bench %s: the description %q is cut", match[1], does)
		}
		rows = append(rows, []string{"`bench " + match[1] + "`", does})
	}
	return rows
}

var docLink = regexp.MustCompile(`\[\*?(?:github\.com/mcptool-go/mcptool/(?:\w+/)*)?([A-Za-z]\w*(?:\.\w+)*)\]`)

// firstSentence returns the first sentence of the comment of a name as Markdown, without the name.
func firstSentence(name, comment string) string {
	text := new(doc.Package).Synopsis(docLink.ReplaceAllString(comment, "`$1`"))
	for _, verb := range []string{" is ", " are ", " "} {
		if rest, ok := strings.CutPrefix(text, name+verb); ok && rest != "" && !strings.HasPrefix(rest, "and ") {
			text = strings.ToUpper(rest[:1]) + rest[1:]
			break
		}
	}
	return strings.TrimSuffix(strings.TrimRight(text, "."), ":")
}
