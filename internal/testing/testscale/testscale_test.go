package testscale_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
)

func TestCount(t *testing.T) {
	for value, want := range map[string]int{"": 3, "1": 3, "100": 300, "0": 3, "-2": 3, "many": 3} {
		t.Setenv("MCPTOOL_TEST_SCALE", value)
		if got := testscale.Count(3); got != want {
			t.Errorf("MCPTOOL_TEST_SCALE=%q: Count(3) = %d, want %d", value, got, want)
		}
	}
}
