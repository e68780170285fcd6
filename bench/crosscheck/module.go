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

	"github.com/mcptool-go/mcptool/bench/crosscheck/gotype"
	"github.com/mcptool-go/mcptool/bench/crosscheck/verdict"
)

const (
	product = "github.com/mcptool-go/mcptool"
	program = `package main

import "github.com/mcptool-go/mcptool/bench/crosscheck/verdict"

func main() { verdict.Main(Subjects()) }
`
)

// checkDeclared makes up types as Go source, builds them as a program of a module of its own, and runs it.
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

// writeModule writes a module with made-up types that needs what this one needs, in the same versions.
func writeModule(ctx context.Context, dir string, seed uint64, types int) error {
	bench, err := output(ctx, "", "go", "list", "-f", "{{.Dir}}", product+"/bench")
	if err != nil {
		return err
	}
	home := strings.TrimSpace(string(bench))
	mod, err := os.ReadFile(filepath.Join(home, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(home, "go.sum"))
	if err != nil {
		return err
	}
	source, err := gotype.Declare("main", seed, types)
	if err != nil {
		return err
	}
	text := strings.Replace(string(mod), "module "+product+"/bench", "module crosscheck.invalid/types", 1)
	text += fmt.Sprintf("\nrequire %[1]s/bench v0.0.0\n\nreplace (\n\t%[1]s => %[2]q\n\t%[1]s/bench => %[3]q\n)\n", product, filepath.Dir(home), home)
	for name, data := range map[string][]byte{"go.mod": []byte(text), "go.sum": sum, gotype.File: source, "main.go": []byte(program)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// output runs a command and returns what it writes.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	if dir != "" { // it is no module of a workspace, and needs no more than go.mod has
		c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	}
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}

// writePackage writes the package of made-up types that the tests check.
func writePackage(dir string, seed uint64, types int) error {
	source, err := gotype.Declare(filepath.Base(dir), seed, types)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, gotype.File), source, 0o600)
}
