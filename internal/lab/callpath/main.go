// Command callpath lists the functions that one tools/call runs, file by file, over stdio and over Streamable HTTP: the
// code to read to follow a call. Run it at the root of a checkout:
//
//	go run ./internal/lab/callpath        # number of functions and files, by package
//	go run ./internal/lab/callpath -v     # with their names
//
// It builds itself with the coverage counters of the go command, calls a typed tool in revision 2026-07-28 until
// one-time initialization is complete, and counts the functions of one further call. Functions of the standard library
// and of dependencies are not counted.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

const (
	module  = "github.com/mcptool-go/mcptool"
	program = module + "/internal/lab/callpath"
)

func main() {
	verbose := flag.Bool("v", false, "list the functions")
	call := flag.String("call", "", "make calls over this transport, and write the coverage counters of the last one to the directory in the argument; internal")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	work := func() error { return run(ctx, os.Stdout, *verbose) }
	if *call != "" {
		work = func() error { return measure(ctx, *call, flag.Arg(0)) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, "callpath:", err)
		os.Exit(1)
	}
}

// run prints the functions of calls over both transports.
func run(ctx context.Context, w io.Writer, verbose bool) error {
	dir, err := os.MkdirTemp("", "callpath")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	counting := filepath.Join(dir, "callpath")
	packages, err := command(ctx, "go", "list", "-deps", "-f", `{{if not .Standard}}{{.ImportPath}}{{end}}`, program)
	if err != nil {
		return err
	}
	ours := slices.DeleteFunc(strings.Fields(packages), func(path string) bool { return !strings.HasPrefix(path, module) })
	if _, err := command(ctx, "go", "build", "-cover", "-covermode=atomic", "-coverpkg="+strings.Join(ours, ","), "-o", counting, program); err != nil {
		return err
	}
	for _, transport := range []string{"stdio", "http"} {
		counters := filepath.Join(dir, transport)
		if err := os.Mkdir(counters, 0o700); err != nil {
			return err
		}
		if _, err := command(ctx, counting, "-call", transport, counters); err != nil {
			return err
		}
		table, err := command(ctx, "go", "tool", "covdata", "func", "-i="+counters)
		if err != nil {
			return err
		}
		if err := report(w, transport, table, verbose); err != nil {
			return err
		}
	}
	return nil
}

// report prints the functions in a table of go tool covdata that were run at least partly: by package, or by file.
func report(w io.Writer, transport, table string, verbose bool) error {
	files := map[string][]string{} // functions by file
	functions := 0
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) != 3 || words[2] == "0.0%" || strings.HasPrefix(words[0], program) || words[0] == "total" {
			continue
		}
		file, _, _ := strings.Cut(strings.TrimPrefix(words[0], module+"/"), ":")
		files[file] = append(files[file], words[1])
		functions++
	}
	if functions == 0 {
		return errors.New("go tool covdata listed no functions")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(t, "a call over %s:\t%d functions\tin %d files\n", transport, functions, len(files))
	type size struct{ functions, files int }
	packages := map[string]size{}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		sum := packages[filepath.Dir(file)]
		packages[filepath.Dir(file)] = size{sum.functions + len(files[file]), sum.files + 1}
		if verbose {
			_, _ = fmt.Fprintf(t, "  %s\t%s\n", file, strings.Join(files[file], " "))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if !verbose {
			_, _ = fmt.Fprintf(t, "  %s\t%d\t%d\n", name, packages[name].functions, packages[name].files)
		}
	}
	return t.Flush()
}

// command runs a command and returns its output.
func command(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+os.TempDir()) // a program with counters warns if it is not set
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), args[0], err, &stderr)
	}
	return string(out), nil
}
