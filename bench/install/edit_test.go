package install

import (
	"strings"
	"testing"
)

// entryOf is the entry that the cases install: {"command": "/bin/weather", "args":
// ["-v", "x"]}.
var entryOf = []member{{"command", "/bin/weather"}, {"args", []string{"-v", "x"}}}

// TestSet adds an entry to files of every style.
func TestSet(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason string
		before       string
		after        string
		lossy        bool // removal does not restore white space in an empty object
	}{
		{
			"empty file", "editors make such files", "",
			"{\n  \"servers\": {\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\"-v\", \"x\"]\n    }\n  }\n}\n", true,
		},
		{
			"empty object", "there is no style to follow", "{}",
			"{\n  \"servers\": {\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\"-v\", \"x\"]\n    }\n  }\n}", true,
		},
		{
			"other members", "their order and values stay, and so does the end of the file", "{\n\t\"z\": 1.50,\n\t\"a\": \"\\u00e9\"\n}\n",
			"{\n\t\"z\": 1.50,\n\t\"a\": \"\\u00e9\",\n\t\"servers\": {\n\t\t\"weather\": {\n\t\t\t\"command\": \"/bin/weather\",\n\t\t\t\"args\": [\"-v\", \"x\"]\n\t\t}\n\t}\n}\n", true,
		},
		{
			"beside another", "the indentation is four blanks", "{\n    \"servers\": {\n        \"a\": {}\n    }\n}\n",
			"{\n    \"servers\": {\n        \"a\": {},\n        \"weather\": {\n            \"command\": \"/bin/weather\",\n            \"args\": [\"-v\", \"x\"]\n        }\n    }\n}\n", false,
		},
		{
			"empty container", "it is opened", "{\n  \"servers\": {},\n  \"x\": null\n}",
			"{\n  \"servers\": {\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\"-v\", \"x\"]\n    }\n  },\n  \"x\": null\n}", false,
		},
		{
			"comments", "those behind the last member stay behind it", "{ // top\n  \"servers\": {\n    \"a\": {} // of a\n    /* end */\n  }\n}\n",
			"{ // top\n  \"servers\": {\n    \"a\": {}, // of a\n    /* end */\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\"-v\", \"x\"]\n    }\n  }\n}\n", false,
		},
		{
			"comment at the end", "its line ends before the new member", "{\n  \"servers\": {\n    \"a\": {} // of a\n  }\n}\n",
			"{\n  \"servers\": {\n    \"a\": {}, // of a\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\"-v\", \"x\"]\n    }\n  }\n}\n", false,
		},
		{
			"trailing commas", "the new last member has one, too", "{\n  \"servers\": {\n    \"a\": {}, // of a\n  },\n}\n",
			"{\n  \"servers\": {\n    \"a\": {}, // of a\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\"-v\", \"x\"]\n    },\n  },\n}\n", false,
		},
		{
			"lines of Windows", "and a byte order mark", "\xef\xbb\xbf{\r\n  \"servers\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n",
			"\xef\xbb\xbf{\r\n  \"servers\": {\r\n    \"a\": {},\r\n    \"weather\": {\r\n      \"command\": \"/bin/weather\",\r\n      \"args\": [\"-v\", \"x\"]\r\n    }\r\n  }\r\n}\r\n", false,
		},
		{
			"one line", "as programs write it", `{"n":1,"servers":{"a":{}}}`,
			`{"n":1,"servers":{"a":{},"weather":{"command":"/bin/weather","args":["-v","x"]}}}`, false,
		},
		{
			"one line with blanks", "as people write it", `{ "servers": { "a": {}, "b": {} } }`,
			`{ "servers": { "a": {}, "b": {}, "weather": {"command": "/bin/weather", "args": ["-v", "x"]} } }`, false,
		},
		{
			"one line, nothing in it", "the style is that of the line", `{"servers":{}}`,
			`{"servers":{"weather":{"command":"/bin/weather","args":["-v","x"]}}}`, false,
		},
		{
			"comment behind everything", "without an end of the line", "{\n  \"servers\": {}\n} // bye",
			"{\n  \"servers\": {\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\"-v\", \"x\"]\n    }\n  }\n} // bye", false,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := mustParse(t, tt.before)
			if action, err := d.set("servers", "weather", entryOf, []string{"url"}); err != nil || action != Add {
				t.Fatalf("%v, %v", action, err)
			}
			if got := string(d.bytes()); got != tt.after {
				t.Fatalf("%s: got\n%s\nwant\n%s", tt.reason, got, tt.after)
			}
			again := mustParse(t, tt.after)
			if action, err := again.set("servers", "weather", entryOf, []string{"url"}); err != nil || action != Nothing || string(again.bytes()) != tt.after {
				t.Errorf("the second time: %v, %v\n%s", action, err, again.bytes())
			}
			if action, err := again.unset("servers", "weather"); err != nil || action != Remove {
				t.Fatalf("removed: %v, %v", action, err)
			}
			if got := string(again.bytes()); got != tt.before && !tt.lossy {
				t.Errorf("removed again, there is\n%q\nwas\n%q", got, tt.before)
			}
		})
	}
}

// TestUpdate replaces an entry and removes others.
func TestUpdate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason  string
		do            func(*document) (Action, error)
		before, after string
		action        Action
	}{
		{
			"what is ours", "members of the user stay, and comments",
			func(d *document) (Action, error) { return d.set("s", "w", entryOf, []string{"url"}) },
			"{\n  \"s\": {\n    \"w\": {\n      // slow\n      \"timeout\": 9,\n      \"url\": \"http://old\", // gone\n      \"command\": \"/old\"\n    }\n  }\n}",
			"{\n  \"s\": {\n    \"w\": {\n      // slow\n      \"timeout\": 9, // gone\n      \"command\": \"/bin/weather\",\n      \"args\": [\"-v\", \"x\"]\n    }\n  }\n}", Replace,
		},
		{
			"another server", "a secret of the old one is not for the new one",
			func(d *document) (Action, error) {
				return d.set("s", "w", []member{{"url", "http://new"}}, []string{"command"})
			},
			`{"s": {"w": {"url": "http://old", "headers": {"Authorization": "x"}, "timeout": 9}}}`, `{"s": {"w": {"url": "http://new", "timeout": 9}}}`, Replace,
		},
		{
			"the same server", "what is not named stays",
			func(d *document) (Action, error) {
				return d.set("s", "w", []member{{"type", "http"}, {"url", "http://old"}}, []string{"command"})
			},
			`{"s": {"w": {"url": "http://old", "headers": {"Authorization": "x"}}}}`, `{"s": {"w": {"url": "http://old", "headers": {"Authorization": "x"}, "type": "http"}}}`, Replace,
		},
		{
			"no object", "it is replaced as a whole",
			func(d *document) (Action, error) { return d.set("s", "w", entryOf[:1], nil) },
			"{\n  \"s\": {\n    \"w\": null\n  }\n}", "{\n  \"s\": {\n    \"w\": {\n      \"command\": \"/bin/weather\"\n    }\n  }\n}", Replace,
		},
		{
			"the same in other words", "escapes, order and white space mean nothing",
			func(d *document) (Action, error) { return d.set("s", "w", entryOf, nil) },
			`{"s":{"w":{"args":[ "\u002dv" ,"x"],"command":"\/bin/weather"}}}`, `{"s":{"w":{"args":[ "\u002dv" ,"x"],"command":"\/bin/weather"}}}`, Nothing,
		},
		{
			"escaped names", "they are the same names",
			func(d *document) (Action, error) { return d.unset("s", "w") },
			`{"\u0073":{"\u0077":1}}`, `{"\u0073":{}}`, Remove,
		},
		{
			"first of two", "what is before it is now before the second",
			func(d *document) (Action, error) { return d.unset("s", "w") },
			`{"s": {"w": 1, "b": 2}}`, `{"s": {"b": 2}}`, Remove,
		},
		{
			"in the middle", "comments stay where they were",
			func(d *document) (Action, error) { return d.unset("s", "w") },
			"{\"s\": {\n  \"a\": 1, // of a\n  // of w\n  \"w\": 1 /* w */, // behind w\n  \"b\": 2\n}}", "{\"s\": {\n  \"a\": 1, // of a\n  // of w\n /* w */ // behind w\n  \"b\": 2\n}}", Remove,
		},
		{
			"the last, with a comma", "which stays",
			func(d *document) (Action, error) { return d.unset("s", "w") },
			"{\"s\": {\n  \"a\": 1,\n  \"w\": 1,\n}}", "{\"s\": {\n  \"a\": 1,\n}}", Remove,
		},
		{
			"the last, without", "a comment before the comma of the one before it stays",
			func(d *document) (Action, error) { return d.unset("s", "w") },
			"{\"s\": {\n  \"a\": 1 /* a */,\n  \"w\": 1\n}}", "{\"s\": {\n  \"a\": 1 /* a */\n}}", Remove,
		},
		{
			"not there", "nothing is to do", func(d *document) (Action, error) { return d.unset("s", "w") }, `{"x":{"w":1}}`, `{"x":{"w":1}}`, Nothing,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := mustParse(t, tt.before)
			action, err := tt.do(d)
			if got := string(d.bytes()); err != nil || action != tt.action || got != tt.after {
				t.Errorf("%s: %v, %v, got\n%s\nwant\n%s", tt.reason, action, err, got, tt.after)
			}
		})
	}
}

// TestRefused passes files that cannot be parsed and checks the reported position.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason, text, want string
		plain                    bool
	}{
		{"cut off", "as after a crash of something else", "{\n  \"servers\": {", "2:15: parsing value: unexpected EOF", false},
		{"a missing comma", "by hand", "{\n  \"a\": 1\n  \"b\": 2\n}", "3:3: invalid character '\"' after object value (expecting ',' or '}')", false},
		{"two values", "something was appended", "{}\n{}", "2:1: invalid character '{' after top-level value", false},
		{"no object", "there is nothing to add to", "\n[1]", "2:1: this is an array, and should be an object", false},
		{"no container", "it is something else", "{\n  \"servers\": []}", "2:14: \"servers\" is an array, and should be an object with the servers", false},
		{"two containers", "clients take one of them", "{\"servers\": {},\n \"servers\": {}}", "2:2: this is the second member \"servers\" of the same object; remove one of them", false},
		{"two entries", "which one is meant", "{\"servers\": {\"w\": {},\n \"\\u0077\": {}}}", "2:2: this is the second member \"w\" of the same object; remove one of them", false},
		{"two members", "of an entry that is to be changed", "{\"servers\": {\"w\": {\"command\": 1,\n\"command\": 2}}}", "2:1: this is the second member \"command\" of the same object; remove one of them", false},
		{"a comment", "where the client reads none", "{\n  // hello\n}", "2:3: the client reads JSON without comments and trailing commas: invalid character '/' looking for beginning of object key string", true},
		{"a comma", "where the client takes none", "{\"a\": 1,}", "1:9: the client reads JSON without comments and trailing commas: invalid character '}' looking for beginning of object key string", true},
		{"behind a mark", "which nobody sees and nobody counts", "\xef\xbb\xbf?", "1:1: invalid character '?' at start of value", false},
		{"an open comment", "at the end", "{} /* x", "1:4: parsing comment: unexpected EOF", false},
		{"another encoding", "UTF-16", "\xff\xfe{\x00}\x00", `1:1: invalid character '\xff' at start of value`, false},
		{"too deep", "the parser would go on", strings.Repeat("[", maxDepth+1), "1:10001: values are nested deeper than 10000", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := parse([]byte(tt.text), tt.plain)
			if err == nil {
				_, err = d.set("servers", "w", entryOf, nil)
			}
			if err == nil || err.Error() != tt.want {
				t.Errorf("%s: got %v, want %s", tt.reason, err, tt.want)
			}
		})
	}
}

func mustParse(t *testing.T, text string) *document {
	t.Helper()
	d, err := parse([]byte(text), false)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
