package terminal_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

func TestWriter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, reason string
		writes       []string
		want         string
	}{
		{"plain", "text passes", []string{"größe\t1\n", "日本語 👩‍💻\n"}, "größe\t1\n日本語 👩‍💻\n"},
		{"escapes", "they steer", []string{"\x1b[31mred\u009b0m\x07\x7f\b"}, "\ufffd[31mred\ufffd0m\ufffd\ufffd\ufffd"},
		{"directions", "they reorder what follows", []string{"a\u202eb\u2066c\u200fd\u061c"}, "a\ufffdb\ufffdc\ufffdd\ufffd"},
		{"bytes", "0x9b alone begins a sequence on terminals without UTF-8", []string{"\x9b31m\xff"}, "\ufffd31m\ufffd"},
		{"an escape in parts", "no part passes", []string{"\xc2", "\x9b", "31m"}, "\ufffd\ufffd31m"},
		{"a character that is not finished", "what was written is not lost", []string{"x\xe6\x97"}, "x\ufffd\ufffd"},
		{"a character that is not finished, and more", "it is replaced where it stands", []string{"\xe6\x97", "x"}, "\ufffd\ufffdx"},
		{"CR LF", "it is a line break", []string{"a\r\nb\r\nc"}, "a\nb\nc"},
		{"CR", "it overwrites the line", []string{"good\rbad\r", "x\r"}, "good\ufffdbad\ufffdx\ufffd"},
		{"nothing", "", []string{"", ""}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			w := terminal.NewWriter(&b)
			for _, text := range test.writes {
				if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
					t.Errorf("Write(%q) = %d, %v", text, n, err)
				}
			}
			if b.String() != test.want {
				t.Errorf("%s: got %q, want %q", test.reason, b.String(), test.want)
			}
		})
	}
}

func TestWriterStatus(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	w := terminal.NewWriter(&b)
	if err := errors.Join(w.Status("calling \x1b[2Jx\ny"), w.Status("")); err != nil || b.String() != "\r\x1b[Kcalling \ufffd[2Jx y\r\x1b[K" {
		t.Errorf("got %q, %v", b.String(), err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriterError(t *testing.T) {
	t.Parallel()
	if n, err := terminal.NewWriter(broken{}).Write([]byte("x")); n != 0 || err == nil {
		t.Errorf("got %d, %v", n, err)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	const text = "a\x1b[\u009b\x7f\u202e\u2028\n\t<é>"
	raw := []byte("{\n\t\"a\": \"x\u009b\x7f\u202e\u2028\\u001b[\\n\\t<é>\"\n}")
	got := terminal.JSON(raw)
	if terminal.Printable(string(got)) != string(got) {
		t.Errorf("it steers: %q", got)
	}
	var before, after any
	if err := errors.Join(json.Unmarshal(raw, &before), json.Unmarshal(got, &after)); err != nil {
		t.Fatal(err)
	}
	if b, a := before.(map[string]any)["a"], after.(map[string]any)["a"]; b != a {
		t.Errorf("the value was %q, is %q", b, a)
	}
	plain, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal(terminal.JSON(plain), &back); err != nil || back != text {
		t.Errorf("got %q, %v", back, err)
	}
}

// Line breaks between JSON values are kept as they are, as an escape there would not be
// JSON.
func TestJSONLineBreaks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"{\r\n\t\"a\": 1,\r\n\t\"b\\\"\\\\\": \"c\"\r\n}\r\n", "{\n\t\"a\": 1,\n\t\"b\\\"\\\\\": \"c\"\n}\n"},
		{"[1,\r2]\r", "[1,2]"},
		{"[\"a\u009b\",\r\n\"\\r\"]", "[\"a\\u009b\",\n\"\\r\"]"},
	} {
		got := string(terminal.JSON([]byte(test.text)))
		if got != test.want || !json.Valid([]byte(got)) || terminal.Printable(got) != got {
			t.Errorf("%q became %q, want %q", test.text, got, test.want)
		}
	}
}

func TestTableCells(t *testing.T) {
	t.Parallel()
	got := terminal.Fit([][]string{{"A", "B"}, {"x\nINJECTED\ty", "\x1b[2J 1\u202f000"}}, 0, nil)
	if want := "A             B\nx INJECTED y  \ufffd[2J 1\u202f000\n"; got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}
