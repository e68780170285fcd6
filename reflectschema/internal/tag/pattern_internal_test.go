package tag

import (
	"strings"
	"testing"
)

func TestCheckPattern(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, reason, pattern, want string }{
		{"plain", "common syntax", `^[a-zA-Z_][\w.-]*$`, ""},
		{"repetition", "counts of every form", `a{1}b{1,}c{1,2}d+?e*?`, ""},
		{"escapes", "letters that both support", `\d\D\w\W\s\S\b\t\n\r\f\v\x41`, ""},
		{"quoted", "characters that ECMAScript allows after a backslash", `\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/`, ""},
		{"class", "a hyphen may be quoted in a class", `[\-a\]^[]`, ""},
		{"negated class", "common", `[^\]\s]`, ""},
		{"properties", "with braces", `\p{L}\P{Lu}`, ""},
		{"groups", "without a number, or with a name", `(?:a)(?<name>b)(c)`, ""},
		{"empty", "no pattern", ``, "no value"},
		{"RE2 refuses", "not compiled", `(?=a)`, "invalid or unsupported"},
		{"large count", "RE2 stops at 1000", `a{1001}`, "invalid repeat count"},
		{"flags", "anywhere", `a(?i:b)`, "flags"},
		{"old name", "Python's form", `(?P<n>a)`, "(?P<name>"},
		{"begin", "of text", `\Aa`, `\A`},
		{"end", "of text", `a\z`, `\z`},
		{"bell", "not in ECMAScript", `\a`, `\a`},
		{"quoting", "a quoted run", `\Qa.b\E`, `\Q`},
		{"octal", "an escape by number", `\0101`, `\0`},
		{"code point", "in braces", `\x{41}`, `\x{…}`},
		{"short property", "without braces", `\pL`, `\pL`},
		{"hyphen", "quoted outside a class", `a\-b`, `\-`},
		{"punctuation", "quoted without need", `\@`, `\@`},
		{"boundary in class", "another meaning there", `[\b]`, `invalid escape`},
		{"POSIX class", "in a class", `[[:alpha:]]`, "[[:…:]]"},
		{"class from ]", "is empty to ECMAScript", `[]a]`, "starts with ]"},
		{"negated class from ]", "as well", `[^]a]`, "starts with ]"},
		{"lone {", "a repetition cut at a comma", `^[a-z]{1`, "lone {"},
		{"lone }", "not a repetition", `a}`, "lone }"},
		{"lone ]", "not a class", `a]`, "lone ]"},
		{"after property", "the scan continues after the braces", `\p{L}\z`, `\z`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := checkPattern(tt.pattern)
			switch {
			case tt.want == "" && f != nil:
				t.Errorf("%s: got mistake %s; %s", tt.reason, f.Reason, f.Fix)
			case tt.want != "" && (f == nil || !strings.Contains(f.Reason, tt.want) || f.Fix == ""):
				t.Errorf("%s: got mistake %+v, want one about %s with a fix", tt.reason, f, tt.want)
			}
		})
	}
}

// TestIsSlip checks which keys are misspelled keys of this package, and which belong to other libraries.
func TestIsSlip(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key  string
		slip string // the misspelled key; "" for none
	}{
		{"jsonscheam", "jsonschema"},
		{"JSONSchema", "jsonschema"},
		{"json_schema", "jsonschema"},
		{"jsno", "json"},
		{"cod", ""},
		{"docs", ""},
		{"dc", ""},
		{"dco", "doc"},
		{"minimun", "minimum"},
		{"requierd", "required"},
		{"titel", "title"},
		{"bson", ""},
		{"yaml", ""},
		{"xml", ""},
		{"db", ""},
		{"env", ""},
		{"toml", ""},
		{"form", ""},
		{"query", ""},
		{"uri", ""},
		{"path", ""},
		{"validate", ""},
		{"binding", ""},
		{"mapstructure", ""},
		{"gorm", ""},
		{"csv", ""},
		{"hcl", ""},
		{"msgpack", ""},
		{"protobuf", ""},
		{"header", ""},
		{"schema", ""},
		{"enums", ""},
		{"extensions", ""},
		{"cost", ""},
		{"codec", ""},
		{"name", ""},
		{"help", ""},
		{"long", ""},
	} {
		var got []string
		for _, own := range append([]string{"json", "jsonschema", "jsonschema_extras", "jsonschema_description", "doc", "mcp"}, keywordNames...) {
			if isSlip(tt.key, own) {
				got = append(got, own)
			}
		}
		if strings.Join(got, " ") != tt.slip {
			t.Errorf("isSlip(%s) = %q, want %q", tt.key, got, tt.slip)
		}
	}
}
