package thirdparty_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// TestClient lists and calls tools of servers of every framework, in the era that the server prefers and in the legacy
// era, which all of them support.
func TestClient(t *testing.T) {
	eachServer(t, func(t *testing.T, s server) {
		t.Helper()
		for _, era := range []client.Era{client.Auto, client.Legacy} {
			asked := 0
			c, err := client.Dial(t.Context(), s.target, client.Options{Era: era, Timeout: startTimeout, Elicit: func(_ context.Context, q client.Elicitation) (client.ElicitResult, error) {
				if asked++; q.Mode != "form" || q.Message == "" || q.Schema == nil {
					t.Errorf("%s: the question is %+v", era, q)
				}
				return s.answer, nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
			tools, err := c.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			known := map[string]bool{}
			for i := range tools {
				known[tools[i].Name] = true
			}
			if !known[s.tool] && s.tool != "" {
				t.Errorf("%s: there is no tool %s in %v", era, s.tool, known)
			}
			if s.tool != "" {
				got, err := c.Call(t.Context(), s.tool, s.arguments)
				if err != nil {
					t.Fatal(err)
				}
				if got.IsError || !strings.Contains(string(got.Raw), s.contains) || len(got.Content) == 0 {
					t.Errorf("%s: the result is %s", era, got.Raw)
				}
			}
			if s.taskTool != "" {
				got, err := c.Call(t.Context(), s.taskTool, s.taskArguments)
				if err != nil {
					t.Fatal(err)
				}
				if got.IsError || len(got.Content) == 0 {
					t.Errorf("%s: the result of the task is %s", era, got.Raw)
				}
			}
			if s.asking == "" || (s.legacyOnly && era != client.Legacy) {
				continue
			}
			if _, err := c.Call(t.Context(), s.asking, s.askingArguments); err != nil {
				t.Errorf("%s: %v", era, err)
			}
			if asked != 1 {
				t.Errorf("%s: asked %d times", era, asked)
			}
		}
	})
}
