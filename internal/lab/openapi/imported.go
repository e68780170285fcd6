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
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// Limits of an import. The time is of the processor: on an idle machine the import takes no longer, and on a busy one the
// limit holds as well.
const (
	maxTime   = 20 * time.Second
	maxMemory = 1 << 30
)

// A workshop is a directory with a module of all imported servers, and the programs that check them.
type workshop struct {
	root string // of the repository
	dir  string // absolute
	keep bool   // imported servers are not imported again
}

// path returns a path in the directory.
func (w *workshop) path(elements ...string) string {
	return filepath.Join(append([]string{w.dir}, elements...)...)
}

// prepare builds the programs, and makes the module.
func (w *workshop) prepare(ctx context.Context) error {
	for _, program := range []string{"./bench", "./integrations/mcptoolvet/cmd/mcptoolvet"} {
		c := exec.CommandContext(ctx, "go", "build", "-o", w.path("bin")+string(filepath.Separator), program)
		c.Dir = w.root
		if _, err := output(c); err != nil {
			return err
		}
	}
	if !w.keep {
		if err := os.RemoveAll(w.path("servers")); err != nil {
			return err
		}
	}
	mod := "module servers\n\ngo 1.26.0\n\nrequire github.com/mcptool-go/mcptool v0.0.0\n\nreplace github.com/mcptool-go/mcptool => " + w.root + "\n"
	return writeFile(w.path("servers", "go.mod"), strings.NewReader(mod))
}

// command returns a command in the module of the servers.
func (w *workshop) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = w.path("servers")
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	return c
}

// An imported is a server that bench import generated.
type imported struct {
	document
	err        error // no code was generated, or a limit is exceeded
	translated int
	leftOut    int
	notes      int
	wall, cpu  time.Duration
	memory     int64 // the peak of the resident set, in bytes
	checks     []check
	tools      int
	tokens     int
}

// A check is a program that the generated code passes or not.
type check struct {
	name string
	took time.Duration
	err  error
}

var (
	translatedCount = regexp.MustCompile(`: (\d+) operations? in \d+ services?`)
	leftOutCount    = regexp.MustCompile(`, (\d+) left out`)
)

// run imports a document.
func (w *workshop) run(ctx context.Context, d document, path string) *imported {
	m := &imported{document: d}
	if w.keep {
		if text, err := os.ReadFile(w.path(d.name + ".txt")); err == nil {
			m.read(string(text))
			return m
		}
	}
	var out bytes.Buffer
	c := exec.CommandContext(ctx, w.path("bin", "bench"), "import", "openapi", path, "--out", w.path("servers", d.name), "--verbose")
	c.Stdout, c.Stderr = &out, &out
	start := time.Now()
	err := c.Start()
	if err == nil {
		done := make(chan struct{})
		peak := make(chan int64)
		go func() { peak <- watch(c.Process.Pid, done) }()
		err = c.Wait()
		close(done)
		m.memory = <-peak
	}
	m.wall = time.Since(start)
	if s := c.ProcessState; s != nil {
		m.cpu = s.UserTime() + s.SystemTime()
	}
	m.read(out.String())
	if m.translated == 0 {
		m.err = fmt.Errorf("bench import: %w\n%s", errors.Join(err, errors.New("no operation was translated")), out.String())
		return m
	}
	if m.cpu > maxTime {
		m.err = fmt.Errorf("the import took %.1f s, more than %v", m.cpu.Seconds(), maxTime)
	}
	if m.memory > maxMemory {
		m.err = errors.Join(m.err, fmt.Errorf("the import took %d MB, more than %d", m.memory>>20, maxMemory>>20))
	}
	m.err = errors.Join(m.err, os.WriteFile(w.path(d.name+".txt"), out.Bytes(), 0o600))
	return m
}

// watch returns the peak of the resident set of a process until it is done.
func watch(pid int, done <-chan struct{}) (peak int64) {
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for {
		if now, err := process.Peak(pid); err == nil {
			peak = max(peak, now)
		}
		select {
		case <-ticks.C:
		case <-done:
			return peak
		}
	}
}

// read reads the report of bench import.
func (m *imported) read(report string) {
	head, _, _ := strings.Cut(report, "\nwritten:")
	head = strings.Join(strings.Fields(head), " ")
	m.translated, m.leftOut = firstNumber(translatedCount, head), firstNumber(leftOutCount, head)
	_, notes, _ := strings.Cut(report, "\nnot as in the document:\n")
	notes, _, _ = strings.Cut(notes, "\n\n")
	for line := range strings.Lines(notes) {
		if strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   ") {
			m.notes++
		}
	}
}

func firstNumber(r *regexp.Regexp, text string) int {
	found := r.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return 0
	}
	return n
}

// withOutputs makes a server list its output schemas if the variable LAB_OUTPUT_SCHEMAS is set: main.go is a file that authors change.
const withOutputs = `package main

import "os"

var omitOutputSchemas = os.Getenv("LAB_OUTPUT_SCHEMAS") == ""
`

// listOutputs changes main.go.
func (w *workshop) listOutputs(d document) error {
	name := w.path("servers", d.name, "main.go")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	const option = "OmitOutputSchemas: true"
	if !bytes.Contains(text, []byte(option)) && !bytes.Contains(text, []byte("omitOutputSchemas")) {
		return fmt.Errorf("%s does not have %q", name, option)
	}
	text = bytes.ReplaceAll(text, []byte(option), []byte("OmitOutputSchemas: omitOutputSchemas"))
	return errors.Join(os.WriteFile(name, text, 0o600), os.WriteFile(w.path("servers", d.name, "lab.go"), []byte(withOutputs), 0o600))
}

// check builds the code, and runs all checks.
func (w *workshop) check(ctx context.Context, m *imported) {
	if err := w.listOutputs(m.document); err != nil {
		m.checks = []check{{name: "build", err: err}}
		return
	}
	pkg := "./" + m.name
	for _, c := range []struct {
		name string
		args []string
	}{
		{"build", []string{"go", "build", "-o", w.path("bin", m.name), pkg}},
		{"vet", []string{"go", "vet", pkg + "/..."}},
		{"mcptoolvet", []string{"go", "vet", "-vettool=" + w.path("bin", "mcptoolvet"), pkg + "/..."}},
		{"test", []string{"go", "test", "-count=1", pkg + "/..."}},
	} {
		start := time.Now()
		out, err := w.command(ctx, c.args[0], c.args[1:]...).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
		m.checks = append(m.checks, check{c.name, time.Since(start), err})
		if err != nil && c.name == "build" {
			return
		}
	}
	start := time.Now()
	m.checks = append(m.checks, check{"lint", 0, w.lint(ctx, m)})
	m.checks[len(m.checks)-1].took = time.Since(start)
}

// lint runs bench lint on the server, which needs no API for it.
func (w *workshop) lint(ctx context.Context, m *imported) error {
	out, err := w.command(ctx, w.path("bin", "bench"), "lint", "--json", "--", w.path("bin", m.name)).Output()
	var report struct {
		Tokens   int               `json:"estimatedTokens"`
		Costs    []json.RawMessage `json:"costs"`
		Findings []struct{ Level, Rule, Tool, Path, Found string }
	}
	if broken := json.Unmarshal(out, &report); broken != nil {
		return errors.Join(err, broken)
	}
	m.tools, m.tokens = len(report.Costs), report.Tokens
	var found []error
	for _, f := range report.Findings {
		if f.Level == "error" {
			found = append(found, fmt.Errorf("%s %s: %s: %s", f.Tool, f.Path, f.Rule, f.Found))
		}
	}
	if m.tools != m.translated {
		found = append(found, fmt.Errorf("the server has %d tools for %d operations", m.tools, m.translated))
	}
	if len(found) == 0 && err != nil {
		found = []error{err}
	}
	return errors.Join(found...)
}

var credential = regexp.MustCompile(`env: +"(\w+)"`)

// environment returns the variables with which the server of a document calls an API. Requests to other hosts go to a proxy.
func (w *workshop) environment(d document, base, proxy string) ([]string, error) {
	source, err := os.ReadFile(w.path("servers", d.name, "api.go"))
	if err != nil {
		return nil, err
	}
	env := []string{"LAB_OUTPUT_SCHEMAS=1", "BASE_URL=" + base, "HTTP_PROXY=" + proxy, "HTTPS_PROXY=" + proxy, "NO_PROXY="}
	for _, found := range credential.FindAllSubmatch(source, -1) {
		for _, suffix := range []string{"", "_USER", "_PASSWORD"} {
			env = append(env, string(found[1])+suffix+"="+secret)
		}
	}
	return env, nil
}
