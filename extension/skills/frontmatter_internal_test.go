package skills

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// fronts are frontmatters with their JSON or the beginning of their mistake.
var fronts = []struct{ name, yaml, want, mistake string }{
	{"plain", "name: a\ndescription: b", `{"name":"a","description":"b"}`, ""},
	{"order is kept", "z: 1\nname: a\nb: 2\ndescription: d", `{"z":1,"name":"a","b":2,"description":"d"}`, ""},
	{"numbers", "name: a\ndescription: b\nv: [1, -1, +1, 1.10, .5, 5., 1.0e+3, -0, 9007199254740993, 0.0]", `{"name":"a","description":"b","v":[1,-1,1,1.10,0.5,5,1.0e+3,-0,9007199254740993,0.0]}`, ""},
	{"no numbers", "name: a\ndescription: b\nv: ['2026-01-02', 1.2.3, '1', \"2\", '1:30', 1e]", `{"name":"a","description":"b","v":["2026-01-02","1.2.3","1","2","1:30","1e"]}`, ""},
	{"null and bools", "name: a\ndescription: b\nv: [~, null, Null, '', true, False, TRUE, 'yes', \"No\", nil]\nm:", `{"name":"a","description":"b","v":[null,null,null,"",true,false,true,"yes","No","nil"],"m":null}`, ""},
	{"blocks", "name: a\ndescription: |\n  one\n  \"two\"\nf: >-\n  three\n  four", `{"name":"a","description":"one\n\"two\"\n","f":"three four"}`, ""},
	{"deep", "name: a\ndescription: b\nm: {a: [{b: {c: []}}], d: {}}", `{"name":"a","description":"b","m":{"a":[{"b":{"c":[]}}],"d":{}}}`, ""},
	{"unicode", "name: a\ndescription: \"ö \\u00e4 😀 \\U0001F600\"", `{"name":"a","description":"ö ä 😀 😀"}`, ""},
	{"comments", "# first\nname: a # here\ndescription: b\n# last", `{"name":"a","description":"b"}`, ""},
	{"metadata", "name: a\ndescription: b\nmetadata:\n  com.example/x: z", `{"name":"a","description":"b","metadata":{"com.example/x":"z"}}`, ""},

	{"empty", "", "", "2: the frontmatter is empty"},
	{"only a comment", "# x", "", "the frontmatter is empty"},
	{"a list", "- name: a", "", "2: the frontmatter is not a mapping"},
	{"a text", "name", "", "2: the frontmatter is not a mapping"},
	{"no YAML", "name: a\ndescription: b: c", "", "3: the frontmatter is not valid YAML"},
	{"a tab", "name: a\n\tdescription: b", "", "the frontmatter is not valid YAML"},
	{"open", "name: [a", "", "the frontmatter is not valid YAML"},
	{"two documents", "name: a\ndescription: b\n--- # second\nname: c", "", "the frontmatter is not valid YAML"},
	{"no name", "description: b", "", "1: the frontmatter has no name; write name:"},
	{"no description", "name: a", "", "1: the frontmatter has no description"},
	{"an empty description", "name: a\ndescription: ' '", "", "3: the description is empty"},
	{"a null description", "name: a\ndescription:", "", "3: the description is not a string"},
	{"a number", "name: a\ndescription: 7", "", "3: the description is not a string"},
	{"a long description", "name: a\ndescription: " + strings.Repeat("ö", 1025), "", "3: the description has 1025 characters, and at most 1024"},
	{"a longest description", "name: a\ndescription: " + strings.Repeat("ö", 1024), `{"name":"a","description":"` + strings.Repeat("ö", 1024) + `"}`, ""},
	{"a long compatibility", "name: a\ndescription: b\ncompatibility: " + strings.Repeat("x", 501), "", "4: the compatibility has 501"},
	{"upper case", "name: Abc\ndescription: b", "", `2: the name "Abc" is not allowed; use 1 to 64`},
	{"hyphens", "name: a--b\ndescription: b", "", `the name "a--b" is not allowed`},
	{"a hyphen at the end", "name: a-\ndescription: b", "", `is not allowed`},
	{"a hyphen at the beginning", "name: '-a'\ndescription: b", "", `is not allowed`},
	{"an empty name", "name: ''\ndescription: b", "", `the name "" is not allowed`},
	{"a long name", "name: " + strings.Repeat("a", 65) + "\ndescription: b", "", `is not allowed`},
	{"the longest name", "name: " + strings.Repeat("a", 64) + "\ndescription: b", `{"name":"` + strings.Repeat("a", 64) + `","description":"b"}`, ""},
	{"a name that is a number", "name: 123\ndescription: b", "", `the name "123" is not allowed`},
	{"a name of digits", "name: '123'\ndescription: b", `{"name":"123","description":"b"}`, ""},
	{"twice", "name: a\ndescription: b\nname: c", "", `duplicate key "name"`},
	{"twice inside", "name: a\ndescription: b\nm: {x: 1, x: 2}", "", `4: duplicate key "x"`},
	{"SKL-13 reserved", "name: a\ndescription: b\nmetadata:\n  io.modelcontextprotocol/x: z", "", `5: the key "io.modelcontextprotocol/x" of metadata is reserved`},
	{"metadata is not a mapping", "name: a\ndescription: b\nmetadata: x", "", `4: metadata is not a mapping`},
	{"an alias", "name: a\ndescription: b\nx: &x 1\nz: *x", "", `4: &x is an anchor`},
	{"an unknown alias", "name: a\ndescription: b\nz: *x", "", `the frontmatter is not valid YAML`},
	{"a merge", "name: a\ndescription: b\nx: {<<: {a: 1}}", "", `4: << merges another mapping`},
	{"a tag", "name: a\ndescription: b\nx: !!str 1", "", `4: the value has the tag`},
	{"a tag of one's own", "name: !a b\ndescription: b", "", `2: the value has the tag`},
	{"a tag that makes a text", "name: a\ndescription: b\nx: [!, ! 1]", "", `4: the value has the tag !`},
	{"a binary", "name: a\ndescription: b\nx: !!binary aGVsbG8=", "", `the value has the tag`},
	{"a number as key", "name: a\ndescription: b\n1: x", "", `4: the key 1 is not a string in YAML; quote it`},
	{"null as key", "name: a\ndescription: b\n~: x", "", `the key ~ is not a string`},
	{"a list as key", "name: a\ndescription: b\n? [a]\n: x", "", `a key is not a plain string`},
	{"a word of YAML 1.1", "name: no\ndescription: b", "", `2: no is a boolean to some readers`},
	{"a word as key", "name: a\ndescription: b\non: x", "", `4: on is a boolean to some readers`},
	{"a word in a list", "name: a\ndescription: b\nx: [Off]", "", `4: Off is a boolean`},
	{"a date", "name: a\ndescription: b\nx: 2026-01-02", "", `4: 2026-01-02 is a date to some readers`},
	{"a time", "name: a\ndescription: b\nx: 2026-01-02T03:04:05Z", "", `is a date to some readers`},
	{"base 60", "name: a\ndescription: b\nx: 1:30", "", `4: 1:30 is a number to some readers`},
	{"binary", "name: a\ndescription: b\nx: 0b1", "", `4: 0b1 is a number to some readers`},
	{"underscores", "name: a\ndescription: b\nx: [1_000]", "", `4: 1_000 is a number to some readers`},
	{"an exponent without a point", "name: a\ndescription: b\nx: 1e3", "", `4: 1e3 is a number to some readers`},
	{"a control character", "name: a\ndescription: \"b\\ec\"", "", `3: the text "b\x1bc" has invisible characters`},
	{"direction", "name: a\ndescription: \"b\\u202Ec\"", "", `3: the text "b\u202ec" has invisible characters`},
	{"no width", "name: a\ndescription: b\u200bc", "", `has invisible characters`},
	{"octal", "name: a\ndescription: b\nx: 017", "", `017 begins with 0`},
	{"other octal", "name: a\ndescription: b\nx: 0o17", "", `0o17 is a number to some readers`},
	{"hexadecimal", "name: a\ndescription: b\nx: 0xff", "", `0xff is a number to some readers`},
	{"infinite", "name: a\ndescription: b\nx: [.inf, -.INF, .nan]", "", `.inf is a number that JSON does not have`},
	{"too large a number", "name: a\ndescription: b\nx: 1e999", "", `1e999 is a number to some readers`},
	{"too large a number with a point", "name: a\ndescription: b\nx: 1.0e+999", "", `1.0e+999 is too large`},
	{"too deep", "name: a\ndescription: b\nx: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), "", `it is nested more than 16 levels deep`},
	{"far too deep", "name: a\ndescription: b\nx: " + strings.Repeat("[", 30_000), "", `the frontmatter is not valid YAML`},
	{"a bomb", bomb(), "", `is an anchor`},
}

// bomb returns YAML that expands to 10^9 values if its aliases are followed.
func bomb() string {
	var b strings.Builder
	b.WriteString("name: a\ndescription: b\nl0: &l0 x\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "l%d: &l%d [%s*l%d]\n", i, i, strings.Repeat(fmt.Sprintf("*l%d,", i-1), 9), i-1)
	}
	return b.String()
}

func TestFrontmatter(t *testing.T) {
	t.Parallel()
	for _, test := range fronts {
		t.Run("SKL-05 "+test.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			for _, end := range []string{"\n", "\r\n"} {
				text := strings.ReplaceAll("---\n"+test.yaml+"\n---\nbody", "\n", end)
				got, problems := readFrontmatter([]byte(text))
				if test.mistake != "" {
					if len(problems) == 0 {
						t.Fatalf("accepted: %s", got.json)
					}
					if p := problems[0]; !strings.Contains(fmt.Sprintf("%d: %s; %s", p.line, p.reason, p.fix), test.mistake) {
						t.Errorf("got %+v, want %s", p, test.mistake)
					}
					continue
				}
				if len(problems) > 0 || string(got.json) != test.want {
					t.Errorf("got %s %+v\nwant %s", got.json, problems, test.want)
				}
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestFences checks that frontmatter must be at the start of the file and must be closed.
func TestFences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                     "it does not begin with frontmatter",
		"# Title\n---\n":       "it does not begin with frontmatter",
		"\n---\nname: a\n---":  "it does not begin with frontmatter",
		"---":                  "the frontmatter has no end",
		"---\nname: a\n":       "the frontmatter has no end",
		"---\nname: a\n ---\n": "the frontmatter has no end",
		"---\nname: a\n----":   "the frontmatter has no end",
		"\ufeff---\nname: a":   "byte order mark",
		"---\nname: \xff\n---": "it is not UTF-8",
		"\x00":                 "it does not begin with frontmatter",
		"--- \nname: a\n---\t": "has no description",
		"---\n" + strings.Repeat("# long\n", 10_000) + "---": "the frontmatter has 68.4 KiB, more than the 64.0 KiB that are read",
	} {
		_, problems := readFrontmatter([]byte(text))
		if len(problems) == 0 || !strings.Contains(problems[0].reason, want) {
			t.Errorf("%.40q: %+v, want %s", text, problems, want)
		}
	}
	got, problems := readFrontmatter([]byte("---\nname: a\ndescription: b\n---"))
	if len(problems) > 0 || got.name != "a" || got.description != "b" {
		t.Errorf("without a body: %+v %+v", got, problems)
	}
}
