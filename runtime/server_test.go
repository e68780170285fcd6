package runtime_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// TestZeroStateKey: a zero key is reported, and is not used.
func TestZeroStateKey(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	srv := &runtime.Server{Tools: &mcptool.Registry{}, StateKeys: [][32]byte{{}, {1}}, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	if err := srv.Check(); err == nil || !strings.Contains(err.Error(), "Server.StateKeys") || !strings.Contains(log.String(), "Server.StateKeys") {
		t.Errorf("Check = %v, log %s; want Server.StateKeys in both", err, log.String())
	}
	srv = &runtime.Server{Tools: &mcptool.Registry{}, StateKeys: [][32]byte{{1}}}
	if err := srv.Check(); err != nil {
		t.Error(err)
	}
}
