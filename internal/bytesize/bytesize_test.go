package bytesize_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/bytesize"
)

func TestText(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1024: "1.0 KiB", 4000: "3.9 KiB", 1 << 20: "1.0 MiB", 16 << 20: "16.0 MiB", 5 << 30: "5120.0 MiB",
	} {
		if got := bytesize.Text(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
