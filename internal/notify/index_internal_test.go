package notify

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// isUpdatedBy reports whether a subscription to a URI is notified of an update of another URI: a slow version of find.
func isUpdatedBy(subscribed, updated string) bool {
	if subscribed == updated {
		return true
	}
	path, _, _ := strings.Cut(updated, "?")
	path, _, _ = strings.Cut(path, "#")
	return strings.HasPrefix(path, subscribed+"/") || strings.HasSuffix(subscribed, "/") && strings.HasPrefix(path, subscribed)
}

// checkIndex adds subscriptions, removes every second one, and looks for the rest.
func checkIndex(t *testing.T, subscribed []string, updated string) {
	t.Helper()
	key, ok := uritemplate.Normalize(updated)
	if !ok || len(key) > MaxURI {
		return
	}
	var x index
	var subs []*Subscription
	for _, uri := range subscribed {
		if normal, ok := uritemplate.Normalize(uri); ok {
			sub := &Subscription{URI: uri, Key: normal}
			subs = append(subs, sub)
			x.add(sub)
		}
	}
	for i := range subs {
		if i%2 == 1 {
			x.remove(subs[i])
		}
	}
	var want []*Subscription
	for i, sub := range subs {
		if i%2 == 0 && isUpdatedBy(sub.Key, key) {
			want = append(want, sub)
		}
	}
	got := x.find(key)
	for _, sub := range subs {
		if in, due := slices.Contains(got, sub), slices.Contains(want, sub); in != due {
			t.Errorf("an update of %q: a subscription to %q is found: %t, want %t", updated, sub.URI, in, due)
		}
	}
	if len(got) != len(want) {
		t.Errorf("an update of %q finds %d subscriptions, want %d", updated, len(got), len(want))
	}
	for i := 0; i < len(subs); i += 2 {
		x.remove(subs[i])
	}
	if x.byKey != nil {
		t.Errorf("%d keys are left", len(x.byKey))
	}
}

// indexCases are an updated URI and the URIs that were subscribed to, all in one.
var indexCases = []string{
	"docs://guide x docs://guide docs://guide/ docs://guide/x docs://guide",
	"docs://guide/intro docs://guide x docs://guide/ x docs://guid x docs:/ x docs:// x docs: x docs://guide/intro x docs://guide/intro/ x",
	"docs://guide/a/b docs://guide/a x docs://guide x docs://guide/a/b/c x docs://guide/a/ docs://guide//",
	"docs://guide/a?b=/c docs://guide/a x docs://guide/a?b= x docs://guide x docs://guide/a?b=/c",
	"docs://guide#/x docs://guide x docs://guide# x docs:// x docs:",
	"docs://g%75ide/%2f docs://guide x docs://guide/%2F x docs://guide/ x",
	"docs:a/b docs:a x docs x docs: x a",
	"x:///// x:/// x x://// x x:// x x:/ x x: x x:///// x x:////",
	"docs://guide/ docs://guide x docs://guide/ x docs://guide//",
}

// FuzzIndex compares what the index finds with what a comparison of each subscription finds.
func FuzzIndex(f *testing.F) {
	for _, text := range indexCases {
		f.Add(text)
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text string) {
		defer watch()()
		words := strings.Fields(text)
		if len(words) > 0 && len(words) < 50 {
			checkIndex(t, words[1:], words[0])
		}
	})
}

// TestIndex does the same with URIs that are likely to be above one another.
func TestIndex(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		text := "x:"
		for range rnd.IntN(8) {
			text += []string{"/", "/", "a", "b", "%61", "?", "#"}[rnd.IntN(7)]
		}
		return text
	}
	for range 20_000 {
		subscribed := make([]string, rnd.IntN(20))
		for i := range subscribed {
			subscribed[i] = word()
		}
		checkIndex(t, subscribed, word())
	}
}
