package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

func TestLargestCircle(t *testing.T) {
	for _, tt := range []struct {
		name  string
		edges string
		want  int
	}{
		{"no edges", "a: b:", 1},
		{"a chain", "a:b b:c c:", 1},
		{"a circle", "a:b b:c c:a d:a", 3},
		{"two circles", "a:b b:a c:d,a d:e e:c", 3},
		{"circles with a common file", "a:b b:a,c c:b", 3},
	} {
		graph := map[string]map[string]bool{}
		for edge := range strings.FieldsSeq(tt.edges) {
			from, to, _ := strings.Cut(edge, ":")
			graph[from] = map[string]bool{}
			for name := range strings.SplitSeq(to, ",") {
				if name != "" {
					graph[from][name] = true
				}
			}
		}
		if got := largestCircle(graph); got != tt.want {
			t.Errorf("%s: largestCircle = %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestUses measures a package of two files that use each other.
func TestUses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":   "module example.com/p\n\ngo 1.26\n",
		"below.go": "package p\n\ntype T struct{ n int }\n\nfunc (T) M() { F(); F() }\n",
		"above.go": "package p\n\nfunc F() { T{n: 1}.O() }\n\nfunc (T) O() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	loaded, err := load(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	p := loaded[0]
	if got := largestCircle(fileGraph(p)); got != 2 {
		t.Errorf("largestCircle = %d, want 2", got)
	}
	if got := widestType(p); got != 2 {
		t.Errorf("widestType = %d, want 2", got)
	}
	uses, err := against(t, p, "low: below\nhigh: above\n")
	if f := (useOf{"F", "below.go", "above.go"}); err != nil || !slices.Equal(uses, []useOf{f, f}) {
		t.Errorf("usesAgainst = %v, %v, want two uses of F", uses, err)
	}
	for order, want := range map[string]string{
		"low: below\n":               "add above.go of package p to a group",
		"low: below above\nx: above": "above.go is in two groups",
		"low: below above gone\n":    "package p has no file gone.go",
	} {
		if _, err := against(t, p, order); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("usesAgainst with the order %q: %v, want %q", order, err, want)
		}
	}
}

func against(t *testing.T, p *packages.Package, order string) ([]useOf, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "order.txt")
	if err := os.WriteFile(path, []byte(order), 0o600); err != nil {
		t.Fatal(err)
	}
	return usesAgainst(p, path)
}

func TestTokens(t *testing.T) {
	if got := tokens([]byte("package p // a comment\n\nvar x = 1\n")); got != 6 {
		t.Errorf("tokens = %d, want 6", got)
	}
}
