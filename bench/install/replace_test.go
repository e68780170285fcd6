package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	oldText = "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"/bin/a\"}\n  }\n}\n"
	newText = "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"/bin/a\"},\n    \"weather\": {\n      \"command\": \"/bin/weather\"\n    }\n  }\n}\n"
)

// weather returns the request that these tests use.
func weather(file string) Request {
	return Request{Client: "mcp-json", File: file, Name: "weather", Server: Server{Command: []string{"/bin/weather"}}, Write: true}
}

func machine(dir string) Machine {
	return Machine{OS: "linux", Dir: dir, Getenv: func(string) string { return "" }, LookPath: func(name string) (string, error) { return "/usr/bin/" + name, nil }}
}

// TestFaults makes each step of a replacement fail, with the process surviving and with it killed, with and without
// links, and with and without an old file.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		old   string
		limit map[string]error
		steps int // minimum
	}{
		{"a file", oldText, nil, 14},
		{"a file, no links", oldText, map[string]error{"link": errors.ErrUnsupported}, 16},
		{"no file", "", nil, 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			clean := attempt(t, tt.old, &faulty{disk: system{}, limit: tt.limit})
			if clean.err != nil || clean.is == tt.old {
				t.Fatalf("without a fault: %v\n%s", clean.err, clean.is)
			}
			if len(clean.steps) < tt.steps {
				t.Errorf("there are only the steps %q", clean.steps)
			}
			for at := range len(clean.steps) {
				for _, crash := range []bool{false, true} {
					name := fmt.Sprintf("step %d, %s, crash %v", at+1, clean.steps[at], crash)
					r := attempt(t, tt.old, &faulty{disk: system{}, limit: tt.limit, at: at + 1, crash: crash})
					r.check(t, name, tt.old, clean.is, crash)
				}
			}
		})
	}
}

// outcome is the state after an attempt.
type outcome struct {
	err      error
	is       string // contents of the file, "" if there is none
	backup   string
	leftover []string
	steps    []string
}

// attempt installs once.
func attempt(t *testing.T, old string, d *faulty) outcome {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "mcp.json")
	if old != "" {
		if err := os.WriteFile(file, []byte(old), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	j, err := newJob(machine(dir), weather(file))
	if err != nil {
		t.Fatal(err)
	}
	_, err = j.apply(t.Context(), d)
	return look(t, dir, outcome{err: err, steps: d.names})
}

// look adds the files of a directory to an outcome.
func look(t *testing.T, dir string, o outcome) outcome {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		switch e.Name() {
		case "mcp.json":
			o.is = string(data)
		case "mcp.json.bak":
			o.backup = string(data)
		default:
			o.leftover = append(o.leftover, e.Name())
		}
	}
	return o
}

// check reports what is wrong with the state after a fault.
func (o outcome) check(t *testing.T, name, old, now string, crash bool) {
	t.Helper()
	if o.is != old && o.is != now {
		t.Errorf("%s: half a file:\n%s", name, o.is)
	}
	if o.err == nil && o.is != now {
		t.Errorf("%s: no error, and nothing written", name)
	}
	if crash {
		return // other files in the directory do not matter
	}
	if o.err != nil && (o.is != old || o.backup != "") {
		t.Errorf("%s: %v, and something was written: %q, backup %q", name, o.err, o.is, o.backup)
	}
	if o.err == nil && o.backup != old {
		t.Errorf("%s: the backup is %q", name, o.backup)
	}
	// If the removal itself fails, the file is left over.
	if len(o.leftover) > 0 && !strings.Contains(name, "remove") {
		t.Errorf("%s: %v: left are %q", name, o.err, o.leftover)
	}
}

// TestKilled actually kills a process at each step.
func TestKilled(t *testing.T) {
	t.Parallel()
	const variable = "MCPTOOL_INSTALL_KILLED_AT"
	if at, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		die := func() {
			p, _ := os.FindProcess(os.Getpid())
			_ = p.Kill()
			select {}
		}
		dir := os.Getenv(variable + "_DIR")
		j, err := newJob(machine(dir), weather(filepath.Join(dir, "mcp.json")))
		if err != nil {
			t.Fatal(err)
		}
		_, err = j.apply(t.Context(), &faulty{disk: system{}, at: at, fault: die})
		t.Fatalf("nobody killed it: %v", err)
	}
	steps := attempt(t, oldText, &faulty{disk: system{}}).steps
	for i, step := range steps {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "mcp.json"), []byte(oldText), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestKilled$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, i+1), variable+"_DIR="+dir)
		if out, err := cmd.CombinedOutput(); err == nil || bytes.Contains(out, []byte("nobody killed it")) {
			t.Fatalf("step %d, %s: %v\n%s", i+1, step, err, out)
		}
		o := look(t, dir, outcome{})
		if o.is != oldText && o.is != newText {
			t.Errorf("killed at step %d, %s: half a file:\n%s", i+1, step, o.is)
		}
		if o.is == newText && o.backup != oldText || o.backup != "" && o.backup != oldText {
			t.Errorf("killed at step %d, %s: the backup is %q", i+1, step, o.backup)
		}
		// Its leftovers do not block the next installation.
		if _, err := Do(t.Context(), machine(dir), weather(filepath.Join(dir, "mcp.json"))); err != nil {
			t.Errorf("after step %d, %s: %v", i+1, step, err)
		}
		if o := look(t, dir, outcome{}); o.is != newText {
			t.Errorf("after step %d, %s, and once more:\n%s", i+1, step, o.is)
		}
	}
}

// TestChangedMeanwhile has another program write the file between reading and replacing.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(file, []byte(oldText), 0o600); err != nil {
		t.Fatal(err)
	}
	const theirs = `{"mcpServers": {"theirs": {}}}`
	j, err := newJob(machine(dir), weather(file))
	if err != nil {
		t.Fatal(err)
	}
	d := &faulty{disk: system{}, at: 2, fault: func() { _ = os.WriteFile(file, []byte(theirs), 0o600) }}
	if change, err := j.apply(t.Context(), d); err != nil || !change.Written {
		t.Fatalf("%v, %v", change, err)
	}
	o := look(t, dir, outcome{})
	if want := `{"mcpServers": {"theirs": {}, "weather": {"command": "/bin/weather"}}}`; o.is != want || o.backup != theirs || len(o.leftover) > 0 {
		t.Errorf("there is %s, backup %s, and %q", o.is, o.backup, o.leftover)
	}
	// After repeated changes, apply gives up.
	again := &restless{disk: system{}, file: file}
	if _, err := (&job{request: j.request, client: j.client, file: file, name: "other", set: j.set}).apply(t.Context(), again); !errors.Is(err, errChanged) {
		t.Errorf("%v", err)
	}
	if o := look(t, dir, outcome{}); len(o.leftover) > 0 {
		t.Errorf("left are %q", o.leftover)
	}
}

// restless is a disk on which the file is rewritten before each read.
type restless struct {
	disk
	file string
	n    int
}

func (r *restless) read(path string) ([]byte, error) {
	r.n++
	_ = os.WriteFile(r.file, fmt.Appendf(nil, `{"n": %d}`, r.n), 0o600)
	return r.disk.read(path)
}

// TestConcurrent installs many entries at once, from several processes and from this one. None may be lost.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	const variable = "MCPTOOL_INSTALL_CONCURRENTLY"
	const processes, each, routines = 3, 3, 5
	dir, name, ok := strings.Cut(os.Getenv(variable), "|")
	if !ok {
		dir = t.TempDir()
	}
	install := func(ctx context.Context, name string) error {
		r := weather(filepath.Join(dir, "mcp.json"))
		r.Name = name
		change, err := Do(ctx, machine(dir), r)
		if err == nil && !change.Written {
			err = errors.New("not written")
		}
		return err
	}
	if ok {
		for i := range each {
			if err := install(t.Context(), fmt.Sprint(name, "-", i)); err != nil {
				t.Error(err)
			}
		}
		return
	}
	done := make(chan error)
	for i := range processes {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestConcurrent$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|p%d", variable, dir, i))
		go func() {
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w\n%s", err, out)
			}
			done <- err
		}()
	}
	for i := range routines {
		go func() { done <- install(t.Context(), fmt.Sprint("r", i)) }()
	}
	for range processes + routines {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	o := look(t, dir, outcome{})
	d, err := parse([]byte(o.is), true)
	if err != nil {
		t.Fatal(err)
	}
	servers, _, err := d.servers("mcpServers")
	if err != nil || len(servers.Members) != processes*each+routines {
		t.Errorf("%v, there are\n%s", err, o.is)
	}
	if slices.ContainsFunc(o.leftover, func(name string) bool { return strings.HasSuffix(name, ".tmp") }) {
		t.Errorf("left are %q", o.leftover)
	}
}

// TestFile checks that a file keeps its mode, its place behind links, and older backups.
func TestFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there := filepath.Join(dir, "elsewhere", "config.json")
	if err := os.Mkdir(filepath.Dir(there), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{there: oldText, there + ".bak": "mine", there + ".bak.1": "mine, too"} {
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"a.json": "b.json", "b.json": "elsewhere/config.json", "loop.json": "loop.json", "dangling.json": "elsewhere/new.json"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skip(err)
		}
	}
	change, err := Do(t.Context(), machine(dir), weather("a.json"))
	if err != nil || change.Backup != there+".bak.2" {
		t.Fatalf("%+v, %v", change, err)
	}
	for path, want := range map[string]string{there: newText, there + ".bak": "mine", there + ".bak.1": "mine, too", there + ".bak.2": oldText, filepath.Join(dir, "a.json"): newText} {
		got, err := os.ReadFile(path)
		info, errInfo := os.Stat(path)
		if err != nil || errInfo != nil || string(got) != want || info.Mode().Perm() != 0o640 {
			t.Errorf("%s is %q, %v, %v", path, got, info, err)
		}
	}
	if info, err := os.Lstat(filepath.Join(dir, "a.json")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if _, err := Do(t.Context(), machine(dir), weather("dangling.json")); err != nil {
		t.Errorf("a link to what is not there yet: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "elsewhere", "new.json")); err != nil {
		t.Error(err)
	}
	readOnly := filepath.Join(dir, "managed.json")
	if err := os.WriteFile(readOnly, []byte(oldText), 0o444); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"managed.json/x.json": "cannot be read: not a directory; nothing was changed",
		"loop.json":           "symbolic link to itself", "elsewhere": "is a directory", "managed.json": "is read-only",
	} {
		if _, err := Do(t.Context(), machine(dir), weather(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if change, err := Do(t.Context(), machine(dir), weather("new/folder/x.json")); err != nil || !change.Written || change.Backup != "" {
		t.Errorf("folders that are not there: %+v, %v", change, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "new/folder/x.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
