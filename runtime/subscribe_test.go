package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestHostileSubscriptions: invalid subscriptions get a short error or are ignored, and nothing of them is kept.
func TestHostileSubscriptions(t *testing.T) {
	t.Parallel()
	long := "docs://guide/" + strings.Repeat("a", 10_000)
	many := `"docs://guide"` + strings.Repeat(`,"docs://guide"`, 100_000)
	for _, test := range []struct{ name, params, legacy, modern string }{
		{"URI of 10 KB", `"` + long + `"`, `"code":-32602,"message":"params.uri is longer than 2048 bytes"`, `"code":-32602,"message":"params.notifications.resourceSubscriptions has a URI of more than 2048 bytes"`},
		{"unknown URI of 10 KB", `"x:` + long + `"`, `"code":-32002`, `more than 2048 bytes`},
		{"100 000 URIs", many, "", `"code":-32602,"message":"params.notifications.resourceSubscriptions has more than 64 elements"`},
		{"64 equal URIs", `"docs://guide"` + strings.Repeat(`,"docs://guide"`, 63), "", `"resourceSubscriptions":["docs://guide"]`},
		{"parent directory", `"docs://guide/.."`, `"code":-32002`, `"resourceSubscriptions":[]`},
		{"encoded parent directory", `"docs://guide/%2e%2e"`, `"code":-32002`, `"resourceSubscriptions":[]`},
		{"encoded slash", `"docs://guide/a%2Fb"`, `"code":-32002`, `"resourceSubscriptions":[]`},
		{"NUL", `"docs://guide/\u0000"`, `"code":-32002`, `"resourceSubscriptions":[]`},
		{"encoded NUL", `"docs://guide/%00"`, `"code":-32002`, `"resourceSubscriptions":[]`},
		{"incomplete escape", `"docs://guide/%"`, `"code":-32002`, `"resourceSubscriptions":[]`},
		{"line break", `"docs://guide/a\nb"`, `"code":-32002`, `"resourceSubscriptions":[]`},
		{"template URI", `"docs://guide/{name}"`, `"code":-32002`, `"resourceSubscriptions":[]`},
		{"other scheme", `"file:///etc/passwd"`, `"code":-32002`, `"resourceSubscriptions":[]`},
		{"empty URI", `""`, `"code":-32002`, `"resourceSubscriptions":[]`},
		{"null", `null`, `"code":-32602`, `"code":-32602`},
		{"JSON object", `{"uri":"docs://guide"}`, `"code":-32602`, `"code":-32602`},
	} {
		t.Run("RES-11 RES-12 "+test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serveDocs(t)
				w := open(t, srv)
				if test.legacy != "" {
					w.handshake("2025-11-25")
					w.send(legacy("1", "resources/subscribe", `"uri":`+test.params))
					if answer := w.want(test.legacy); len(answer) > 5000 {
						t.Errorf("the answer has %d bytes, want at most 5000", len(answer))
					}
				}
				w.send(modern("1", "subscriptions/listen", `,"notifications":{"resourceSubscriptions":[`+test.params+`]}`))
				if answer := w.want(test.modern); len(answer) > 5000 {
					t.Errorf("the answer has %d bytes, want at most 5000", len(answer))
				}
				srv.Tools.ResourceUpdated("docs://guide/" + test.name)
				synctest.Wait()
				w.quiet()
			})
		})
	}
}

// TestOddUpdates: ResourceUpdated accepts texts that are not URIs.
func TestOddUpdates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serveDocs(t)
		w := subscriber(t, srv, "2025-11-25", "docs://guide")
		for _, uri := range []string{"", "/", "docs://", "docs:", "docs://guide\x00", "docs://guide/\xff", "docs://guide/a b", "docs://guide/%", "docs://guided", "other://guide", strings.Repeat("/", 1<<20)} {
			srv.Tools.ResourceUpdated(uri)
		}
		time.Sleep(time.Second)
		w.quiet()
		srv.Tools.ResourceUpdated("docs://guide/" + strings.Repeat("x/", 5000)) // too long to subscribe to
		synctest.Wait()
		w.want(`"params":{"uri":"docs://guide/x/x/`)
	})
}

// TestSubscriptionMemory: subscriptions count towards the memory limit of their caller until they end.
func TestSubscriptionMemory(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-11-25", modernRevision} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { subscriptionMemory(t, revision) })
		})
	}
}

func subscriptionMemory(t *testing.T, revision string) {
	t.Helper()
	srv := serveDocs(t)
	srv.Limits.MaxMemoryBytes, srv.Limits.PerCaller.MaxMemoryBytes = 1<<20, 8<<10
	ada, bob := granted("ada", ""), granted("bob", "")
	subscribe := func(w *wire, id int, access *runtime.Access) string {
		text := modern(fmt.Sprint(id), "subscriptions/listen", fmt.Sprintf(`,"notifications":{"resourceSubscriptions":["docs://guide/%d"]}`, id))
		if revision != modernRevision {
			text = legacy(fmt.Sprint(id), "resources/subscribe", fmt.Sprintf(`"uri":"docs://guide/%d"`, id))
		}
		m := srv.Read([]byte(text))
		m.Access = (*engine.Access)(access)
		w.session.Serve(m, nil)
		return w.next()
	}
	begin := func() *wire {
		w := open(t, srv)
		if revision != modernRevision {
			w.handshake(revision)
		}
		return w
	}
	w := begin()
	n := 0
	answer := subscribe(w, n, ada)
	for ; !strings.Contains(answer, `"code"`); answer = subscribe(w, n, ada) {
		n++
	}
	if !strings.Contains(answer, `"code":-32603,"message":"not enough memory for another subscription`) || n < 5 || n > 10 {
		t.Errorf("after %d subscriptions: got %s, want a memory error after 5 to 10", n, answer)
	}
	if answer := subscribe(begin(), 0, bob); strings.Contains(answer, `"code"`) {
		t.Errorf("another caller got %s", answer)
	}
	claiming, with := &runtime.Access{Principal: "eve", Claims: json.RawMessage(`{"x":"` + strings.Repeat("x", 4<<10) + `"}`)}, begin()
	for i, want := range []bool{true, false} { // each subscription keeps the claims for conditions
		if answer := subscribe(with, i, claiming); strings.Contains(answer, `"code"`) == want {
			t.Errorf("subscription %d of a caller with claims: got %s", i, answer)
		}
	}
	if revision == modernRevision {
		w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
	} else {
		w.send(legacy("99", "resources/unsubscribe", `"uri":"docs://guide/0"`))
		w.want(`"result":{}`)
	}
	if answer := subscribe(w, n, ada); strings.Contains(answer, `"code"`) {
		t.Errorf("after the end of a subscription: got %s", answer)
	}
	if err := w.session.Close(t.Context()); err != nil {
		t.Error(err)
	}
	synctest.Wait()
	if r, err := srv.Reserve(ada, 8<<10); err != nil {
		t.Errorf("after the end of the session: %v", err)
	} else {
		r.Release()
	}
}

// TestChangesOfAllLists: a client is notified once of changes of a list until it has read the notification. A legacy client
// is notified of all declared lists, a modern one of those that it has requested.
func TestChangesOfAllLists(t *testing.T) {
	t.Parallel()
	t.Run("RES-21 T-CHG-01 T-CHG-15", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := serveDocs(t)
			if err := srv.Tools.Add(mcptool.Prompts{}); err != nil { // declares an empty list
				t.Fatal(err)
			}
			session := subscriber(t, srv, "2025-03-26")
			listener := open(t, srv)
			listener.send(modern("1", "subscriptions/listen", `,"notifications":{"promptsListChanged":true,"toolsListChanged":true}`))
			listener.want("acknowledged", `"notifications":{"toolsListChanged":true,"promptsListChanged":true}`)
			prompt, err := mcptool.NewPrompt(func(context.Context, struct{}) (string, error) { return "", nil }, mcptool.Name("p"))
			if err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				if err := srv.Tools.Replace(prompt); err != nil {
					t.Fatal(err)
				}
				if err := srv.Tools.Replace(document(t, "docs://guide", mcptool.Title(fmt.Sprint(i)))); err != nil {
					t.Fatal(err)
				}
				if err := srv.Tools.Replace(tool(t, "t", echo)); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Second)
			synctest.Wait()
			counts := func(w *wire) (tools, prompts, resources int) {
				for len(w.out) > 0 {
					msg := w.want("list_changed")
					tools += strings.Count(msg, "tools/")
					prompts += strings.Count(msg, "prompts/")
					resources += strings.Count(msg, "resources/")
				}
				return tools, prompts, resources
			}
			if a, b, c := counts(session); min(a, b, c) < 1 || max(a, b, c) > 3 {
				t.Errorf("the session was notified %d, %d and %d times, want 1 to 3 times each", a, b, c)
			}
			if a, b, c := counts(listener); min(a, b) < 1 || max(a, b) > 3 || c != 0 {
				t.Errorf("the listener was notified %d, %d and %d times, want 1 to 3, 1 to 3 and 0", a, b, c)
			}
		})
	})
}

// TestAcknowledgedFirst: the first message of a subscription is its acknowledgement, even if resources and lists change
// continuously.
func TestAcknowledgedFirst(t *testing.T) {
	t.Parallel()
	t.Run("T-CHG-05 RES-12", func(t *testing.T) {
		t.Parallel()
		srv := serveDocs(t)
		stop, stopped := make(chan struct{}), make(chan struct{})
		absent := document(t, "docs://none")
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
					srv.Tools.ResourceUpdated("docs://guide")
					srv.Tools.Remove(absent)
					if err := srv.Tools.Replace(document(t, "docs://other")); err != nil {
						t.Error(err)
					}
				}
			}
		}()
		for range 300 {
			w := &wire{t: t, out: make(chan string, 1<<10)}
			w.session = srv.Open(t.Context(), w)
			w.send(modern("1", "subscriptions/listen", `,"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["docs://guide"]}`))
			w.want("notifications/subscriptions/acknowledged")
			w.want("notifications/resources/")
			if err := w.session.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		close(stop)
		<-stopped
	})
}
