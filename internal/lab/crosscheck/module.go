package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/lab/crosscheck/gotype"
	"github.com/mcptool-go/mcptool/internal/lab/crosscheck/verdict"
)

const (
	product = "github.com/mcptool-go/mcptool"
	program = `package main

import "github.com/mcptool-go/mcptool/internal/lab/crosscheck/verdict"

func main() { verdict.Main(Subjects()) }
`
)

// checkDeclared generates types as Go source, builds them as a program in a separate module, and runs it.
func checkDeclared(ctx context.Context, types int, p verdict.Plan) (_ *verdict.Report, err error) {
	dir, err := os.MkdirTemp("", "crosscheck")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := writeModule(ctx, dir, p.Seed, types); err != nil {
		return nil, err
	}
	binary := filepath.Join(dir, "types.exe")
	if _, err := output(ctx, dir, "go", "build", "-o", binary, "."); err != nil {
		return nil, err
	}
	answer, err := output(ctx, dir, binary,
		"-seed", strconv.FormatUint(p.Seed, 10), "-inputs", strconv.Itoa(p.Inputs), "-outputs", strconv.Itoa(p.Outputs))
	if err != nil {
		return nil, err
	}
	report := &verdict.Report{}
	return report, json.Unmarshal(answer, report)
}

// writeModule writes a module with generated types, and a workspace with it and the modules of this workspace, so that
// it is built with the same versions.
func writeModule(ctx context.Context, dir string, seed uint64, types int) error {
	modules, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}")
	if err != nil {
		return err
	}
	workspace, err := output(ctx, "", "go", "env", "GOWORK")
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(strings.TrimSpace(string(workspace)) + ".sum")
	if err != nil {
		return err
	}
	source, err := gotype.Declare("main", seed, types)
	if err != nil {
		return err
	}
	// Its path is below this module's, so that it can import internal packages.
	mod := "module " + product + "/crosscheck\n\ngo 1.26.0\n"
	work := "go 1.26.0\n\nuse .\n"
	for module := range strings.Lines(string(modules)) {
		path, at, _ := strings.Cut(strings.TrimSpace(module), " ")
		work += fmt.Sprintf("use %[2]q\nreplace %[1]s v0.0.0 => %[2]q\n", path, at) // unpublished, and require each other
	}
	for name, data := range map[string][]byte{"go.mod": []byte(mod), "go.work": []byte(work), "go.work.sum": sum, gotype.File: source, "main.go": []byte(program)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// output runs a command and returns its output.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}

// writePackage writes the package of generated types that the tests check.
func writePackage(dir string, seed uint64, types int) error {
	source, err := gotype.Declare(filepath.Base(dir), seed, types)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, gotype.File), source, 0o600)
}
