package runtime_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/runtime"
)

func TestHasHandshake(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"": false, "2024-11-05": true, "2025-03-26": true, "2025-06-18": true, "2025-11-25": true, "2026-07-28": false, "v999": false,
	} {
		if got := runtime.HasHandshake(version); got != want {
			t.Errorf("HasHandshake(%q) = %v, want %v", version, got, want)
		}
	}
}
