package mcptooltest

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/mcptool"
)

func FuzzTrip(f *testing.F) {
	prompt, err := mcptool.NewPrompt(trip)
	if err != nil {
		f.Fatal(err)
	}
	fuzzPrompt(f, new(Client), prompt, hang.Watch(f))
}

func FuzzNotes(f *testing.F) {
	resource, err := mcptool.NewResource(readNote, mcptool.ListWith(pages(1, 2, 3)))
	if err != nil {
		f.Fatal(err)
	}
	fuzzResource(f, new(Client), resource, hang.Watch(f))
}

func FuzzFiles(f *testing.F) {
	tree := fstest.MapFS{"a.md": {Data: []byte("# A")}, "b/c.bin": {Data: []byte{0, 1}}, "b/\u00e4 b.txt": {Data: []byte("c")}, ".git/config": {Data: []byte("secret")}}
	fuzzResource(f, new(Client), mcptool.Files(tree, "docs://"), hang.Watch(f))
}

// TestFuzzItemsFind checks that the fuzzers find defects that occur only for arguments, URIs and cursors outside the
// samples.
func TestFuzzItemsFind(t *testing.T) {
	t.Parallel()
	prompt := newPrompt(t, func(_ context.Context, in tripIn) ([]mcptool.Message, error) {
		if in.City == "zzz" {
			return nil, nil
		}
		return []mcptool.Message{{Content: mcptool.Text{Text: in.City}}}, nil
	})
	resource := newResource(t, func(ctx context.Context, in noteIn) (note, error) {
		if in.ID == 7 {
			panic("oops")
		}
		return readNote(ctx, in)
	}, mcptool.ListWith(func(_ context.Context, cursor string) ([]mcptool.ResourceLink, string, error) {
		switch cursor {
		case "same":
			return nil, "same", nil
		case "panic":
			panic("oops")
		case "dead":
			return []mcptool.ResourceLink{noteLink(5)}, "", nil
		default:
			return nil, "", nil
		}
	}))
	for _, subject := range []any{prompt, resource} {
		if tr := triedItem(t, subject); len(tr.failures) > 0 {
			t.Fatalf("the samples found it: %s", tr.failures[0])
		}
	}
	for _, test := range []struct {
		reason  string
		subject any
		do      func(tr itemFuzz)
		want    string // "" for no failure
	}{
		{"valid arguments", prompt, func(tr itemFuzz) { tr.fuzzArguments(t.Context(), []byte(`{"city":"Lisbon","days":" 2 "}`)) }, ""},
		{"invalid arguments", prompt, func(tr itemFuzz) { tr.fuzzArguments(t.Context(), []byte(`{"city":"L"}`)) }, ""},
		{"arguments that are not strings", prompt, func(tr itemFuzz) { tr.fuzzArguments(t.Context(), []byte(`{"city":["L"]}`)) }, ""},
		{"no messages", prompt, func(tr itemFuzz) { tr.fuzzArguments(t.Context(), []byte(`{"city":"zzz"}`)) }, "the prompt has no messages"},
		{"valid URI", resource, func(tr itemFuzz) { tr.fuzzURI(t.Context(), "notes://2?expand=true") }, ""},
		{"invalid variable", resource, func(tr itemFuzz) { tr.fuzzURI(t.Context(), "notes://x") }, ""},
		{"URI that does not match", resource, func(tr itemFuzz) { tr.fuzzURI(t.Context(), "notes://1/2\x00") }, ""},
		{"empty URI", resource, func(tr itemFuzz) { tr.fuzzURI(t.Context(), "") }, ""},
		{"panic", resource, func(tr itemFuzz) { tr.fuzzURI(t.Context(), "notes://7") }, "no panic"},
		{"cursor whose next is the same", resource, func(tr itemFuzz) { tr.fuzzCursor(t.Context(), "same") }, "has the same nextCursor"},
		{"panicking cursor", resource, func(tr itemFuzz) { tr.fuzzCursor(t.Context(), "panic") }, `panic while listing at cursor "panic"`},
		{"unreadable page", resource, func(tr itemFuzz) { tr.fuzzCursor(t.Context(), "dead") }, "listed resources must be readable"},
		{"unknown cursor", resource, func(tr itemFuzz) { tr.fuzzCursor(t.Context(), "x") }, ""},
	} {
		tr := newTestTrial(t, test.subject)
		test.do(itemFuzz{tr})
		got := strings.Join(tr.failures, "\n")
		if !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestItemVerdicts checks the verdicts on responses that the engine does not send.
func TestItemVerdicts(t *testing.T) {
	t.Parallel()
	prompt, resource := newPrompt(t, trip), newResource(t, text("hello"), mcptool.URI("notes://a"))
	const oldest, newest = 0, 4
	many := strings.Repeat(`"a",`, maxCompletions) + `"a"`
	for _, test := range []struct {
		reason, answer string
		subject        any
		k              int
		fits           bool
		want           string
	}{
		{"message", `{"result":{"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}}`, prompt, oldest, true, ""},
		{"no messages", `{"result":{"messages":[]}}`, prompt, newest, true, "want  messages"},
		{"an unknown role", `{"result":{"messages":[{"role":"system","content":{"type":"text","text":"a"}}]}}`, prompt, newest, true, "messages with the role user or assistant"},
		{"content of later revisions", `{"result":{"messages":[{"role":"user","content":{"type":"audio"}}]}}`, prompt, oldest, true, "content types of the revision"},
		{"content of the newest revision", `{"result":{"messages":[{"role":"user","content":{"type":"audio"}}]}}`, prompt, newest, true, ""},
		{"unknown content", `{"result":{"messages":[{"role":"user","content":{"type":"video"}}]}}`, prompt, newest, true, "content types of the revision"},
		{"protocol error", `{"error":{"code":-32601,"message":"no"}}`, prompt, newest, true, "want  a result, or an error of the prompt"},
		{"result for invalid arguments", `{"result":{"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}}`, prompt, newest, false, "want  error -32602"},
		{"contents", `{"result":{"contents":[{"uri":"notes://a","mimeType":"text/plain; charset=utf-8","text":""}]}}`, resource, newest, true, ""},
		{"no contents", `{"result":{"contents":[]}}`, resource, newest, true, "at least one element in contents"},
		{"contents without a URI", `{"result":{"contents":[{"text":"a"}]}}`, resource, newest, true, "a URI, and either text or a blob"},
		{"text and blob", `{"result":{"contents":[{"uri":"notes://a","text":"a","blob":""}]}}`, resource, newest, true, "either text or a blob"},
		{"neither text nor blob", `{"result":{"contents":[{"uri":"notes://a"}]}}`, resource, newest, true, "either text or a blob"},
		{"another URI", `{"result":{"contents":[{"uri":"notes://b","mimeType":"image/png","blob":""}]}}`, resource, newest, true, ""},
		{"not found, as in an older revision", `{"error":{"code":-32002,"message":"Resource not found","data":{"uri":"notes://a"}}}`, resource, newest, true, "want  a result, or an error of the resource"},
	} {
		tr := newTestTrial(t, test.subject)
		a, err := tr.peers[test.k].read([]byte(test.answer), "")
		if err != nil {
			t.Fatal(err)
		}
		c := &call{args: []byte(`"notes://a"`), fits: test.fits}
		if test.fits {
			tr.judgeFit(tr.peers[test.k], c, &a)
		} else {
			tr.judgeMisfit(tr.peers[test.k], c, &a)
		}
		got := strings.Join(tr.failures, "\n")
		if !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
	for answer, want := range map[string]string{
		`{"result":{"completion":{"values":["a"]}}}`:          "",
		`{"result":{"completion":{"values":[` + many + `]}}}`: "at most 100 values",
		`{"result":{"completion":{"values":null}}}`:           "at most 100 values",
		`{"result":{}}`: "at most 100 values",
		`{"error":{"code":-32602,"message":"no"}}`: "want  values",
	} {
		tr := newTestTrial(t, prompt)
		a, err := tr.peers[newest].read([]byte(answer), "")
		if err != nil {
			t.Fatal(err)
		}
		completions{tr}.judge(tr.peers[newest], &call{}, &a, "city")
		got := strings.Join(tr.failures, "\n")
		if !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%.60s: got %q, want %q", answer, got, want)
		}
	}
}
