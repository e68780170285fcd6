package busclient

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/notify"
)

// TestQueue: a notice is queued once, and what is queued is bounded, whatever is added.
func TestQueue(t *testing.T) {
	t.Parallel()
	updated := func(uri string) notify.Notice { return notify.Notice{Kind: notify.ResourceUpdated, Subject: uri} }
	of := func(tenant string, n notify.Notice) notify.Notice {
		n.Audience = notify.Audience{Tenant: tenant, IsLimited: true}
		return n
	}
	for _, test := range []struct {
		name   string
		add    func(add func(notify.Notice))
		length int
		with   notify.Notice
		reason string
	}{
		{"one URI", func(add func(notify.Notice)) {
			for range 100_000 {
				add(updated("docs://a"))
			}
		}, 1, updated("docs://a"), "equal notices are one"},
		{"many URIs", func(add func(notify.Notice)) {
			for i := range 100_000 {
				add(updated(fmt.Sprintf("docs://%d", i)))
			}
		}, maxQueued + 1, notify.Resources.Changed(), "the list stands for those that are too many"},
		{"many URIs of a tenant", func(add func(notify.Notice)) {
			for i := range 100_000 {
				add(of("acme", updated(fmt.Sprintf("docs://%d", i))))
			}
		}, maxQueued + 1, of("acme", notify.Resources.Changed()), "other tenants have no change"},
		{"lists of many tenants", func(add func(notify.Notice)) {
			for i := range 100_000 {
				add(of(fmt.Sprint(i), notify.Resources.Changed()))
			}
		}, 2 * maxQueued, of("0", notify.Resources.Changed()), "there may be any number of tenants"},
		{"a long URI of a tenant", func(add func(notify.Notice)) {
			add(of("acme", updated("docs://"+strings.Repeat("a", maxSubject))))
		}, 1, of("acme", notify.Resources.Changed()), "other tenants have no change"},
		{"a long tenant", func(add func(notify.Notice)) {
			add(notify.Tools.Changed())
			add(of(strings.Repeat("a", maxSubject+1), updated("docs://a")))
			add(of(strings.Repeat("a", maxSubject+1), notify.Resources.Changed()))
		}, 1, notify.Tools.Changed(), "receivers would ignore it"},
		{"a long URI", func(add func(notify.Notice)) {
			add(updated("docs://" + strings.Repeat("a", maxSubject)))
		}, 1, notify.Resources.Changed(), "receivers would ignore it"},
		{"many tasks", func(add func(notify.Notice)) {
			for i := range 100_000 {
				add(notify.Notice{Kind: notify.TaskChanged, Subject: fmt.Sprint(i)})
			}
		}, maxQueued, notify.Notice{Kind: notify.TaskChanged, Subject: "0"}, "the store tells of the others"},
		{"lists beside tasks", func(add func(notify.Notice)) {
			for i := range maxQueued {
				add(notify.Notice{Kind: notify.TaskChanged, Subject: fmt.Sprint(i)})
			}
			add(notify.Tools.Changed())
		}, maxQueued + 1, notify.Tools.Changed(), "lists are few"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := Client{stopping: t.Context(), isPublishing: true}
			test.add(p.Publish)
			if _, ok := p.queue[test.with]; len(p.queue) != test.length || !ok {
				t.Errorf("%d notices, with %v: %t; want %d: %s", len(p.queue), test.with, ok, test.length, test.reason)
			}
			p.enqueue(updated("docs://a"), time.Time{})
			if len(p.queue) > 2*maxQueued+notify.Lists {
				t.Errorf("%d notices are queued", len(p.queue))
			}
		})
	}
}
