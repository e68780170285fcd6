package setting_test

import (
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/setting"
)

func TestNotNegative(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		setting.NotNegative("Limits.Tasks", 0, "means the default"),
		setting.NotNegative("Limits.Tasks", 1, "means the default"),
		setting.NotNegative("Grace", time.Second, "cancels at once"),
	} {
		if err != nil {
			t.Errorf("a value that is not negative has the error %v", err)
		}
	}
	for want, err := range map[string]error{
		"Limits.Tasks is -1, but must not be negative; 0 means the default, 128": setting.NotNegative("Limits.Tasks", -1, "means the default, 128"),
		"Limits.Bytes is -2, but must not be negative; 0 means no limit":         setting.NotNegative("Limits.Bytes", int64(-2), "means no limit"),
		"Grace is -1.5s, but must not be negative; 0 cancels at once":            setting.NotNegative("Grace", -1500*time.Millisecond, "cancels at once"),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
