package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
)

// awaitChanges receives changes until all of want have arrived.
func awaitChanges(t *testing.T, s *client.Subscription, want client.Changes) {
	t.Helper()
	for end := time.After(patient); ; {
		select {
		case _, ok := <-s.Changed():
			if !ok {
				t.Fatalf("the subscription has ended: %v", s.Err())
			}
			got := s.Take()
			if got.Tools && !want.Tools || got.Prompts && !want.Prompts || got.Resources && !want.Resources {
				t.Errorf("there is %s, want %s", got, want)
			}
			want.Tools, want.Prompts, want.Resources = want.Tools && !got.Tools, want.Prompts && !got.Prompts, want.Resources && !got.Resources
			want.Updated = slices.DeleteFunc(slices.Clone(want.Updated), func(uri string) bool { return slices.Contains(got.Updated, uri) })
			if want.String() == "" {
				return
			}
		case <-end:
			t.Fatalf("no change of %s", want)
		}
	}
}

// Resource updates and list changes reach their subscribers in every revision.
func TestSubscribeToResources(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			fake := fakeserver.New()
			c := dial(t, serveFake(t, fake), optionsFor(revision))
			subscribe := func(to client.Changes) *client.Subscription {
				t.Helper()
				s, err := c.Subscribe(t.Context(), to)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			one, two := subscribe(client.Changes{Updated: []string{"note://7"}}), subscribe(client.Changes{Updated: []string{"note://7", "note://8"}, Prompts: true})
			lists := subscribe(client.Changes{Tools: true, Resources: true})
			if got := two.Honored(); got.String() != "prompts, the resource note://7 and the resource note://8" {
				t.Errorf("honored is %s", got)
			}
			if n := len(fake.Requests("resources/subscribe")); revision == "" && n != 0 || revision != "" && n != 2 {
				t.Errorf("the session has subscribed %d times", n)
			}
			waitForStreams(t, fake, revision)
			fake.Updated("note://7")
			awaitChanges(t, one, client.Changes{Updated: []string{"note://7"}})
			awaitChanges(t, two, client.Changes{Updated: []string{"note://7"}})
			fake.Updated("note://7/part")
			awaitChanges(t, one, client.Changes{Updated: []string{"note://7/part"}})
			fake.Changed("prompts")
			fake.Updated("note://8")
			awaitChanges(t, two, client.Changes{Prompts: true, Updated: []string{"note://7/part", "note://8"}})
			fake.Changed("resources")
			fake.Changed("tools")
			awaitChanges(t, lists, client.Changes{Tools: true, Resources: true})
			if got := one.Take(); got.String() != "" {
				t.Errorf("there is also %s", got)
			}
			if err := one.Close(); err != nil {
				t.Error(err)
			}
			if n := len(fake.Requests("resources/unsubscribe")); n != 0 {
				t.Errorf("the session has unsubscribed what another subscription wants")
			}
			fake.Updated("note://7")
			awaitChanges(t, two, client.Changes{Updated: []string{"note://7"}})
			if err := errors.Join(two.Close(), two.Close()); err != nil {
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
		s, err := c.Subscribe(t.Context(), client.Changes{Updated: []string{"note://7"}})
		if err != nil {
			t.Fatal(err)
		}
		awaitChanges(t, s, client.Changes{Updated: []string{"note://7"}})
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A subscription that the server refuses, or that is empty, is an error.
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
		if s, err := c.Subscribe(t.Context(), client.Changes{Updated: []string{"note://7"}}); !errors.As(err, &refused) || s != nil {
			t.Errorf("%s: %v", revision, err)
		}
		if s, err := c.Subscribe(t.Context(), client.Changes{}); err == nil || s != nil {
			t.Errorf("%s: a subscription to nothing", revision)
		}
	}
}

// A server of the modern era may honor a part of the subscription; anything else it sends is unexpected.
func TestSubscribePart(t *testing.T) {
	t.Parallel()
	unexpected := make(chan string, 10)
	const stream = `data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"promptsListChanged":true,"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":ID}}}

data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":ID}}}

data: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":ID}}}

data: {"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":ID}}}

data: {"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete"}}

`
	url := fakeHTTP(t, func(id int64) string { return strings.ReplaceAll(stream, "ID", jsonNumber(id)) })
	c := dial(t, client.Target{URL: url}, client.Options{Era: client.Modern, Unexpected: func(_ []byte, why string) { unexpected <- why }})
	s, err := c.Subscribe(t.Context(), client.Changes{Prompts: true, Resources: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Honored(); got.String() != "prompts" {
		t.Errorf("honored is %s", got)
	}
	for range s.Changed() {
	}
	if got := s.Take(); got.String() != "prompts" || s.Err() != nil {
		t.Errorf("there is %s, %v", got, s.Err())
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
