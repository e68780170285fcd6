package mcptooltest_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

type routeIn struct {
	_    struct{} `mcp:"name=route" doc:"Plan a route"`
	From string   `json:"from"`
	To   string   `json:"to"`
}

type stationIn struct {
	_    struct{} `mcp:"uri=stations://{name}" doc:"A station"`
	Name string   `json:"name"`
}

// TestComplete checks that a client gets suggestions for its caller, in memory and over HTTP.
func TestComplete(t *testing.T) {
	t.Parallel()
	suggest := func(ctx context.Context, typed, other string) ([]string, error) {
		if typed == "!" {
			return nil, mcptool.Errorf("no such letter")
		}
		all := []string{"Lisbon", "London", "home of " + mcptool.Caller(ctx).Principal}
		return slices.DeleteFunc(all, func(s string) bool { return s == other || !strings.HasPrefix(s, typed) }), nil
	}
	prompt, err := mcptool.NewPrompt(func(_ context.Context, in routeIn) (string, error) { return in.From + in.To, nil },
		mcptool.Scopes("travel"), mcptool.Complete("to", func(ctx context.Context, typed string, in routeIn) ([]string, error) {
			return suggest(ctx, typed, in.From)
		}))
	if err != nil {
		t.Fatal(err)
	}
	template, err := mcptool.NewResource(func(_ context.Context, in stationIn) (string, error) { return in.Name, nil },
		mcptool.Complete("name", func(ctx context.Context, typed string, _ stationIn) ([]string, error) { return suggest(ctx, typed, "") }))
	if err != nil {
		t.Fatal(err)
	}
	srv := &runtime.Server{Name: "travel", Version: "1", Tools: &mcptool.Registry{}}
	if err := srv.Tools.Add(prompt, template); err != nil {
		t.Fatal(err)
	}
	overHTTP := mcptooltest.HTTP(t, srv, streamhttp.StaticTokens(map[string]streamhttp.Token{"s3cret": {Principal: "ada", Scopes: []string{"travel"}}}))
	overHTTP.Header.Set("Authorization", "Bearer s3cret")
	for name, c := range map[string]*mcptooltest.Client{"memory": {Principal: "ada", Scopes: []string{"travel"}}, "HTTP": overHTTP} {
		got, err := c.CompletePrompt(t.Context(), prompt, "to", "L", map[string]string{"from": "London"})
		if err != nil || !slices.Equal(got, []string{"Lisbon"}) {
			t.Errorf("%s: got %q, %v for a prompt, want Lisbon", name, got, err)
		}
		got, err = c.CompleteResource(t.Context(), template, "name", "home", nil)
		if err != nil || !slices.Equal(got, []string{"home of ada"}) {
			t.Errorf("%s: got %q, %v for a template, want the home of the caller", name, got, err)
		}
		if _, err := c.CompletePrompt(t.Context(), prompt, "to", "!", nil); err == nil || !strings.Contains(err.Error(), "no such letter") {
			t.Errorf("%s: got error %v, want the error of the func", name, err)
		}
		if got, err := c.CompletePrompt(t.Context(), prompt, "from", "", nil); err != nil || len(got) != 0 {
			t.Errorf("%s: got %q, %v for an argument without completion", name, got, err)
		}
	}
	reader := &mcptooltest.Client{Principal: "bob", Scopes: []string{}}
	if _, err := reader.CompletePrompt(t.Context(), prompt, "to", "", nil); !errors.Is(err, mcptooltest.ErrHidden) {
		t.Errorf("got %v without the scope, want ErrHidden", err)
	}
}
