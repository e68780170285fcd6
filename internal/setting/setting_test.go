package setting_test

import (
	"fmt"
	"slices"
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

func TestApply(t *testing.T) {
	t.Parallel()
	var applied []int
	mistakes := setting.Apply([]any{1, nil, 3, nil}, func(o any) { applied = append(applied, o.(int)) })
	if !slices.Equal(applied, []int{1, 3}) {
		t.Errorf("applied %v, want the options that are not nil", applied)
	}
	if got, want := fmt.Sprint(mistakes), "[option 2 is nil; leave it out option 4 is nil; leave it out]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
