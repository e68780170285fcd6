package notify

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestQueue: a notice is queued once, and what is queued is bounded, whatever is added.
func TestQueue(t *testing.T) {
	t.Parallel()
	updated := func(uri string) Notice { return Notice{Kind: resourceUpdated, Subject: uri} }
	of := func(tenant string, n Notice) Notice { n.Audience = Audience{tenant, true}; return n }
	for _, test := range []struct {
		name   string
		add    func(add func(Notice))
		length int
		with   Notice
		reason string
	}{
		{"one URI", func(add func(Notice)) {
			for range 100_000 {
				add(updated("docs://a"))
			}
		}, 1, updated("docs://a"), "equal notices are one"},
		{"many URIs", func(add func(Notice)) {
			for i := range 100_000 {
				add(updated(fmt.Sprintf("docs://%d", i)))
			}
		}, maxQueued + 1, Resources.changed(), "the list stands for those that are too many"},
		{"many URIs of a tenant", func(add func(Notice)) {
			for i := range 100_000 {
				add(of("acme", updated(fmt.Sprintf("docs://%d", i))))
			}
		}, maxQueued + 1, of("acme", Resources.changed()), "other tenants have no change"},
		{"lists of many tenants", func(add func(Notice)) {
			for i := range 100_000 {
				add(of(fmt.Sprint(i), Resources.changed()))
			}
		}, 2 * maxQueued, of("0", Resources.changed()), "there may be any number of tenants"},
		{"a long URI of a tenant", func(add func(Notice)) {
			add(of("acme", updated("docs://"+strings.Repeat("a", maxSubject))))
		}, 1, of("acme", Resources.changed()), "other tenants have no change"},
		{"a long tenant", func(add func(Notice)) {
			add(Tools.changed())
			add(of(strings.Repeat("a", maxSubject+1), updated("docs://a")))
			add(of(strings.Repeat("a", maxSubject+1), Resources.changed()))
		}, 1, Tools.changed(), "receivers would ignore it"},
		{"a long URI", func(add func(Notice)) {
			add(updated("docs://" + strings.Repeat("a", maxSubject)))
		}, 1, Resources.changed(), "receivers would ignore it"},
		{"many tasks", func(add func(Notice)) {
			for i := range 100_000 {
				add(Notice{Kind: taskChanged, Subject: fmt.Sprint(i)})
			}
		}, maxQueued, Notice{Kind: taskChanged, Subject: "0"}, "the store tells of the others"},
		{"lists beside tasks", func(add func(Notice)) {
			for i := range maxQueued {
				add(Notice{Kind: taskChanged, Subject: fmt.Sprint(i)})
			}
			add(Tools.changed())
		}, maxQueued + 1, Tools.changed(), "lists are few"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := busClient{stopping: t.Context(), isPublishing: true}
			test.add(p.publish)
			if _, ok := p.queue[test.with]; len(p.queue) != test.length || !ok {
				t.Errorf("%d notices, with %v: %t; want %d: %s", len(p.queue), test.with, ok, test.length, test.reason)
			}
			p.enqueue(updated("docs://a"), time.Time{})
			if len(p.queue) > 2*maxQueued+Lists {
				t.Errorf("%d notices are queued", len(p.queue))
			}
		})
	}
}
