package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// programs is the directory of the programs that tests build.
var programs string

// TestMain runs more tests at the same time than there are processors, because most of them wait for timeouts, and removes
// the programs that they have built.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		programs, err = os.MkdirTemp("", "bench")
		if err = errors.Join(err, flag.Set("test.parallel", "8")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(programs) }()
		return m.Run()
	}())
}

var (
	weatherOnce = sync.OnceValues(func() (string, error) { return build("../examples/weather") })
	benchOnce   = sync.OnceValues(func() (string, error) { return build("../bench") })
)

// buildWeather builds the example weather, once for all tests, and returns the path of the program.
func buildWeather(t *testing.T) string {
	t.Helper()
	program, err := weatherOnce()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// buildBench builds bench, once for all tests, and returns the path of the program.
func buildBench(t *testing.T) string {
	t.Helper()
	program, err := benchOnce()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func build(dir string) (program string, err error) {
	program = filepath.Join(programs, filepath.Base(dir))
	if out, err := exec.Command("go", "build", "-o", program, dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}
