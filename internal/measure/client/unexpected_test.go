package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// unexpected are messages that no correct server sends, each with the reason.
var unexpected = []struct{ message, why string }{
	{`no message`, "no message"},
	{`{"jsonrpc":"2.0","id":999,"result":{}}`, "answers no pending request"},
	{`{"jsonrpc":"2.0","id":7,"method":"roots/list"}`, "no capability"},
}

// sendUnexpected answers each request twice, preceded by all unexpected messages.
func sendUnexpected() {
	answer(map[string]string{"server/discover": modernHello}, func(id json.RawMessage, _ string) {
		for _, u := range unexpected {
			fmt.Println(u.message)
		}
		succeed(id, "{}")
		succeed(id, "{}")
	})
}

// TestUnexpected checks that unexpected messages are reported and requests are answered nevertheless.
func TestUnexpected(t *testing.T) {
	t.Parallel()
	var events strings.Builder
	for _, s := range unexpected {
		fmt.Fprintf(&events, "data: %s\n\n", s.message)
	}
	over := map[string]client.Target{
		"stdio": child("unexpected"),
		"http": {URL: fakeHTTP(t, func(id int64) string {
			return events.String() + strings.Repeat(fmt.Sprintf("data: "+`{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n\n", id), 2)
		})},
	}
	for name, to := range over {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := make(chan string, 100)
			c := dial(t, to, client.Options{Era: client.Modern, Unexpected: func(message []byte, why string) { got <- string(message) + ": " + why }})
			if _, err := c.Request(t.Context(), "no/such", nil); err != nil {
				t.Fatal(err)
			}
			for _, s := range unexpected {
				if told := <-got; !strings.HasPrefix(told, s.message) || !strings.Contains(told, s.why) {
					t.Errorf("%s is reported as %q", s.message, told)
				}
			}
			if told := <-got; !strings.Contains(told, `"result":{}`) || !slices.ContainsFunc([]string{"answers no pending request", "follows the answer to no/such"}, func(why string) bool { return strings.Contains(told, why) }) {
				t.Errorf("the second answer is reported as %q", told)
			}
		})
	}
}

// TestVagueCancellation checks that the client ignores cancellations that do not name a request.
func TestVagueCancellation(t *testing.T) {
	t.Parallel()
	to := client.Target{URL: fakeHTTP(t, func(id int64) string {
		var events strings.Builder
		for _, params := range []string{"", `,"params":{}`, `,"params":{"requestId":null}`, `,"params":{"requestId":[]}`} {
			fmt.Fprintf(&events, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"%s}\n\n", params)
		}
		return events.String() + fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}\n\n", id)
	})}
	c := dial(t, to, client.Options{Era: client.Modern})
	if _, err := c.Request(t.Context(), "no/such", nil); err != nil {
		t.Error(err)
	}
}

// TestNothingUnexpected checks that a correct server triggers no such report.
func TestNothingUnexpected(t *testing.T) {
	everywhere(t, func(t *testing.T, to client.Target, era client.Era) {
		t.Helper()
		c := dial(t, to, client.Options{
			Era:    era,
			Notify: func(string, json.RawMessage) {},
			Elicit: func(context.Context, client.Elicitation) (client.ElicitResult, error) {
				return client.ElicitResult{}, nil
			},
			Unexpected: func(message []byte, why string) { t.Errorf("%s: %s", message, why) },
		})
		for _, tool := range []string{"add", "report", "ask", "work_ask"} {
			if _, err := c.Call(t.Context(), tool, nil); err != nil && !strings.Contains(err.Error(), "-32602") {
				t.Errorf("%s: %v", tool, err)
			}
		}
	})
}
