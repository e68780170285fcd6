package mcptool_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnrecovered builds a program whose registrations have mistakes, and checks what it ends
// with: the mistakes alone if nobody deals with the panic, and otherwise what Go does.
func TestUnrecovered(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "mistaken.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./testdata/mistaken").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const mistakes = "mcptool: 3 mistakes at main.go:LINE:\n\t"
	for _, test := range []struct {
		mode, env string
		status    int
		begin     string // of standard error
		stack     bool
		reason    string
	}{
		{"register", "", 2, mistakes, false, "the mistakes alone"},
		{"service", "", 2, "mcptool: one mistake at main.go:LINE:\n\tList: func(context.Context) ([]string, error): ", false, "of a service too"},
		{"union", "", 2, "main.shape: union at main.go:LINE: member \"circle\" is main.circle, whose field Type", false, "and of a union"},
		{"enum", "", 2, "main.colour: Enum at main.go:LINE: the value \"red\" is there twice; keep one", false, "and of a list of values"},
		{"goroutine", "", 2, mistakes, false, "in any goroutine"},
		{"register", "GOTRACEBACK=single", 2, "panic: " + mistakes, true, "the environment asks for the stack"},
		{"recovered", "", 0, "", false, "a recovered panic has the same value"},
		{"again", "", 2, "panic: " + mistakes, true, "who panics again decides what is printed"},
		{"another", "", 2, "panic: " + mistakes, true, "another panic is not hidden"},
		{"deferred", "", 2, "panic: the real panic\n", true, "the panic that came first is not hidden"},
		{"own", "", 2, "panic: " + mistakes, true, "the panic is not that of Register"},
	} {
		cmd := exec.CommandContext(t.Context(), program, test.mode)
		cmd.Env = append(os.Environ(), "GOTRACEBACK=") // empty is unset
		if test.env != "" {
			cmd.Env = append(cmd.Env, test.env)
		}
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
			t.Fatal(err)
		} else if ok && exit.ExitCode() != test.status || !ok && test.status != 0 {
			t.Errorf("%s: %s: ended with %v, want status %d", test.mode, test.reason, err, test.status)
		}
		got := sourcePath.ReplaceAllString(stderr.String(), "$1:LINE")
		if !strings.HasPrefix(got, test.begin) || strings.Contains(got, "\ngoroutine ") != test.stack || !test.stack && strings.Contains(got, "runtime.") {
			t.Errorf("%s: %s: standard error is\n%s\nwant it to begin with\n%s\nand a stack: %v", test.mode, test.reason, got, test.begin, test.stack)
		}
		if want := map[bool]string{true: "3 mistakes recovered in lines: 3\n"}[test.status == 0]; stdout.String() != want {
			t.Errorf("%s: standard output is %q, want %q", test.mode, stdout.String(), want)
		}
		if test.mode == "another" && !strings.Contains(got, "another panic") {
			t.Errorf("the panic of the deferred func is not printed:\n%s", got)
		}
	}
}
