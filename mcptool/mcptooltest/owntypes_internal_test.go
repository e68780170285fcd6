package mcptooltest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// untagged is accepted by registration, as it might belong to another module.
type untagged struct {
	At   time.Time `json:"at,omitempty"`
	Kind string    `json:"kind,omitEmpty"`
}

// TestCheckOwnTypes: Check reports mistakes in types of this module that registration ignores.
func TestCheckOwnTypes(t *testing.T) {
	t.Parallel()
	tool := must(mcptool.New(func(context.Context, struct{}) ([]untagged, error) { return nil, nil }, mcptool.Name("x"), mcptool.ReadOnly(true)))(t)
	tr := triedTool(t, tool)
	got := strings.Join(tr.failures, "\n")
	for _, want := range []string{
		"mistakes in types of this module",
		"mcptooltest.untagged.At ([].at): `json:\"at,omitempty\"`: encoding/json never omits a time.Time because of omitempty, and writes its zero value; use omitzero",
		"mcptooltest.untagged.Kind ([].kind): `json:\"kind,omitEmpty\"`: encoding/json has no option \"omitEmpty\" and ignores it; write omitempty",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestInMainModule: a type belongs to the module with the longest path that contains its package.
func TestInMainModule(t *testing.T) {
	t.Parallel()
	modules := []string{"example.com/app", "example.com/app/api", "example.com/library", "example.com"}
	for pkg, want := range map[string]bool{
		"main":                            true,
		"example.com/app":                 true,
		"example.com/app_test":            true,
		"example.com/app/internal/a":      true,
		"example.com/app/api":             false,
		"example.com/app/api/v2":          false,
		"example.com/app/apiary":          true,
		"example.com/app-more":            false,
		"example.com/application":         false,
		"example.com/library":             false,
		"time":                            false,
		"":                                false,
		"github.com/example.com/app":      false,
		"example.com/app/internal/a_test": true,
	} {
		if got := inMainModule(pkg, modules); got != want {
			t.Errorf("%s: got %v, want %v", pkg, got, want)
		}
	}
	if inMainModule("example.com/app", nil) || inMainModule("example.com/app", []string{""}) {
		t.Error("a package belongs to an unknown main module")
	}
}
