package transcript_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/internal/testing/transcript"
)

// script is a server that sends predefined messages.
type script struct {
	says []string
	got  []string
	open bool
}

func (s *script) Send(line []byte) error {
	s.got = append(s.got, string(line))
	return nil
}

func (s *script) CloseSend() error {
	s.open = false
	return nil
}

func (s *script) Receive(ctx context.Context) ([]byte, error) {
	switch {
	case len(s.says) > 0:
		msg := s.says[0]
		s.says = s.says[1:]
		return []byte(msg), nil
	case !s.open:
		return nil, io.EOF
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestPlay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		says       []string
		want       string // substring of the error; "" for success
	}{
		{"equal", `<- {"a":1,"b":[true,null]}`, []string{`{ "b":[true, null], "a":1 }`}, ""},
		{"another value", `<- {"a":1}`, []string{`{"a":2}`}, "message.a is 2, want 1"},
		{"another spelling of a number", `<- {"a":1}`, []string{`{"a":1.0}`}, "message.a is 1.0, want 1"},
		{"another type", `<- {"a":"1"}`, []string{`{"a":1}`}, `message.a is 1, want "1"`},
		{"an extra member", `<- {"a":1}`, []string{`{"a":1,"b":2}`}, "unexpected member message.b"},
		{"a missing member", `<- {"a":1,"b":2}`, []string{`{"a":1}`}, "message.b is missing"},
		{"an extra element", `<- [1]`, []string{`[1,2]`}, "message is [1,2], want [1]"},
		{"not an object", `<- {}`, []string{`[]`}, "message is []"},
		{"deep", `<- {"a":[{"b":1}]}`, []string{`{"a":[{"b":2}]}`}, "message.a[0].b is 2"},
		{"placeholders", `<- {"a":"<any>","b":"<string>","c":"<number>","d":"<object>","e":"<match [a-z]+>"}`, []string{`{"a":null,"b":"x","c":1,"d":{},"e":"abc"}`}, ""},
		{"not a string", `<- "<string>"`, []string{`1`}, "message is 1"},
		{"not a number", `<- "<number>"`, []string{`"1"`}, `message is "1"`},
		{"no match", `<- "<match [a-z]+>"`, []string{`"abc1"`}, `message is "abc1"`},
		{"an open object", `<- {"a":1,"<more>":"<any>"}`, []string{`{"a":1,"b":2}`}, ""},
		{"an open object with a missing member", `<- {"a":1,"<more>":"<any>"}`, []string{`{"b":2}`}, "message.a is missing"},
		{"no message", `<- {}`, nil, "no message"},
		{"not JSON", `<- {}`, []string{"{"}, "not JSON"},
		{"any order", "<~ 1\n<~ 2\n<- 3", []string{"2", "1", "3"}, ""},
		{"any order, one wrong", "<~ 1\n<~ 2", []string{"2", "3"}, "message is 3"},
		{"silence", "<- nothing", nil, ""},
		{"an unexpected message", "<- nothing", []string{"1"}, "want no message"},
		{"end", "-|\n<-|", nil, ""},
		{"a message instead of the end", "-|\n<-|", []string{"1"}, "want the end of the output"},
		{"no message and no end", "<-|", nil, "deadline"},
		{"pause", ".. 1h\n<- 1", []string{"1"}, ""},
		{"let", "%let X \"a\"\n<- {\"x\":${X}}", []string{`{"x":"a"}`}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr, err := transcript.Parse("file", "Prose.\n\n"+test.text)
				if err != nil {
					t.Fatal(err)
				}
				err = tr.Play(t.Context(), &script{says: test.says, open: true})
				if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %q", err, test.want)
				}
			})
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	s := &script{}
	tr, err := transcript.Parse("a/b", "What this shows.\nT-RPC-01\n\n%server page=2 quiet\n# a remark\n-> {\"a\" : 1}\n=> \"x\\xff\"\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Play(t.Context(), s); err != nil || strings.Join(s.got, "|") != "{\"a\" : 1}|x\xff" {
		t.Errorf("sent %q, %v", s.got, err)
	}
	if got := string(bytes.Join(tr.Sent(), []byte("|"))); got != "{\"a\" : 1}|x\xff" {
		t.Errorf("says that it sends %q", got)
	}
	if tr.Name != "a/b" || tr.Prose != "What this shows.\nT-RPC-01\n\n" || tr.Server["page"] != "2" {
		t.Errorf("got %q, %q, %v", tr.Name, tr.Prose, tr.Server)
	}
	for name, text := range map[string]string{
		"empty":           "Only prose.",
		"not JSON":        "<- {",
		"two values":      "<- {} {}",
		"not a string":    `=> x`,
		"not a duration":  ".. soon",
		"not a directive": "-> {}\nhello",
	} {
		if _, err := transcript.Parse("x", text); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	all, err := transcript.Load(fstest.MapFS{
		"a/one.txt": {Data: []byte("-> 1")},
		"b/two.txt": {Data: []byte("-> 2")},
		"b/notes":   {Data: []byte("nothing")},
	})
	if err != nil || len(all) != 2 || all[0].Name != "a/one" || all[1].Name != "b/two" {
		t.Errorf("got %v, %v", all, err)
	}
	if _, err := transcript.Load(fstest.MapFS{"a.txt": {Data: []byte("?")}}); err == nil {
		t.Error("a file without directives is accepted")
	}
}

// TestLoadRevisions checks that one file yields a transcript for each revision
// that it names.
func TestLoadRevisions(t *testing.T) {
	t.Parallel()
	const text = "Prose.\n%revisions 1 2 3\n@..1 %let X old\n@2.. %let X new\n-> ${REVISION} ${X}\n@2..2 -> middle\n@3..3 -> last\n"
	all, err := transcript.Load(fstest.MapFS{"a/b.txt": {Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tr := range all {
		got = append(got, tr.Name+": "+string(bytes.Join(tr.Sent(), []byte("|"))))
	}
	if want := []string{"a/b/1: 1 old", "a/b/2: 2 new|middle", "a/b/3: 3 new|last"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for name, line := range map[string]string{"begins nowhere": "@0.. -> x", "ends nowhere": "@1..4 -> x", "is no span": "@2 -> x"} {
		if _, err := transcript.Load(fstest.MapFS{"a.txt": {Data: []byte("%revisions 1 2 3\n-> y\n" + line)}}); err == nil {
			t.Errorf("a span that %s is accepted", name)
		}
	}
}
