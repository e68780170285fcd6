package mcptooltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

// maxPages is the maximum number of pages that are requested of a list.
const maxPages = 1000

// noCursor is a cursor that is not valid for any list.
const noCursor = "mcptooltest: no such cursor"

// listing is the part of a trial that lists the resources under a template, and reads them.
type listing struct{ *itemTrial }

// walk lists the resources under a template, page by page, and reads them.
func (t listing) walk(ctx context.Context) {
	if t.item.resource == nil || internals.Settings(t.item.runner).Lister == nil || t.hidden.not() == 0 {
		return
	}
	before := t.failed()
	links := t.list(ctx)
	if t.failed() > before {
		return
	}
	if _, _, err := listPage(ctx, t.settings.client, t.item.resource, noCursor); err != nil {
		t.judge(noCursor, err, true)
	}
	for k := range t.peers {
		if !t.hidden[k] && t.failed() == before {
			t.listPages(ctx, t.peers[k])
		}
	}
	t.readListed(ctx, links)
}

// list returns the resources that the func lists.
func (t listing) list(ctx context.Context) (links []mcptool.ResourceLink) {
	uris, cursors := map[string]bool{}, map[string]bool{"": true}
	cursor := ""
	for range maxPages {
		if t.isLate() {
			break
		}
		page, next, err := listPage(ctx, t.settings.client, t.item.resource, cursor)
		if err != nil {
			t.judge(cursor, err, false)
			return links
		}
		for _, link := range page {
			if uris[link.URI] {
				t.fail(fmt.Sprintf("%s: %s is listed twice, the second time on the page at cursor %q", t.name, link.URI, cursor))
				return links
			}
			uris[link.URI] = true
		}
		links = append(links, page...)
		switch {
		case next == "":
			return links
		case cursors[next]:
			t.fail(fmt.Sprintf("%s: endless list: the page at cursor %q has nextCursor %q, the cursor of an earlier page", t.name, cursor, next))
			return links
		}
		cursors[next], cursor = true, next
	}
	t.omit("remaining pages", "time ran out after %d pages with %d resources of the list; set a longer time with the option Within", len(cursors)-1, len(links))
	return links
}

// listPage returns a page of the resources under a template, as the client and without a server; an empty one if they are
// not listed.
func listPage(ctx context.Context, c *Client, template *mcptool.Resource, cursor string) (page []mcptool.ResourceLink, next string, err error) {
	lister := internals.Settings(internals.Runner(template)).Lister
	if lister == nil {
		return nil, "", nil
	}
	ctx, err = c.inServer(c.Context(ctx))
	if err != nil {
		return nil, "", err
	}
	rest, err := lister.Call(ctx, []byte(`{"cursor":`+quoted(cursor)+`}`))
	if err != nil {
		return nil, "", err
	}
	listed := internals.Rendered(rest)
	return listed.Links, listed.Next, nil
}

// judge checks an error of a list. If may is set, the cursor is not valid, and only a defect is a failure.
func (t listing) judge(cursor string, err error, may bool) {
	text := err.Error()
	if panicked, ok := errors.AsType[*mcptool.PanicError](err); ok {
		t.fail(fmt.Sprintf("%s: panic while listing at cursor %q: %s\n%s", t.name, cursor, text, below(string(panicked.Stack))))
		return
	}
	if _, ok := errors.AsType[*mcptool.OutputError](err); ok || !may {
		t.fail(fmt.Sprintf("%s: listing at cursor %q: %s", t.name, cursor, text))
	}
}

// listPages reads the list as a client does.
func (t listing) listPages(ctx context.Context, p *peer) {
	wrong := func(format string, args ...any) {
		t.fail(fmt.Sprintf("%s, in revision %s: resources/list: ", t.name, p.revision) + fmt.Sprintf(format, args...))
	}
	params, seen := "", map[string]bool{}
	for range maxPages {
		if t.isLate() {
			t.omit("remaining pages", "time ran out during resources/list in revision %s; set a longer time with the option Within", p.revision)
			return
		}
		a, err := t.request(ctx, p, "resources/list", params, nil)
		switch {
		case err != nil:
			wrong("%v", err)
			return
		case a.refusal != nil:
			wrong("%s%s", a.raw, because(&a))
			return
		}
		for _, raw := range a.result.Resources {
			var entry struct{ URI, Name string }
			if err := json.Unmarshal(raw, &entry); err != nil || entry.URI == "" || entry.Name == "" || seen[entry.URI] {
				wrong("want entries with names and distinct URIs, got %s", raw)
				return
			}
			seen[entry.URI] = true
		}
		if a.result.NextCursor == nil {
			return
		}
		params = `"cursor":` + quoted(*a.result.NextCursor)
	}
}

// readListed reads the listed resources, each in one revision.
func (t listing) readListed(ctx context.Context, links []mcptool.ResourceLink) {
	before := t.failed()
	for i, link := range links {
		if t.isLate() {
			t.omit("remaining listed resources", "time ran out after %d of %d listed resources; set a longer time with the option Within", i, len(links))
			return
		}
		t.readLink(ctx, i%len(t.peers), link)
		if t.failed() > before+maxFailures {
			return
		}
	}
}

// readLink reads a listed resource, in the revision of a peer.
func (t listing) readLink(ctx context.Context, k int, link mcptool.ResourceLink) {
	c := listedCall(link)
	if misfit, _ := t.item.judge(c.args); misfit != nil {
		t.fail(fmt.Sprintf("%s: the listed URI %s does not fit the template: %v", t.name, link.URI, misfit))
		return
	}
	t.try(ctx, k, c, false)
}

// listedCall returns the call that reads a listed resource.
func listedCall(link mcptool.ResourceLink) *call {
	return &call{
		args: []byte(quoted(link.URI)), about: "a listed resource", fits: true, listed: true,
		announced: &announcement{mimeType: link.MIMEType, size: link.Size},
	}
}
