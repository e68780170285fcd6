package mcptooltest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// callers records the callers of a func.
type callers struct {
	mu  sync.Mutex
	all []string
}

func (c *callers) add(ctx context.Context) {
	info := mcptool.Caller(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if who := info.Principal + " " + string(info.Claims); !slices.Contains(c.all, who) {
		c.all = append(c.all, who)
	}
}

// TestCheckCaller checks that calls, completions and lists are made by the caller of the Client, regardless of rate
// limits.
func TestCheckCaller(t *testing.T) {
	t.Parallel()
	seldom := mcptool.RateLimit(mcptool.Rate{Calls: 1, Per: time.Hour, Burst: 1})
	var calls, completions, lists callers
	tool := raw(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		calls.add(ctx)
		return &mcptool.Result{}, nil
	}, mcptool.ReadOnly(true), mcptool.Scopes("notes:read"), seldom)
	prompt := newPrompt(t, func(ctx context.Context, in tripIn) (string, error) {
		calls.add(ctx)
		return in.City, nil
	}, mcptool.Complete("city", func(ctx context.Context, _ string, _ tripIn) ([]string, error) {
		completions.add(ctx)
		return []string{"Lisbon"}, nil
	}), seldom)
	resource := newResource(t, readNote, mcptool.ListWith(func(ctx context.Context, _ string) ([]mcptool.ResourceLink, string, error) {
		lists.add(ctx)
		return []mcptool.ResourceLink{noteLink(1)}, "", nil
	}))
	registry := &mcptool.Registry{}
	if err := registry.Add(tool, prompt, resource); err != nil {
		t.Fatal(err)
	}
	t.Run("check", func(t *testing.T) {
		(&Client{Principal: "ada", Scopes: []string{"notes:read"}, Claims: json.RawMessage(`{"team":1}`)}).Check(t, registry)
	})
	for name, got := range map[string]*callers{"calls": &calls, "completions": &completions, "lists": &lists} {
		if want := `ada {"team":1}`; len(got.all) != 1 || got.all[0] != want {
			t.Errorf("callers of %s = %q, want only %q", name, got.all, want)
		}
	}
}

// TestCheckClaims checks that a tool that needs a claim is called with it, so its panic is found.
func TestCheckClaims(t *testing.T) {
	t.Parallel()
	tool := raw(t, "x", needsTeam, mcptool.ReadOnly(true))
	c := &Client{Principal: "ada", Claims: json.RawMessage(`{"team":1}`)}
	tr, err := newTrial(t.Context(), tool, newSettings(t, c, subjects{tools: []*mcptool.Tool{tool}}, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.close(t.Context())
	tr.run(t.Context())
	if len(tr.failures) == 0 || !strings.Contains(tr.failures[0], "not written yet") {
		t.Errorf("got %q, want the panic", tr.failures)
	}
	call, _, err := newSettings(t, c, subjects{tools: []*mcptool.Tool{tool}}, nil).measured(t.Context(), tool)
	if call != nil || err == nil || !strings.Contains(err.Error(), "not written yet") {
		t.Errorf("Bench: got %v, want the panic", err)
	}
}

// TestCheckHidden checks that testing an item that is hidden from the caller skips the test.
func TestCheckHidden(t *testing.T) {
	t.Parallel()
	tool := raw(t, "x", needsTeam, mcptool.ReadOnly(true), mcptool.Scopes("admin"))
	prompt := newPrompt(t, trip, mcptool.Scopes("admin"))
	c := &Client{Principal: "ada", Scopes: []string{"notes:read"}}
	for name, tr := range map[string]func() (tried, error){
		"tool": func() (tried, error) { return newTrial(t.Context(), tool, newSettings(t, c, subjects{}, nil)) },
		"prompt": func() (tried, error) {
			return newItemTrial(t.Context(), promptItem(prompt), "x", newSettings(t, c, subjects{}, nil))
		},
	} {
		tr, err := tr()
		if err != nil {
			t.Fatal(err)
		}
		defer tr.close(t.Context())
		t.Run(name, func(t *testing.T) {
			defer func() {
				if !t.Skipped() {
					t.Error("the test was not skipped")
				}
			}()
			tr.skip(t)
		})
	}
	if _, skip, err := newSettings(t, c, subjects{}, nil).measured(t.Context(), tool); err != nil || !strings.Contains(skip, "admin") {
		t.Errorf("Bench: skip %q, error %v; want the missing scope", skip, err)
	}
}
