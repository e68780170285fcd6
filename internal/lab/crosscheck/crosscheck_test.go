package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/lab/crosscheck/declared"
	"github.com/mcptool-go/mcptool/internal/lab/crosscheck/gotype"
	"github.com/mcptool-go/mcptool/internal/lab/crosscheck/verdict"
)

// seed differs from the command's and makes runs reproducible.
const seed = 20261122

// TestReflected checks types made with reflection.
func TestReflected(t *testing.T) {
	t.Parallel()
	types := 150
	if testing.Short() {
		types = 30
	}
	report := &verdict.Report{Seed: seed}
	for i := range types {
		verdict.Check(t.Context(), reflected(seed, i), verdict.Plan{Seed: seed, Inputs: 25, Outputs: 6}, report)
	}
	conclude(t, report, types)
}

// TestDeclared checks the types of package declared and their component types.
func TestDeclared(t *testing.T) {
	t.Parallel()
	report := &verdict.Report{Seed: seed}
	subjects := declared.Subjects()
	for _, s := range subjects {
		verdict.Check(t.Context(), s, verdict.Plan{Seed: seed, Inputs: 25, Outputs: 6}, report)
	}
	conclude(t, report, len(subjects))
}

// conclude fails if a verdict is wrong, or if too few types are accepted or too few inputs are valid to be meaningful.
func conclude(t *testing.T, report *verdict.Report, types int) {
	t.Helper()
	var b strings.Builder
	if err := report.Write(&b); err != nil {
		t.Fatal(err)
	}
	t.Log(b.String())
	if err := report.Err(); err != nil {
		t.Error(err)
	}
	if report.Types.Accepted*5 < types*4 {
		t.Errorf("%d of %d types are accepted, want four in five", report.Types.Accepted, types)
	}
	for name, v := range map[string]verdict.Verdicts{"outputs": report.Outputs, "inputs": report.Inputs, "calls": report.Calls} {
		if v.Valid*5 < v.Total || v.Valid*5 > v.Total*4 {
			t.Errorf("%d of %d %s are valid, want between a fifth and four fifths", v.Valid, v.Total, name)
		}
	}
}

// TestDeclaredIsGenerated fails if package declared is not the output of the generator; go generate updates it.
func TestDeclaredIsGenerated(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "declared")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"-write", dir, "-types", "60", "-seed", "1"}, nil); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(dir, gotype.File))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("declared", gotype.File))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("package declared is not what the generator makes; run go generate ./internal/lab/crosscheck")
	}
}

// TestCommand builds and runs a module of declared types.
func TestCommand(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-types", "12", "-inputs", "600", "-seed", "7"}, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	var took string
	var accepted, refused, empty int
	if _, err := fmt.Sscanf(out.String(), "seed 7, %s\ntypes %d accepted, %d rejected, %d", &took, &accepted, &refused, &empty); err != nil {
		t.Errorf("parse the report: %v\n%s", err, &out)
	}
	if accepted+refused != 24 || accepted < 20 {
		t.Errorf("%d types accepted and %d rejected, want 24 in all\n%s", accepted, refused, &out)
	}
}
