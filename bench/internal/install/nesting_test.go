package install

import (
	"strings"
	"testing"
)

// TestNesting parses files whose values are nested so deeply that the parsers would overflow the stack, and files that
// only look like that.
func TestNesting(t *testing.T) {
	t.Parallel()
	const n = 3 << 20 // each case overflowed the stack, and ended the process, without the limit
	deep := strings.Repeat("[", n)
	brackets := strings.Repeat("[", maxNesting+1)
	for _, tt := range []struct {
		name, text, want string
		format           *format
	}{
		{"JSON arrays", `{"a":` + deep, "1:205: more than 200 nested values", plainJSON},
		{"JSON objects", strings.Repeat(`{"a":`, n), "1:1001: more than 200 nested values", commentedJSON},
		{"JSON after strings and comments", `{"a":"\"]","b":/*]"*/` + "//]\"\n" + deep, "2:200: more than 200 nested values", commentedJSON},
		{"TOML arrays", "a = " + deep, "1:205: more than 200 nested values", tomlFormat},
		{"TOML tables", "a = " + strings.Repeat("{a=", n), "1:605: more than 200 nested values", tomlFormat},
		{"a dotted TOML key", "x = 1\na" + strings.Repeat(".a", n) + " = 1", "2:402: a key with more than 200 dots", tomlFormat},
		{"a dotted TOML header", "[a" + strings.Repeat(` . "a"`, n) + "]", "1:1204: a key with more than 200 dots", tomlFormat},
		{"TOML after strings", `a = ["""]\"""""", '''"''', '"', ` + deep, "1:232: more than 200 nested values", tomlFormat},
		{"a JSON string", `{"a":"\"` + brackets + `"}`, "", plainJSON},
		{"JSON comments", "{} //" + brackets + "\n/*" + brackets + "*/", "", commentedJSON},
		{"siblings", `{"a":[` + strings.Repeat("[],", maxNesting) + "[]]}", "", plainJSON},
		{"JSON dots", strings.Repeat(".", maxNesting+1), "1:1: invalid literal: " + strings.Repeat(".", maxNesting+1), commentedJSON},
		{"TOML strings", "a = \"" + brackets + "\\\"\"\nb = '" + brackets + "'\nc = '''\n'" + brackets + "'''' # " + brackets + "\nd = \"\"\"\"" + brackets + "\"\"\"\"\n", "", tomlFormat},
		{"TOML dots", "a.b = 1.5 # 1.\n" + strings.Repeat("# a.b\n", maxNesting) + "[x.y]\nz = [" + strings.Repeat("1.5, ", maxNesting) + "]\n", "", tomlFormat},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := tt.format.decode([]byte(tt.text))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
