package runtime_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/runtime"
)

func TestIdentity(t *testing.T) {
	t.Parallel()
	if name, version := (&runtime.Server{Name: "a", Version: "b"}).Identity(); name != "a" || version != "b" {
		t.Errorf("got %s %s", name, version)
	}
	if name, version := new(runtime.Server).Identity(); name == "" || version == "" {
		t.Errorf("the zero server is %q %q", name, version)
	}
}
