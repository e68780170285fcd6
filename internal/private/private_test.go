package private_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/private"
)

type (
	one struct{ name func() string }
	two struct{ name func() string }
	few struct{}
)

var (
	_ = private.Provide(one{name: func() string { return "one" }})
	_ = private.Provide(two{name: func() string { return "two" }})
)

func TestTake(t *testing.T) {
	t.Parallel()
	if got := private.Take[two]().name() + " " + private.Take[one]().name(); got != "two one" {
		t.Errorf("got %q: sets are told apart by their types", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a set that nobody provides is taken")
		}
	}()
	private.Take[few]()
}
