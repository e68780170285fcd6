package runtime_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

func TestIdentity(t *testing.T) {
	t.Parallel()
	if name, version := (&runtime.Server{Name: "a", Version: "b"}).Identity(); name != "a" || version != "b" {
		t.Errorf("Identity = %s, %s, want a, b", name, version)
	}
	if name, version := new(runtime.Server).Identity(); name == "" || version == "" {
		t.Errorf("Identity of the zero Server = %q, %q, want defaults", name, version)
	}
}

// TestRevisions checks the supported revisions and the mistakes in Server.Revisions.
func TestRevisions(t *testing.T) {
	t.Parallel()
	all := []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	for _, test := range []struct {
		name     string
		set      []string
		want     []string
		mistakes []string
	}{
		{"nil", nil, all, nil},
		{"empty list", []string{}, all, nil},
		{"any order, repeated", []string{"2025-06-18", "2026-07-28", "2025-06-18"}, []string{"2026-07-28", "2025-06-18"}, nil},
		{"unknown revision", []string{"2025-6-18", "2025-11-25", "x"}, []string{"2025-11-25"}, []string{`Server.Revisions: unknown revision "2025-6-18"`, `"x"`}},
		{"only unknown revisions", []string{"2025-6-18"}, nil, []string{"2025-6-18"}},
	} {
		srv := &runtime.Server{Revisions: test.set, Logger: slog.New(slog.DiscardHandler)}
		if diff := cmp.Diff(test.want, srv.SupportedRevisions()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		err := srv.Check()
		for _, mistake := range test.mistakes {
			if err == nil || !strings.Contains(err.Error(), mistake) {
				t.Errorf("%s: Check = %v, want %s", test.name, err, mistake)
			}
		}
		if err != nil && test.mistakes == nil {
			t.Errorf("%s: Check = %v", test.name, err)
		}
	}
}

// TestCheck checks that Check returns each mistake, all mistakes together, and nothing for a valid configuration.
func TestCheck(t *testing.T) {
	t.Parallel()
	all := &runtime.Server{Tools: &mcptool.Registry{}}
	for _, mistake := range fixture.Mistakes() {
		srv := &runtime.Server{Tools: &mcptool.Registry{}}
		mistake.Set(srv)
		if err := srv.Check(); err == nil || err.Error() != mistake.Want {
			t.Errorf("%s: Check = %v, want %s", mistake.Name, err, mistake.Want)
		}
		mistake.Set(all)
	}
	err := all.Check()
	if err == nil {
		t.Fatal("no error")
	}
	for _, mistake := range fixture.Mistakes() {
		if !slices.Contains(strings.Split(err.Error(), "\n"), mistake.Want) {
			t.Errorf("%s: with the other mistakes, Check = %v, want a line %s", mistake.Name, err, mistake.Want)
		}
	}
	srv := &runtime.Server{
		Tools: &mcptool.Registry{}, StateKeys: [][32]byte{{1}}, Icons: []mcptool.Icon{{Src: "https://example.com/i.png"}},
		Revisions: []string{"2026-07-28"}, Middleware: []mcptool.Middleware{func(next mcptool.Handler) mcptool.Handler { return next }},
	}
	if err := srv.Check(); err != nil {
		t.Error(err)
	}
}
