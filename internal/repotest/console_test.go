package repotest_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
)

// TestDocumentConsole runs the console blocks of the documents at the root of the repository with bench on the PATH and
// compares the output of the commands, standard output and standard error combined, with the block. A sh block under
// <!-- server --> is started for the console blocks that follow it. Under <!-- numbers differ -->, numbers, their
// widths and the random part of handles are not compared. In commands and outputs, /tmp is a directory of the test, in
// which the servers run. It is a failure if a document adds an entry to the root of the repository.
func TestDocumentConsole(t *testing.T) {
	testscale.Nightly(t)
	program, err := benchProgram()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	ran := 0
	for _, file := range userDocuments(t) {
		t.Run(file, func(t *testing.T) {
			c := console{shell: shell(t), tmp: t.TempDir(), stop: func() {}}
			before := rootEntries(t)
			for _, b := range blocksOf(file, readText(t, file)) {
				switch {
				case b.ofModule():
					continue // see TestDocumentModules
				case b.marker == "server":
					c.stop()
					c.address, c.stop = startServer(t, c.shell, ".", c.tmp, b)
				case b.lang == "console":
					ran++
					t.Run(steps(b.text)[0].command, func(t *testing.T) { c.check(t, b) })
				}
			}
			for _, name := range rootEntries(t) {
				if !slices.Contains(before, name) {
					t.Errorf("%s: a command or a server has written %s to the repository: remove it, and let the document write to /tmp", file, name)
				}
			}
		})
	}
	if ran == 0 {
		t.Error("no document has a console block")
	}
}

// rootEntries returns the names of the files and directories at the root of the repository.
func rootEntries(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// console runs console blocks.
type console struct {
	shell, tmp string
	dir        string // where the commands run; by default the root of the repository
	address    string // of the server, if any
	stop       func() // stops the server, if any
}

// check runs the commands of a block.
func (c console) check(t *testing.T, b block) {
	t.Helper()
	for _, step := range steps(b.text) {
		command := c.localize(step.command)
		cmd := exec.CommandContext(t.Context(), c.shell, "-c", command)
		cmd.Dir = c.dir
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "nginx is not installed") {
			t.Skip(string(out))
		}
		got, want := strings.TrimSpace(string(out)), strings.TrimSpace(c.localize(step.output))
		if b.marker == "numbers differ" {
			got, want = shape(got), shape(want)
		}
		if got != want {
			t.Error(b.problem("%s: %v\nit printed\n%s\nand the document shows\n%s", command, err, got, want))
		}
	}
}

// localize replaces documented paths and addresses with the paths and addresses of the test.
func (c console) localize(text string) string {
	text = strings.ReplaceAll(text, "/tmp/", c.tmp+"/")
	if c.address != "" {
		text = strings.ReplaceAll(text, documentedAddress, c.address)
	}
	return text
}

// step is a command of a console block and its output.
type step struct{ command, output string }

// steps returns the commands of a console block. They begin with "$ "; a backslash at the end of a line continues them.
func steps(text string) []step {
	var all []step
	continued := false
	for line := range strings.Lines(text) {
		command, begins := strings.CutPrefix(line, "$ ")
		switch {
		case begins:
			all = append(all, step{command: command})
		case len(all) == 0:
			return []step{{command: "false", output: "a console block begins with a command, behind $"}}
		case continued:
			all[len(all)-1].command += line
		default:
			all[len(all)-1].output += line
		}
		continued = (begins || continued) && strings.HasSuffix(strings.TrimRight(line, "\n"), `\`)
	}
	return all
}

// documentedAddress is where documented servers listen; in tests they listen elsewhere.
const documentedAddress = "127.0.0.1:8080"

// startServer builds the server of a block in the directory source, and runs it in the directory work, in the background,
// until the test ends or stop is called.
func startServer(t *testing.T, shell, source, work string, b block) (address string, stop func()) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	command := strings.TrimSpace(b.text)
	if !strings.Contains(command, documentedAddress) {
		t.Fatal(b.problem("the server does not listen on %s", documentedAddress))
	}
	// Killing go run would leave its child process behind, so the program is built and replaces the shell.
	pkg := regexp.MustCompile(`go run (\.\S*)`).FindStringSubmatch(command)
	if pkg == nil {
		t.Fatal(b.problem("the server is not started with go run"))
	}
	binary := filepath.Join(t.TempDir(), "server")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, pkg[1])
	build.Dir = source
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatal(b.problem("%v: %s", err, out))
	}
	command = strings.NewReplacer(pkg[0], "exec "+binary, documentedAddress, address).Replace(command)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	server := exec.CommandContext(ctx, shell, "-c", command)
	server.Dir = work
	var log bytes.Buffer
	server.Stderr = &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			_ = conn.Close()
			stop = sync.OnceFunc(func() {
				cancel()
				_ = server.Wait() // it was killed
			})
			t.Cleanup(stop)
			return address, stop
		}
		time.Sleep(50 * time.Millisecond)
	}
	cancel()
	_ = server.Wait()
	t.Fatal(b.problem("the server does not listen on %s: %s", address, &log))
	return "", nil
}

// shell returns the path of sh.
func shell(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this machine to run the commands of the documents with")
	}
	return path
}

var (
	number = regexp.MustCompile(`[0-9]+([.,  ][0-9]+)*`)
	handle = regexp.MustCompile(`-[a-z2-7]{26}\b`) // of a kept result
)

// shape returns a text without its numbers and their widths, and without the random part of handles.
func shape(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(number.ReplaceAllString(handle.ReplaceAllString(line, "-x"), "0")), " ")
	}
	return strings.Join(lines, "\n")
}

// TestSteps splits console blocks into steps.
func TestSteps(t *testing.T) {
	got := steps("$ a \\\n  b\none\n\ntwo\n$ c\n")
	want := []step{{"a \\\n  b\n", "one\n\ntwo\n"}, {"c\n", ""}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %q, want %q", got, want)
	}
}
