package docpage_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcptool-go/mcptool/bench/internal/docpage"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/mcptool"
)

func TestBoth(t *testing.T) {
	t.Parallel()
	result := func(json string) docpage.Outcome { return docpage.Answered([]byte(json)) }
	structured := func(json string) docpage.Outcome { return result(`{"content":[],"structuredContent":` + json + `}`) }
	shape := func(text string) docpage.Outcome {
		return docpage.Outcome{Ending: docpage.Result, Varies: true, Blocks: []docpage.Block{{Label: "structured content, types only", JSON: true, Text: text}}}
	}
	for _, tt := range []struct {
		name       string
		a, b, want docpage.Outcome
	}{
		{"the same", structured(`{"a":1}`), structured(`{ "a" : 1 }`), structured(`{"a":1}`)},
		{"another value", structured(`{"a":1,"b":"x"}`), structured(`{"a":2,"b":"x"}`), shape(`{"a": number, "b": string}`)},
		{"another kind", structured(`{"a":1}`), structured(`{"a":null}`), shape(`{"a": varies}`)},
		{"another length", structured(`{"a":[1,2]}`), structured(`{"a":[1]}`), shape("{\n  \"a\": [number]\n}")},
		{"a member that comes and goes", structured(`{"a":true,"b":1}`), structured(`{"a":true}`), shape(`{"a": boolean}`)},
		{
			"another text", result(`{"content":[{"type":"text","text":"1"}]}`), result(`{"content":[{"type":"text","text":"2"}]}`),
			docpage.Outcome{Ending: docpage.Result, Varies: true, Blocks: []docpage.Block{{Label: "text", Text: "(text that differs between calls)"}}},
		},
		{
			"another ending", structured(`{}`), docpage.Declined(-32603, "no"),
			docpage.Outcome{Ending: docpage.Mixed, Varies: true, Blocks: []docpage.Block{{Label: "outcome", Text: "Two identical calls had different outcomes."}}},
		},
		{
			"one block more", result(`{"content":[{"type":"text","text":"a"}]}`), result(`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`),
			docpage.Outcome{Ending: docpage.Result, Varies: true, Blocks: []docpage.Block{{Label: "text", Text: "a"}}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			same := cmpopts.IgnoreUnexported(docpage.Block{})
			if diff := cmp.Diff(tt.want, docpage.Both(tt.a, tt.b), same); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(docpage.Both(tt.a, tt.b), docpage.Both(tt.b, tt.a), same, cmpopts.SortMaps(func(a, b string) bool { return a < b })); diff != "" {
				t.Errorf("the order of the two calls matters (-ab +ba):\n%s", diff)
			}
		})
	}
}

func TestAnswered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, result string
		ending       docpage.Ending
		want         []string // in the form label: text
	}{
		{"structured, and the same as text", `{"structuredContent":{"a":1},"content":[{"type":"text","text":"{\"a\":1}"}]}`, docpage.Result, []string{`structured content: {"a": 1}`}},
		{"structured, and another text", `{"structuredContent":{"a":1},"content":[{"type":"text","text":"one"}]}`, docpage.Result, []string{`structured content: {"a": 1}`, "text: one"}},
		{"a string, and the same as text", `{"structuredContent":"a\nb","content":[{"type":"text","text":"a\nb"}]}`, docpage.Result, []string{"text: a\nb"}},
		{"a string, and its JSON as text", `{"structuredContent":"a","content":[{"type":"text","text":"\"a\""}]}`, docpage.Result, []string{`structured content: "a"`, `text: "a"`}},
		{"text that is JSON", `{"content":[{"type":"text","text":"[1]"}]}`, docpage.Result, []string{"text, which is JSON: [1]"}},
		{"a number is no JSON to speak of", `{"content":[{"type":"text","text":"1"}]}`, docpage.Result, []string{"text: 1"}},
		{"an error", `{"isError":true,"content":[{"type":"text","text":"no"}]}`, docpage.Error, []string{"text: no"}},
		{"a picture", `{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`, docpage.Result, []string{"image: image/png, about 3 bytes"}},
		{"a link", `{"content":[{"type":"resource_link","name":"n","uri":"a:b"}]}`, docpage.Result, []string{"link to a resource: n a:b"}},
		{"a resource", `{"content":[{"type":"resource","resource":{"uri":"a:b","text":"x"}}]}`, docpage.Result, []string{"resource: a:b\nx"}},
		{"a type from the future", `{"content":[{"type":"moving_picture","mimeType":"video/mp4","data":"AAAA","annotations":{}}]}`, docpage.Result, []string{"moving picture: video/mp4, about 3 bytes"}},
		{"members from the future", `{"content":[{"type":"model","uri":"a:b","scale":2}]}`, docpage.Result, []string{"content: {\"type\": \"model\", \"uri\": \"a:b\", \"scale\": 2}"}},
		{"what nobody knows", `{"content":[{"type":"smell"}]}`, docpage.Result, []string{`content: {"type": "smell"}`}},
		{"nothing", `{}`, docpage.Result, nil},
		{"no result", `[]`, docpage.NoAnswer, []string{"why: the result is not a valid JSON object"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := docpage.Answered([]byte(tt.result))
			var got []string
			for _, b := range o.Blocks {
				got = append(got, b.Label+": "+b.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || o.Ending != tt.ending {
				t.Errorf("it ends with %s, want %s; blocks (-want +got):\n%s", o.Ending, tt.ending, diff)
			}
		})
	}
}

// TestContentShown checks that a page describes every content type that tools built with
// mcptool return.
func TestContentShown(t *testing.T) {
	t.Parallel()
	internals := mcptool.Internal(private.Key{})
	for i, block := range fixture.Content() {
		json := internals.AppendContent([]byte(`{"content":[`), block, &private.ContentForm{Revision: "2026-07-28", Meta: true, Icons: true, LastModified: true}, nil, i)
		o := docpage.Answered(append(json, `]}`...))
		if len(o.Blocks) != 1 || o.Blocks[0].JSON || o.Blocks[0].Text == "" {
			t.Errorf("%T is shown as %+v; contentBlock has no words for it", block, o.Blocks)
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	const noValue = "Not called: no arguments that fit the input schema could be generated."
	for _, tt := range []struct {
		name, entry, skip, want string
	}{
		{"called", `{"inputSchema":{"type":"object"}}`, "", ""},
		{"skipped by the caller", `{"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`, "Not called: so.", "Not called: so."},
		{"skipped by the caller before anything else", `{}`, "Not called: so.", "Not called: so."},
		{"a task", `{"inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`, "", "Not called: runs only as a task."},
		{"no schema", `{}`, "", "Not called: no input schema."},
		{"nothing fits", `{"inputSchema":{"type":"object","required":["a"],"properties":{"a":{"not":{}}}}}`, "", noValue},
		{"no entry", `nonsense`, "", "Not called: invalid entry in the list of tools."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := docpage.Plan([]byte(tt.entry), tt.skip); got.Skipped != tt.want {
				t.Errorf("got %q, want %q", got.Skipped, tt.want)
			}
		})
	}
}
