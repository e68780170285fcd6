package mcptooltest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/mcptool"
)

// fuzzPrompt is [Client.FuzzPrompt], with around as in fuzz.
func fuzzPrompt(f *testing.F, c *Client, prompt *mcptool.Prompt, around func() func(), opts ...Option) {
	f.Helper()
	s := newSettings(f, c, subjects{prompts: []*mcptool.Prompt{prompt}}, opts)
	tr := fuzzed(f, promptItem(prompt), s)
	calls, err := tr.plan()
	if err != nil {
		f.Fatal(err)
	}
	tr.tell(f)
	for _, c := range calls {
		f.Add(c.args)
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		defer around()()
		if !isSendable(tr.item.schema, args) {
			t.Skip("not a JSON object")
		}
		tr.fuzzArguments(t.Context(), args)
		tr.tellAnew(t)
	})
}

// fuzzResource is [Client.FuzzResource], with around as in fuzz.
func fuzzResource(f *testing.F, c *Client, resource *mcptool.Resource, around func() func(), opts ...Option) {
	f.Helper()
	i, err := resourceItem(resource)
	if err != nil {
		f.Fatal(err)
	}
	s := newSettings(f, c, subjects{resources: []*mcptool.Resource{resource}}, opts)
	tr := fuzzed(f, i, s)
	calls, err := tr.plan()
	if err != nil {
		f.Fatal(err)
	}
	page, next, err := listPage(context.Background(), c, resource, "")
	if err != nil {
		listing(tr).judge("", err, false)
	}
	tr.tell(f)
	for _, link := range page[:min(len(page), maxSuggestions)] {
		calls = append(calls, *listedCall(link))
	}
	for _, c := range calls {
		var uri string
		if err := json.Unmarshal(c.args, &uri); err != nil {
			f.Fatal(err)
		}
		f.Add(uri, next)
	}
	f.Fuzz(func(t *testing.T, uri, cursor string) {
		defer around()()
		if !utf8.ValidString(uri) || !utf8.ValidString(cursor) {
			t.Skip("not JSON")
		}
		tr.fuzzURI(t.Context(), uri)
		tr.fuzzCursor(t.Context(), cursor)
		tr.tellAnew(t)
	})
}

// fuzzed returns the trial of an item for a fuzz test.
func fuzzed(f *testing.F, i *item, s *settings) itemFuzz {
	f.Helper()
	ctx := context.Background() // f.Context ends before the calls begin
	tr, err := newItemTrial(ctx, i, i.name, s)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { tr.close(ctx) })
	tr.skip(f)
	return itemFuzz{tr}
}

// itemFuzz is the trial of an item with random arguments, URIs and cursors.
type itemFuzz struct{ *itemTrial }

// tellAnew reports the failures of an execution, and resets the report.
func (t itemFuzz) tellAnew(tb testing.TB) {
	tb.Helper()
	for _, text := range t.failures {
		tb.Error(text)
	}
	t.report = report{noun: t.noun, name: t.name}
}

// fuzzArguments renders the prompt with any arguments.
func (t itemFuzz) fuzzArguments(ctx context.Context, args []byte) {
	misfit, _ := t.item.judge(args)
	for k := range t.peers {
		t.try(ctx, k, &call{args: args, about: foundByFuzzer, fits: misfit == nil}, false)
	}
}

// fuzzURI reads any URI.
func (t itemFuzz) fuzzURI(ctx context.Context, uri string) {
	c := &call{args: []byte(quoted(uri)), about: foundByFuzzer}
	misfit, matches := t.item.judge(c.args)
	c.fits = misfit == nil
	for k := range t.peers {
		if matches {
			t.try(ctx, k, c, false)
		} else {
			t.tryStranger(ctx, k, c)
		}
	}
}

// tryStranger reads a URI that the resource does not match, which must not be found.
func (t itemFuzz) tryStranger(ctx context.Context, k int, c *call) {
	p := t.peers[k]
	a, err := t.make(ctx, p, c)
	switch {
	case err != nil:
		t.unlike(p, c, err.Error(), "an answer")
	case t.judgeDefect(p, c, &a):
	case a.refusal == nil || !isNotFound(p, &a):
		t.unlike(p, c, string(a.raw), "the error for an unknown resource: the URI does not match the template")
	}
}

// fuzzCursor requests a page with any cursor, and reads the first resource on it.
func (t itemFuzz) fuzzCursor(ctx context.Context, cursor string) {
	if internals.Settings(t.item.runner).Lister == nil {
		return
	}
	page, next, err := listPage(ctx, t.settings.client, t.item.resource, cursor)
	switch {
	case err != nil:
		listing(t).judge(cursor, err, true)
	case next != "" && next == cursor:
		t.fail(fmt.Sprintf("%s: endless list: the page at cursor %q has the same nextCursor", t.name, cursor))
	case len(page) > 0:
		listing(t).readLink(ctx, len(cursor)%len(t.peers), page[0])
	}
}

// foundByFuzzer is the reason given for a call of a fuzz test.
const foundByFuzzer = "found by the fuzzer"
