package callsite_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/callsite"
)

type here struct{}

func (here) method(pkg string) string { return generic[int](pkg) }

func generic[T any](pkg string) string {
	var location string
	func() { location = callsite.Here(pkg).String() }()
	return location
}

func TestOutside(t *testing.T) {
	t.Parallel()
	own := reflect.TypeFor[here]().PkgPath()
	for _, test := range []struct{ pkg, want, reason string }{
		{"example.com/none", "callsite_test.go:18", "the caller itself is outside"},
		{own, "testing.go:", "a method, an instance and a func literal are all of their package"},
		{strings.TrimSuffix(own, "_test"), "callsite_test.go:18", "a name that begins alike is another package"},
	} {
		if got := filepath.Base(here{}.method(test.pkg)); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got %s, want %s; %s", test.pkg, got, test.want, test.reason)
		}
	}
}

func TestOutsideOfDeepStack(t *testing.T) {
	t.Parallel()
	if got := deep(100); got != "unknown" {
		t.Errorf("got %s; the frames that are looked at are all of the package", got)
	}
}

func deep(n int) string {
	if n == 0 {
		return callsite.Here(reflect.TypeFor[here]().PkgPath()).String()
	}
	return deep(n - 1)
}
