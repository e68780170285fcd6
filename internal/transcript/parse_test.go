package transcript_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/transcript"
)

// session is a transcript in the form that Writer writes.
const session = `%transcript 1
# recorded by a test
%ignore result.structuredContent.time

-> {
  "jsonrpc": "2.0",
  "id": 1,
  "method": "tools/call",
  "params": {
    "name": "clock",
    "arguments": {}
  }
}

<- {
  "jsonrpc": "2.0",
  "id": 1,
  "result": {
    "content": [],
    "n": 1.50
  }
}
`

func TestParse(t *testing.T) {
	got, err := transcript.Parse([]byte(session))
	if err != nil {
		t.Fatal(err)
	}
	want := []transcript.Entry{
		{Line: 1, Text: "%transcript 1"},
		{Line: 2, Text: "# recorded by a test"},
		{Line: 3, Text: "%ignore result.structuredContent.time"},
		{Line: 4},
		{Line: 5, ToServer: true, Message: json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"clock","arguments":{}}}`)},
		{Line: 14},
		{Line: 15, Message: json.RawMessage(`{"jsonrpc":"2.0","id":1,"result":{"content":[],"n":1.50}}`)},
	}
	if !reflect.DeepEqual(got.Entries, want) || got.Cut != 0 {
		t.Errorf("entries\n%+v, want\n%+v", got.Entries, want)
	}
	if text := string(got.Append(nil)); text != session {
		t.Errorf("written again it is\n%s", text)
	}
}

func TestParseOtherLayout(t *testing.T) {
	got, err := transcript.Parse([]byte("\ufeff%transcript 1\r\n-> {\"jsonrpc\":\"2.0\",\r\n\t\"method\":\"a\"}\r\n<- {\"jsonrpc\":\"2.0\",\"method\":\"b\"}\n# end"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Entries); n != 4 || string(got.Entries[1].Message) != `{"jsonrpc":"2.0","method":"a"}` || got.Entries[2].ToServer {
		t.Errorf("entries %+v, want two messages and two lines", got.Entries)
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "line 1: it is not a transcript, whose first line is %transcript 1"},
		{"another file", "{}\n", "line 1: it is not a transcript"},
		{"a newer version", "%transcript 2\n", `line 1: version "2" of the format is unknown here, which reads version 1`},
		{"JSON with a mistake", "%transcript 1\n\n-> {\n  \"jsonrpc\": \"2.0\",\n  \"id\" 1\n}\n# end\n", "line 5: the message is not JSON: expected a colon"},
		{"a message that is not one", "%transcript 1\n<- {\"id\":1}\n\n", "line 2: the message is not one of JSON-RPC"},
		{"text after a message", "%transcript 1\n-> {\"jsonrpc\":\"2.0\",\"method\":\"a\"}\nmore\n\n", "line 3: the message is not JSON"},
		{"incomplete before another", "%transcript 1\n-> {\"jsonrpc\":\n<- {}\n", "line 3: the message is not JSON"},
		{"other text", "%transcript 1\nhello\n", `line 2: "hello" is neither a message after -> or <-, nor a comment`},
		{"an unknown directive", "%transcript 1\n%skip x\n", `line 2: unknown directive "%skip x"; there are %ignore PATH`},
		{"a path with a mistake", "%transcript 1\n%ignore result..x\n", `line 2: "result..x" is not a path`},
		{"no path", "%transcript 1\n%ignore\n", `line 2: "" is not a path`},
		{"escape sequences", "%transcript 1\n\x1b[2J\n", `line 2: "\x1b[2J" is neither`},
		{"deep nesting", "%transcript 1\n-> " + strings.Repeat("[", 100_000) + "\n\n", "line 2: the message is not JSON: JSON is nested too deeply"},
		{"too large", "%transcript 1\n# " + strings.Repeat("x", transcript.MaxSize), "it has more than 64 MiB"},
	} {
		got, err := transcript.Parse([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v (%+v), want %q", test.name, err, got, test.want)
		}
	}
	file := filepath.Join(t.TempDir(), "bad.txt")
	if err := os.WriteFile(file, []byte("%transcript 1\nx\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := transcript.Read(file); err == nil || !strings.HasPrefix(err.Error(), file+": line 2: ") {
		t.Errorf("error %v, want one that begins with the file and the line", err)
	}
}

// TestParseCut reads each beginning of a file. A message is either complete or reported as cut.
func TestParseCut(t *testing.T) {
	for n := len("%transcript 1"); n < len(session); n++ {
		got, err := transcript.Parse([]byte(session[:n]))
		if err != nil {
			t.Fatalf("the first %d bytes: %v", n, err)
		}
		messages := 0
		for _, e := range got.Entries {
			if e.Message != nil {
				messages++
			}
		}
		want, cut := 0, 0
		switch first, second := strings.Index(session, "->"), strings.Index(session, "<-"); {
		case n == len(session)-1: // without the last line break
			want = 2
		case n > second:
			want, cut = 1, 15
		case n >= second-2:
			want = 1
		case n > first:
			cut = 5
		case n < first:
			cut = got.Cut // a directive that is cut may be another one
		}
		if messages != want || got.Cut != cut {
			t.Errorf("the first %d bytes: %d messages, cut at line %d; want %d and %d", n, messages, got.Cut, want, cut)
		}
	}
}

func TestWriter(t *testing.T) {
	var out bytes.Buffer
	edit := func(message []byte) []byte { return bytes.ReplaceAll(message, []byte("secret"), []byte("(hidden)")) }
	w, err := transcript.NewWriter(&out, edit, "# recorded by\na test\x1b", "%ignore result.structuredContent.time")
	if err != nil {
		t.Fatal(err)
	}
	for i, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"b":"secret","a":"\u001b[2J` + "\u202e" + `"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"taskId":"t1"}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"taskId":"t1"}}`,
	} {
		if err := w.Write(i == 0, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	want := `%transcript 1
# recorded by a test\u001b
%ignore result.structuredContent.time

-> {
  "jsonrpc": "2.0",
  "id": 1,
  "method": "tools/call",
  "params": {
    "b": "(hidden)",
    "a": "\u001b[2J\u202e"
  }
}

# Each task has another id and other times.
%ignore **.taskId
%ignore *.createdAt
%ignore *.lastUpdatedAt
%ignore *.task.createdAt
%ignore *.task.lastUpdatedAt

<- {
  "jsonrpc": "2.0",
  "id": 1,
  "result": {
    "taskId": "t1"
  }
}

<- {
  "jsonrpc": "2.0",
  "id": 2,
  "result": {
    "taskId": "t1"
  }
}

`
	if out.String() != want {
		t.Errorf("transcript\n%s, want\n%s", out.String(), want)
	}
	if _, err := transcript.Parse(out.Bytes()); err != nil {
		t.Error(err)
	}
	before := out.Len()
	large := `{"jsonrpc":"2.0","id":1,"result":{"x":"` + strings.Repeat("x", transcript.MaxSize) + `"}}`
	if err := w.Write(false, []byte(large)); err == nil || out.Len() != before {
		t.Errorf("error %v after %d bytes, want that the file does not grow beyond the limit", err, out.Len()-before)
	}
}

// FuzzParse checks that a transcript which is written has the same entries, and that writing it again changes nothing.
func FuzzParse(f *testing.F) {
	f.Add(session)
	f.Add("%transcript 1\n%secret A\n-> {\"jsonrpc\":\"2.0\",\"method\":\"\u202e\\u0000\"}\n<- {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{}}\n#\n\n\n-")
	f.Fuzz(func(t *testing.T, text string) {
		first, err := transcript.Parse([]byte(text))
		if err != nil {
			return
		}
		written := first.Append(nil)
		second, err := transcript.Parse(written)
		if err != nil {
			t.Fatalf("%v in\n%s", err, written)
		}
		if len(first.Entries) != len(second.Entries) || second.Cut != 0 {
			t.Fatalf("%d entries, want %d, in\n%s", len(second.Entries), len(first.Entries), written)
		}
		for i, e := range first.Entries {
			var was, is any
			if e.Message != nil && (json.Unmarshal(e.Message, &was) != nil || json.Unmarshal(second.Entries[i].Message, &is) != nil || !reflect.DeepEqual(was, is)) {
				t.Errorf("message %s, want %s", second.Entries[i].Message, e.Message)
			}
		}
		if again := second.Append(nil); !bytes.Equal(again, written) {
			t.Errorf("written again it is\n%s, want\n%s", again, written)
		}
	})
}
