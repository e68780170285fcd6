package client_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/bench/strangers"
)

// The client gets along with servers of others, in the era they choose, and in the legacy
// era, which all of them know.
func TestStrangers(t *testing.T) {
	strangers.Each(t, func(t *testing.T, s strangers.Server) {
		t.Helper()
		for _, era := range []client.Era{client.Auto, client.Legacy} {
			asked := 0
			c := dial(t, s.Target, client.Options{Era: era, Elicit: func(_ context.Context, q client.Question) (client.Answer, error) {
				if asked++; q.Mode != "form" || q.Message == "" || q.Schema == nil {
					t.Errorf("%s: the question is %+v", era, q)
				}
				return s.Answer, nil
			}})
			tools, err := c.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			known := map[string]bool{}
			for i := range tools {
				known[tools[i].Name] = true
			}
			if !known[s.Tool] && s.Tool != "" {
				t.Errorf("%s: there is no tool %s in %v", era, s.Tool, known)
			}
			if s.Tool != "" {
				got, err := c.Call(t.Context(), s.Tool, s.Arguments)
				if err != nil {
					t.Fatal(err)
				}
				if got.IsError || !strings.Contains(string(got.Raw), s.Says) || len(got.Content) == 0 {
					t.Errorf("%s: the result is %s", era, got.Raw)
				}
			}
			if s.TaskTool != "" {
				got, err := c.Call(t.Context(), s.TaskTool, s.TaskArguments)
				if err != nil {
					t.Fatal(err)
				}
				if got.IsError || len(got.Content) == 0 {
					t.Errorf("%s: the result of the task is %s", era, got.Raw)
				}
			}
			if s.Asks == "" || (s.AsksLegacy && era != client.Legacy) {
				continue
			}
			if _, err := c.Call(t.Context(), s.Asks, s.AsksWith); err != nil {
				t.Errorf("%s: %v", era, err)
			}
			if asked != 1 {
				t.Errorf("%s: asked %d times", era, asked)
			}
		}
	})
}
