package install

import (
	"testing"
)

// entryOf is the entry that the cases install: {"command": "/bin/weather", "args":
// ["-v", "x"]}.
var entryOf = entry{{"command", "/bin/weather"}, {"args", []string{"-v", "x"}}}

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
			"{\n  \"servers\": {\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\n        \"-v\",\n        \"x\"\n      ]\n    }\n  }\n}\n", true,
		},
		{
			"empty object", "there is no style to follow", "{}",
			"{\n  \"servers\": {\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\n        \"-v\",\n        \"x\"\n      ]\n    }\n  }\n}", true,
		},
		{
			"other members", "their order and values stay, and so does the end of the file", "{\n\t\"z\": 1.50,\n\t\"a\": \"\\u00e9\"\n}\n",
			"{\n\t\"z\": 1.50,\n\t\"a\": \"\\u00e9\",\n\t\"servers\": {\n\t\t\"weather\": {\n\t\t\t\"command\": \"/bin/weather\",\n\t\t\t\"args\": [\n\t\t\t\t\"-v\",\n\t\t\t\t\"x\"\n\t\t\t]\n\t\t}\n\t}\n}\n", true,
		},
		{
			"beside another", "the indentation is four blanks", "{\n    \"servers\": {\n        \"a\": {}\n    }\n}\n",
			"{\n    \"servers\": {\n        \"a\": {},\n        \"weather\": {\n            \"command\": \"/bin/weather\",\n            \"args\": [\n                \"-v\",\n                \"x\"\n            ]\n        }\n    }\n}\n", false,
		},
		{
			"empty container", "it is opened", "{\n  \"servers\": {},\n  \"x\": null\n}",
			"{\n  \"servers\": {\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\n        \"-v\",\n        \"x\"\n      ]\n    }\n  },\n  \"x\": null\n}", false,
		},
		{
			"null container", "it is replaced", "{\n  \"servers\": null, // none\n  \"x\": null\n}",
			"{\n  \"servers\": {\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\n        \"-v\",\n        \"x\"\n      ]\n    }\n  }, // none\n  \"x\": null\n}", true,
		},
		{
			"comments", "those behind the last member stay behind it", "{ // top\n  \"servers\": {\n    \"a\": {} // of a\n    /* end */\n  }\n}\n",
			"{ // top\n  \"servers\": {\n    \"a\": {}, // of a\n    /* end */\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\n        \"-v\",\n        \"x\"\n      ]\n    }\n  }\n}\n", false,
		},
		{
			"comment at the end", "its line ends before the new member", "{\n  \"servers\": {\n    \"a\": {} // of a\n  }\n}\n",
			"{\n  \"servers\": {\n    \"a\": {}, // of a\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\n        \"-v\",\n        \"x\"\n      ]\n    }\n  }\n}\n", false,
		},
		{
			"trailing commas", "the new last member has one, too", "{\n  \"servers\": {\n    \"a\": {}, // of a\n  },\n}\n",
			"{\n  \"servers\": {\n    \"a\": {}, // of a\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\n        \"-v\",\n        \"x\"\n      ]\n    },\n  },\n}\n", false,
		},
		{
			"lines of Windows", "line ends stay", "{\r\n  \"servers\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n",
			"{\r\n  \"servers\": {\r\n    \"a\": {},\r\n    \"weather\": {\r\n      \"command\": \"/bin/weather\",\r\n      \"args\": [\r\n        \"-v\",\r\n        \"x\"\r\n      ]\r\n    }\r\n  }\r\n}\r\n", false,
		},
		{
			"one line", "as programs write it", `{"n":1,"servers":{"a":{}}}`,
			"{\"n\":1,\"servers\":{\"a\":{},\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\n        \"-v\",\n        \"x\"\n      ]\n    }\n  }}", true,
		},
		{
			"comment behind everything", "without an end of the line", "{\n  \"servers\": {}\n} // bye",
			"{\n  \"servers\": {\n    \"weather\": {\n      \"command\": \"/bin/weather\",\n      \"args\": [\n        \"-v\",\n        \"x\"\n      ]\n    }\n  }\n} // bye", false,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j := editing("servers", "weather", entryOf)
			if action, got := edit(t, j, tt.before); action != Add || got != tt.after {
				t.Fatalf("%s: %s, got\n%s\nwant\n%s", tt.reason, action, got, tt.after)
			}
			if action, got := edit(t, j, tt.after); action != Nothing || got != tt.after {
				t.Errorf("the second time: %v\n%s", action, got)
			}
			j.request.Remove = true
			if action, got := edit(t, j, tt.after); action != Remove || got != tt.before && !tt.lossy {
				t.Errorf("%s: removed again, there is\n%q\nwas\n%q", action, got, tt.before)
			}
		})
	}
}

// editing returns a job that sets an entry of a JSON file with comments.
func editing(container, name string, set entry) *job {
	return &job{client: &client{title: "Client", format: commentedJSON, container: container}, file: "config", name: name, set: set}
}

// edit applies a job to a text.
func edit(t *testing.T, j *job, text string) (Action, string) {
	t.Helper()
	tree, err := j.client.format.decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	change := Change{Action: Nothing}
	after, err := j.change(&change, []byte(text), tree)
	if err != nil {
		t.Fatal(err)
	}
	return change.Action, string(after)
}

// TestUpdate replaces an entry and removes others.
func TestUpdate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason  string
		set           entry // nil to remove the entry
		before, after string
		action        Action
	}{
		{
			"what is ours", "members of the user stay", entryOf[:1],
			"{\n  \"s\": {\n    // weather\n    \"w\": {\n      \"timeout\": 9,\n      \"url\": \"http://old\",\n      \"command\": \"/old\"\n    } // w\n  }\n}",
			"{\n  \"s\": {\n    // weather\n    \"w\": {\n      \"command\": \"/bin/weather\",\n      \"timeout\": 9\n    } // w\n  }\n}", Replace,
		},
		{
			"another server", "a secret of the old one is not for the new one",
			entry{{"url", "http://new"}},
			`{"s": {"w": {"url": "http://old", "headers": {"Authorization": "x"}, "timeout": 9.50}}}`, "{\"s\": {\"w\": {\n      \"url\": \"http://new\",\n      \"timeout\": 9.50\n    }}}", Replace,
		},
		{
			"the same server", "what is not named stays",
			entry{{"url", "http://old"}, {"env", entry{{"A", "1"}}}},
			`{"s": {"w": {"url": "http://old", "headers": {"X": "x"}}}}`, "{\"s\": {\"w\": {\n      \"url\": \"http://old\",\n      \"env\": {\n        \"A\": \"1\"\n      },\n      \"headers\": {\n        \"X\": \"x\"\n      }\n    }}}", Replace,
		},
		{"no object", "it is replaced as a whole", entryOf[:1], "{\n  \"s\": {\n    \"w\": null\n  }\n}", "{\n  \"s\": {\n    \"w\": {\n      \"command\": \"/bin/weather\"\n    }\n  }\n}", Replace},
		{
			"the same in other words", "escapes, order and white space mean nothing", entryOf,
			`{"s":{"w":{"args":[ "\u002dv" ,"x"],"command":"\/bin/weather"}}}`, `{"s":{"w":{"args":[ "\u002dv" ,"x"],"command":"\/bin/weather"}}}`, Nothing,
		},
		{"escaped names", "they are the same names", nil, `{"\u0073":{"\u0077":1}}`, `{"\u0073":{}}`, Remove},
		{"first of two", "the second follows", nil, `{"s": {"w": 1, "b": 2}}`, `{"s": { "b": 2}}`, Remove},
		{"in the middle", "comments of others stay", nil, "{\"s\": {\n  \"a\": 1, // of a\n  // of w\n  \"w\": 1, // behind w\n  \"b\": 2\n}}", "{\"s\": {\n  \"a\": 1, // of a\n  // of w // behind w\n  \"b\": 2\n}}", Remove},
		{"the last, with a comma", "which stays", nil, "{\"s\": {\n  \"a\": 1,\n  \"w\": 1,\n}}", "{\"s\": {\n  \"a\": 1,\n}}", Remove},
		{"not there", "nothing is to do", nil, `{"x":{"w":1}}`, `{"x":{"w":1}}`, Nothing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			j := editing("s", "w", tt.set)
			j.request.Remove = tt.set == nil
			if action, got := edit(t, j, tt.before); action != tt.action || got != tt.after {
				t.Errorf("%s: %v, got\n%s\nwant\n%s", tt.reason, action, got, tt.after)
			}
		})
	}
}

// TestRefused passes files that cannot be parsed or changed, and checks the reported position.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason, text, want string
		format                   *format
	}{
		{"cut off", "as after a crash of something else", "{\n  \"servers\": {", "2:15: parsing value: unexpected EOF", commentedJSON},
		{"a missing comma", "by hand", "{\n  \"a\": 1\n  \"b\": 2\n}", "3:3: invalid character '\"' after object value (expecting ',' or '}')", commentedJSON},
		{"two values", "something was appended", "{}\n{}", "2:1: invalid character '{' after top-level value", commentedJSON},
		{"no object", "there is nothing to add to", "\n[1]", "2:1: the file should be an object", commentedJSON},
		{"no container", "it is something else", "{\n  \"servers\": []}", "config: servers should be an object with the servers", commentedJSON},
		{"a comment", "where the client reads none", "{\n  // hello\n}", "2:3: the client reads JSON without comments and trailing commas: invalid character '/' looking for beginning of object key string", plainJSON},
		{"a comma", "where the client takes none", "{\"a\": 1,}", "1:9: the client reads JSON without comments and trailing commas: invalid character '}' looking for beginning of object key string", plainJSON},
		{"an open comment", "at the end", "{} /* x", "1:4: parsing comment: unexpected EOF", commentedJSON},
		{"another encoding", "UTF-16", "\xff\xfe{\x00}\x00", `1:1: invalid character '\xff' at start of value`, commentedJSON},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tree, err := tt.format.decode([]byte(tt.text))
			if err == nil {
				j := editing("servers", "w", entryOf)
				j.client.format = tt.format
				_, err = j.change(&Change{Action: Nothing}, []byte(tt.text), tree)
			}
			if err == nil || err.Error() != tt.want {
				t.Errorf("%s: got %v, want %s", tt.reason, err, tt.want)
			}
		})
	}
}
