package authority_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// TestDays compares the last days of all months of four centuries, after which leap years repeat, with package time.
func TestDays(t *testing.T) {
	t.Parallel()
	for year := range 400 {
		for month := 0; month <= 13; month++ {
			for _, day := range []int{0, 1, 28, 29, 30, 31, 32} {
				text := fmt.Sprintf("%04d-%02d-%02d", year, month, day)
				_, want := time.Parse(time.DateOnly, text)
				if got := authority.CheckDateTime([]byte(text + "T00:00:00Z")); (got == nil) != (want == nil) {
					t.Errorf("%s: %v, by package time %v", text, got, want)
				}
			}
		}
	}
}
