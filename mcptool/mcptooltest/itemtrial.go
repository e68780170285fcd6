package mcptooltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// An itemTrial tests one prompt or resource through a server, in every revision.
type itemTrial struct {
	item     *item
	settings *settings
	key      string // name of the item in options
	hidden   hidden
	base     map[string]string
	deadline time.Time

	peers
	report
}

// newItemTrial connects a client of each revision to a server of the item. The context is used for all calls.
func newItemTrial(ctx context.Context, i *item, key string, s *settings) (*itemTrial, error) {
	t := &itemTrial{item: i, settings: s, key: key, report: report{noun: i.noun, name: i.name}}
	registry := &mcptool.Registry{}
	if err := i.addTo(registry); err != nil {
		return nil, err
	}
	peers, err := dialAll(ctx, s.client, registry, nil, len(s.answers[key]) > 0)
	if err != nil {
		return nil, err
	}
	t.peers = peers
	for _, p := range t.peers {
		t.hidden = append(t.hidden, t.listed(ctx, p))
	}
	return t, nil
}

// run makes all calls, completions and listings, until the time is up.
func (t *itemTrial) run(ctx context.Context) {
	calls, err := t.plan()
	if err != nil {
		t.fail(err.Error())
		return
	}
	t.deadline = time.Now().Add(t.settings.within)
	for i := range calls {
		if t.isLate() {
			t.omit("remaining calls", "time ran out after %d of %d calls; set a longer time with the option Within", i, len(calls))
			break
		}
		t.tryAll(ctx, &calls[i])
	}
	completions{t}.requestAll(ctx)
	listing{t}.walk(ctx)
	t.noteHidden(t.hidden)
	if len(t.failures) == 0 {
		t.summarize(t.hidden.not())
	}
	if !t.settings.failing[t.key] {
		t.requireSuccess(t.hidden)
	}
}

func (t *itemTrial) skip(tb testing.TB) {
	tb.Helper()
	t.skipHidden(tb, t.hidden)
}

func (t *itemTrial) isLate() bool { return time.Now().After(t.deadline) }

// failed returns the number of failures so far.
func (t *itemTrial) failed() int { return len(t.failures) + t.more }

// tryAll makes a call in each revision. After a failure it skips the others, which would fail in the same way.
func (t *itemTrial) tryAll(ctx context.Context, c *call) {
	before := t.failed()
	for k := range t.peers {
		if t.try(ctx, k, c, true); t.failed() > before {
			return
		}
	}
}

// try makes a call in the revision of a peer, and checks the answer. If twice is set, it repeats a call that does not
// fit, whose answer must be the same.
func (t *itemTrial) try(ctx context.Context, k int, c *call, twice bool) {
	p := t.peers[k]
	if t.hidden[k] {
		return
	}
	a, err := t.make(ctx, p, c)
	switch {
	case err != nil:
		t.unlike(p, c, err.Error(), "an answer")
		return
	case c.fits:
		t.judgeFit(p, c, &a)
		return
	}
	t.judgeMisfit(p, c, &a)
	if !twice || a.defect != nil {
		return
	}
	again, err := t.make(ctx, p, c)
	switch {
	case err != nil:
		t.unlike(p, c, "on the second call: "+err.Error(), "the same answer as on the first call")
	case string(a.raw) != string(again.raw):
		t.unlike(p, c, string(a.raw)+"\n          and then\n          "+string(again.raw), "the same answer to both calls")
	}
}

// make makes one call.
func (t *itemTrial) make(ctx context.Context, p *peer, c *call) (answer, error) {
	var u *user
	if answers := t.settings.answers[t.key]; len(answers) > 0 {
		u = &user{answers: answers}
	}
	a, err := t.request(ctx, p, t.item.method(), t.item.params(c.args), u)
	a.unasked = u != nil && u.isUnasked()
	return a, err
}

// request sends a request.
func (t *itemTrial) request(ctx context.Context, p *peer, method, params string, u *user) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, t.settings.within)
	defer cancel()
	a, err := p.request(ctx, request{method: method, params: params, access: t.settings.client.access(), user: u})
	if errors.Is(err, errSilent) {
		err = fmt.Errorf("no answer within %s", t.settings.within)
	}
	return a, err
}

// plan returns the calls to make, beginning with the ones that the option Arguments lists.
func (t *itemTrial) plan() ([]call, error) {
	own, err := t.settings.own(t.key)
	if err != nil {
		return nil, err
	}
	var calls []call
	for _, in := range own {
		args, err := t.ownCall(in)
		if err != nil {
			return nil, err
		}
		calls = append(calls, call{args: args, about: "from the option Arguments", fits: true, own: true})
	}
	if t.item.resource != nil && !t.item.isTemplate() {
		return append(calls, call{args: []byte(quoted(t.item.name)), about: "the URI of the resource", fits: true, listed: true}), nil
	}
	seen := map[string]bool{}
	first := len(own) == 0
	for _, s := range samples.Of(t.item.schema) {
		values, err := textsOf(s.JSON)
		if err != nil {
			continue // cannot be expressed as text
		}
		args, ok := t.item.written(values)
		if !ok || seen[string(args)] {
			continue
		}
		seen[string(args)] = true
		misfit, matches := t.item.judge(args)
		if !matches {
			continue
		}
		about := s.About
		if s.Path != "" {
			about = s.Path + ": " + s.About
		}
		c := call{args: args, about: about, fits: misfit == nil, first: misfit == nil && first}
		if c.first && t.base == nil {
			t.base = values
		}
		first = first && !c.first
		calls = append(calls, c)
	}
	return calls, nil
}

// ownCall returns the arguments that a client sends for a call of the option Arguments, which is JSON: arguments,
// variables or a URI.
func (t *itemTrial) ownCall(in []byte) (args []byte, err error) {
	var uri string
	if t.item.resource != nil && json.Unmarshal(in, &uri) == nil {
		args = in
	} else {
		values, err := textsOf(in)
		if err != nil {
			return nil, fmt.Errorf("%s: the option Arguments: %w", t.name, err)
		}
		var ok bool
		if args, ok = t.item.written(values); !ok {
			return nil, fmt.Errorf("%s: %s of the option Arguments does not make a URI", t.name, in)
		}
		if t.base == nil {
			t.base = values
		}
	}
	misfit, matches := t.item.judge(args)
	switch {
	case !matches:
		return nil, fmt.Errorf("%s: %s of the option Arguments does not match the URI template", t.name, args)
	case misfit != nil:
		return nil, fmt.Errorf("%s: %s of the option Arguments does not fit: %w", t.name, in, misfit)
	}
	return args, nil
}

// listed checks the entry of the item in the list, and reports whether it is hidden.
func (t *itemTrial) listed(ctx context.Context, p *peer) (hidden bool) {
	method, key := t.item.listing()
	wrong := func(format string, args ...any) {
		t.fail(fmt.Sprintf("%s, in revision %s: %s: ", t.name, p.revision, method) + fmt.Sprintf(format, args...))
	}
	a, err := t.request(ctx, p, method, "", nil)
	switch {
	case err != nil:
		wrong("%v", err)
		return false
	case a.result == nil:
		wrong("want a list, got %s", a.raw)
		return false
	}
	entries := a.result.entries()
	if len(entries) == 0 && t.settings.hides(t.item.runner) {
		return true
	}
	if len(entries) != 1 {
		wrong("want one %s, got %s", t.noun, a.raw)
		return false
	}
	var entry map[string]any
	if err := json.Unmarshal(entries[0], &entry); err != nil || entry[key] != t.item.name {
		wrong("want an entry with the %s %q, got %s", key, t.item.name, entries[0])
	}
	return false
}
