// Command figures measures the amount of code to read, and compares it with figures.txt, in which no figure may get
// worse:
//
//	go run ./internal/lab/figures            # exit status 1 if a figure is worse than in the file
//	go run ./internal/lab/figures -update    # write figures that are better
//	go run ./internal/lab/figures -since v1  # how many tokens and names each commit after v1 added
//	go run ./internal/lab/figures -since v1 -all  # and which figures of files and calls it changed
//	go run ./internal/lab/figures -uses      # which uses in package runtime are against its order
//
// Run it in the root of a checkout. The figures are: tokens of this module linked into a server with both
// transports; how far the files of a package depend on each other, from knot.go; functions and files run by one
// tools/call, from internal/lab/callpath; names and methods exported by each package, from api; and the percentage of
// comment lines that are not plain English, from a script outside the repository, lint/prose in the directory
// MCPTOOL_SHARED (default: ../shared), without which they are not compared.
//
// Linked tokens and functions per call may exceed the file by 2 %, and prose may be 1 %. If a figure has to get worse, edit
// it by hand, with the reason in the commit message. If a figure is worse, the program lists what each commit since the last
// record added.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const (
	module = "github.com/mcptool-go/mcptool"
	file   = "internal/lab/figures/figures.txt"
)

// slack is how much greater than recorded a figure of size may be: a change should not need a decision about a few tokens.
const slack = 0.02

// proseLimit is the percentage of comment lines that need not be plain English: the script also finds some that are.
const proseLimit = 1

// A figure is a measurement; smaller is better. A name that begins with "linked " or "functions " has the slack.
type figure struct {
	name  string
	value float64
}

// limit returns the greatest value that is not worse than the recorded one.
func (f figure) limit(recorded float64) float64 {
	switch {
	case strings.HasPrefix(f.name, prosePrefix):
		return max(recorded, proseLimit)
	case strings.HasPrefix(f.name, "linked "), strings.HasPrefix(f.name, "functions "):
		return recorded * (1 + slack)
	default:
		return recorded
	}
}

func main() {
	update := flag.Bool("update", false, "write figures that are better to "+file)
	since := flag.String("since", "", "print how many tokens and exported names each commit after this `commit` added, and measure nothing")
	all := flag.Bool("all", false, "with -since, also print which figures of files and calls each commit changed, which takes about a minute for each")
	uses := flag.Bool("uses", false, "print the uses in package runtime against its order, and measure nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	work := func() error { return run(ctx, *update) }
	switch {
	case *since != "":
		work = func() error { return history(ctx, os.Stdout, *since, *all) }
	case *uses:
		work = func() error { return printUses(ctx) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, update bool) error {
	recorded, err := read(file)
	if err != nil {
		return err
	}
	measured, err := measure(ctx)
	if err != nil {
		return err
	}
	worse, better := compare(recorded, measured)
	for _, line := range append(worse, better...) {
		fmt.Println(line)
	}
	if update {
		return write(file, recorded, measured)
	}
	if len(worse) > 0 {
		recorded, err := output(ctx, "git", "log", "-1", "--format=%h", "--", file)
		if err != nil {
			return err
		}
		recorded = strings.TrimSpace(recorded)
		if err := history(ctx, os.Stdout, recorded, false); err != nil {
			return err
		}
		fmt.Printf("Which commit changed a figure of files or calls: go run ./internal/lab/figures -since %s -all\n", recorded)
		return fmt.Errorf("%d figures are worse than in %s", len(worse), file)
	}
	fmt.Printf("%d figures, %d better than in %s\n", len(measured), len(better), file)
	return nil
}

// compare returns a line for each figure that is worse than recorded or not recorded, and for each that is better.
func compare(recorded map[string]float64, measured []figure) (worse, better []string) {
	for _, f := range measured {
		switch was, ok := recorded[f.name]; {
		case !ok:
			worse = append(worse, fmt.Sprintf("new: %s %v; add it to %s", f.name, f.value, file))
		case f.value > f.limit(was):
			worse = append(worse, fmt.Sprintf("worse: %s %v, was %v", f.name, f.value, was))
		case f.value < was:
			better = append(better, fmt.Sprintf("better: %s %v, was %v; record it with -update", f.name, f.value, was))
		}
	}
	return worse, better
}

// read returns the figures of a file by name.
func read(path string) (map[string]float64, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read-only
	figures := map[string]float64{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		i := strings.LastIndexByte(line, ' ')
		if i < 0 {
			return nil, fmt.Errorf("%s: %q is not a name and a number", path, line)
		}
		value, err := strconv.ParseFloat(line[i+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		figures[line[:i]] = value
	}
	return figures, lines.Err()
}

// write writes the measured figures, but keeps recorded ones that are better or could not be measured.
func write(path string, recorded map[string]float64, measured []figure) error {
	var out bytes.Buffer
	for _, f := range measured {
		if was, ok := recorded[f.name]; ok {
			f.value = min(f.value, was)
			delete(recorded, f.name)
		}
		fmt.Fprintf(&out, "%s %v\n", f.name, f.value)
	}
	for name, value := range recorded {
		if strings.HasPrefix(name, prosePrefix) {
			fmt.Fprintf(&out, "%s %v\n", name, value)
		}
	}
	return os.WriteFile(path, out.Bytes(), 0o600)
}

func measure(ctx context.Context) ([]figure, error) {
	var all []figure
	for _, part := range []func(context.Context) ([]figure, error){linked, knots, callpath, exported, prose} {
		figures, err := part(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	return all, nil
}

// linked counts the tokens of this module linked into a server.
func linked(ctx context.Context) ([]figure, error) {
	files, err := linkedFiles(ctx)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		total += tokens(text)
	}
	return []figure{{"linked tokens", float64(total)}}, nil
}

// linkedFiles returns the paths of the files of this module linked into a server.
func linkedFiles(ctx context.Context) ([]string, error) {
	const format = `{{if .Module}}{{if eq .Module.Path "` + module + `"}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`
	out, err := output(ctx, "go", "list", "-deps", "-f", format, "./stdio", "./streamhttp")
	return strings.Fields(out), err
}

// tokens counts the Go tokens of a file, without comments and the semicolons that the scanner inserts.
func tokens(source []byte) (n int) {
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile("", set.Base(), len(source)), source, nil, 0)
	for {
		_, kind, text := s.Scan()
		switch {
		case kind == token.EOF:
			return n
		case kind != token.SEMICOLON || text == ";":
			n++
		}
	}
}

var callRow = regexp.MustCompile(`(?m)^a call over (\w+):\s+(\d+) functions\s+in (\d+) files$`)

// callpath counts the functions and files of a call. On a busy machine a call may wait where it otherwise does not,
// which runs more functions, so it takes the minimum of three runs.
func callpath(ctx context.Context) ([]figure, error) {
	var least []figure
	for range 3 {
		out, err := output(ctx, "go", "run", "./internal/lab/callpath")
		if err != nil {
			return nil, err
		}
		var figures []figure
		for _, row := range callRow.FindAllStringSubmatch(out, -1) {
			functions, _ := strconv.Atoi(row[2]) // digits
			files, _ := strconv.Atoi(row[3])     // digits
			figures = append(figures, figure{"functions per call over " + row[1], float64(functions)}, figure{"files per call over " + row[1], float64(files)})
		}
		if len(figures) != 4 {
			return nil, fmt.Errorf("callpath printed no counts: %s", out)
		}
		if least == nil {
			least = figures
		}
		for i, f := range figures {
			least[i].value = min(least[i].value, f.value)
		}
	}
	return least, nil
}

// exported counts the lines of the files in api.
func exported(context.Context) ([]figure, error) {
	paths, err := filepath.Glob("api/*.txt")
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, errors.New("api has no files; run this in the root of a checkout")
	}
	var figures []figure
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		entries := bytes.Count(text, []byte("\n")) - 2 // without the first and the last line
		figures = append(figures, figure{"exported by " + strings.TrimSuffix(filepath.Base(path), ".txt"), float64(entries)})
	}
	return figures, nil
}

const prosePrefix = "prose in "

var proseRow = regexp.MustCompile(`, ([\d.]+) %`)

// prose returns the percentage of comment lines for each top-level directory, or none without the script.
func prose(ctx context.Context) ([]figure, error) {
	shared := os.Getenv("MCPTOOL_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "shared")
	}
	script := filepath.Join(shared, "lint", "prose")
	if _, err := os.Stat(script); err != nil {
		fmt.Printf("prose is not compared: %v\n", err)
		return nil, nil
	}
	sources, err := output(ctx, "git", "ls-files", "*.go")
	if err != nil {
		return nil, err
	}
	var figures []figure
	last := ""
	for _, source := range strings.Fields(sources) { // sorted
		dir, _, _ := strings.Cut(source, "/")
		if dir == last {
			continue
		}
		last = dir
		out, err := output(ctx, script, dir)
		if err != nil {
			return nil, err
		}
		row := proseRow.FindStringSubmatch(out)
		if row == nil {
			return nil, fmt.Errorf("%s printed %q", script, out)
		}
		value, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure{prosePrefix + dir, value})
	}
	return figures, nil
}

// output runs a command and returns its output.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return string(out), nil
}
