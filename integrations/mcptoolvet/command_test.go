package mcptoolvet_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommand runs the command under go vet, which passes the registrations of imported packages in files.
func TestCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a command, and runs it for each package that the packages import")
	}
	t.Parallel()
	program := filepath.Join(t.TempDir(), "mcptoolvet.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/mcptoolvet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), "go", "vet", "-vettool="+program, "./testdata/uses", "./testdata/kinds").CombinedOutput()
	const mistake = "main.FindIn.Mode (mode): `default=auto`: the value does not fit the field: must be one of \"on\", \"off\""
	if err == nil || strings.Contains(string(out), "testdata/uses/") || !strings.Contains(string(out), mistake) {
		t.Errorf("%v, want mistakes in testdata/kinds only\n%s", err, out)
	}
}
