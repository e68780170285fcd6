package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
)

// awaitChange waits for a change.
func awaitChange(t *testing.T, s *client.Subscription) {
	t.Helper()
	select {
	case _, ok := <-s.Changed():
		if !ok {
			t.Fatalf("the subscription has ended: %v", s.Err())
		}
	case <-time.After(patient):
		t.Fatal("no change")
	}
}

// Resource updates and list changes reach their subscribers in every revision, and no other ones.
func TestSubscribeToResources(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			fake := fakeserver.New()
			c := dial(t, serveFake(t, fake), optionsFor(revision))
			subscribe := func(uri string) *client.Subscription {
				t.Helper()
				s, err := c.Subscribe(t.Context(), uri)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			one, two, list := subscribe("note://7"), subscribe("note://8"), subscribe("")
			if n := len(fake.Requests("resources/subscribe")); revision == "" && n != 0 || revision != "" && n != 2 {
				t.Errorf("the session has subscribed %d times", n)
			}
			waitForStreams(t, fake, revision)
			fake.Updated("note://7")
			awaitChange(t, one)
			fake.Updated("note://7/part")
			awaitChange(t, one)
			fake.Changed("prompts")
			fake.Updated("note://8")
			awaitChange(t, two)
			fake.Changed("resources")
			fake.Changed("tools")
			awaitChange(t, list)
			for i, s := range []*client.Subscription{one, two, list} {
				if len(s.Changed()) > 0 {
					t.Errorf("subscription %d has another change", i)
				}
			}
			if err := one.Close(); err != nil {
				t.Error(err)
			}
			fake.Updated("note://8")
			awaitChange(t, two)
			if err := errors.Join(two.Close(), two.Close(), list.Close()); err != nil {
				t.Error(err)
			}
			if n := len(fake.Requests("resources/unsubscribe")); revision == "" && n != 0 || revision != "" && n != 2 {
				t.Errorf("the session has unsubscribed %d times", n)
			}
			if _, uris := fake.Subscriptions(); len(uris) != 0 {
				t.Errorf("the session is still subscribed to %q", uris)
			}
		})
	}
}

// waitForStreams waits until the server has the streams of a test's subscriptions.
func waitForStreams(t *testing.T, fake *fakeserver.Server, revision string) {
	t.Helper()
	want := 1
	if revision == "" {
		want = 3
	}
	for end := time.Now().Add(patient); ; time.Sleep(time.Millisecond) {
		if n, _ := fake.Subscriptions(); n == want {
			return
		}
		if time.Now().After(end) {
			t.Fatal("there are no streams")
		}
	}
}

// Updates also arrive over stdio.
func TestSubscribeOverStdio(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-06-18", ""} {
		c := dial(t, child("updating"), optionsFor(revision))
		s, err := c.Subscribe(t.Context(), "note://7")
		if err != nil {
			t.Fatal(err)
		}
		awaitChange(t, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A subscription that the server refuses is an error.
func TestSubscribeRefused(t *testing.T) {
	t.Parallel()
	refusing := map[string]func(context.Context, json.RawMessage) (any, error){}
	for _, method := range []string{"resources/subscribe", "subscriptions/listen"} {
		refusing[method] = func(context.Context, json.RawMessage) (any, error) {
			return nil, &fakeserver.Error{Code: -32002, Message: "no such resource"}
		}
	}
	for _, revision := range revisions {
		fake := fakeserver.New()
		fake.Results = refusing
		c := dial(t, serveFake(t, fake), optionsFor(revision))
		refused := (*client.RPCError)(nil)
		if s, err := c.Subscribe(t.Context(), "note://7"); !errors.As(err, &refused) || s != nil {
			t.Errorf("%s: %v", revision, err)
		}
	}
}

// Anything that a server of the modern era sends beside the changes of the subscription is unexpected.
func TestSubscribeOthers(t *testing.T) {
	t.Parallel()
	unexpected := make(chan string, 10)
	const stream = `data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"promptsListChanged":true,"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":ID}}}

data: {"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":ID}}}

data: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":ID}}}

data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":ID}}}

data: {"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete"}}

`
	url := fakeHTTP(t, func(id int64) string { return strings.ReplaceAll(stream, "ID", jsonNumber(id)) })
	c := dial(t, client.Target{URL: url}, client.Options{Era: client.Modern, Unexpected: func(_ []byte, why string) { unexpected <- why }})
	s, err := c.Subscribe(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	changes := 0
	for range s.Changed() {
		changes++
	}
	if changes != 1 || s.Err() != nil {
		t.Errorf("%d changes, %v", changes, s.Err())
	}
	for _, want := range []string{"the subscription does not want it", "it names no resource"} {
		if got := <-unexpected; got != want {
			t.Errorf("what is unexpected: %s, want %s", got, want)
		}
	}
}

func jsonNumber(n int64) string {
	text, _ := json.Marshal(n) // numbers always marshal
	return string(text)
}
