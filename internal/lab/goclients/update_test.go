package goclients_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// interval exceeds the time within which updates of one URI are merged.
const interval = 110 * time.Millisecond

func TestUpdates(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c client, seen events) {
		t.Helper()
		if err := c.Call(t.Context(), "touch", map[string]any{"times": 1}); err != nil {
			t.Fatal(err)
		}
		seen.silent(t) // no subscription yet
		if err := c.Subscribe(t.Context(), counterURI); err != nil {
			t.Fatal(err)
		}
		// Sequential, so that no update is merged with the next.
		for range 50 {
			if err := c.Call(t.Context(), "touch", map[string]any{"times": 1}); err != nil {
				t.Fatal(err)
			}
			if got, want := seen.next(t), (event{updated, counterURI}); got != want {
				t.Fatalf("got %v, want %v", got, want)
			}
			time.Sleep(interval)
		}
		seen.silent(t)
		burst(t, c, seen, 1+50)
		if err := c.Unsubscribe(t.Context(), counterURI); err != nil {
			t.Fatal(err)
		}
		if c.Revision() >= modern {
			time.Sleep(interval) // closing a stream is not acknowledged
		}
		if err := c.Call(t.Context(), "touch", map[string]any{"times": 1}); err != nil {
			t.Fatal(err)
		}
		seen.silent(t)
	})
}

// burst increments the counter faster than clients are notified, reads it at each notification, and requires the last
// value to be read in the end.
func burst(t *testing.T, c client, seen events, before int) {
	t.Helper()
	const times = 150
	done := make(chan error, 1)
	go func() { done <- c.Call(t.Context(), "touch", map[string]any{"times": times}) }()
	want, got := fmt.Sprint(before+times), ""
	for notified := 0; got != want; notified++ {
		if notified == times {
			t.Fatalf("notified %d times, and read %s instead of %s", notified, got, want)
		}
		if got := seen.next(t); got.uri != counterURI {
			t.Fatalf("got %v", got)
		}
		result, err := c.Read(t.Context(), counterURI)
		if err != nil {
			t.Fatal(err)
		}
		read, err := convert[readResult](result)
		if err != nil || len(read.Contents) != 1 || read.Contents[0].Text == nil {
			t.Fatalf("%v %v", result, err)
		}
		got = *read.Contents[0].Text
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for quiet := false; !quiet; { // sent before the last value was read
		select {
		case <-seen:
		case <-time.After(3 * interval):
			quiet = true
		}
	}
}

func TestSubscribeToNothing(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c client, seen events) {
		t.Helper()
		err := c.Subscribe(t.Context(), "mem:///none")
		if c.Revision() >= modern {
			if !errors.Is(err, errNotHonoured) {
				t.Errorf("subscribed: %v", err)
			}
		} else if c.Code(err) != -32002 {
			t.Errorf("subscribed: %v", err)
		}
		seen.silent(t)
	})
}

func TestListChanged(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c client, seen events) {
		t.Helper()
		for _, there := range []bool{true, false, true} {
			if err := c.Call(t.Context(), "toggle", map[string]any{}); err != nil {
				t.Fatal(err)
			}
			changes := []string{seen.next(t).method, seen.next(t).method}
			if slices.Sort(changes); !slices.Equal(changes, []string{promptsChanged, resourcesChanged}) {
				t.Fatalf("changes: %q", changes)
			}
			prompts, _, err := c.Prompts(t.Context())
			if got := slices.ContainsFunc(prompts, func(p item) bool { return p.Name == "extra" }); err != nil || got != there {
				t.Errorf("prompts: %v %v", prompts, err)
			}
			resources, _, err := c.Resources(t.Context())
			if got := slices.ContainsFunc(resources, func(r item) bool { return r.URI == "mem:///extra" }); err != nil || got != there {
				t.Errorf("resources: %v %v", resources, err)
			}
		}
	})
}
