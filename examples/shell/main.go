// Command shell lets a model run commands: only allowed ones, by name and with
// separate arguments, never through a shell, and with a time limit.
//
//	go run ./examples/shell -allow date,ls,wc,git
//
// An allowed command may do anything it can: "git -c" and "find -exec" run other
// commands. Allow only commands that are safe with any arguments.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

const (
	maxOutput = 64 << 10    // bytes kept of each stream; a model needs no more
	afterKill = time.Second // for processes that keep the pipes of a killed command open
)

// ExecuteIn is a command line, split into words.
type ExecuteIn struct {
	_       struct{} `mcp:"name=execute_command,title=Run a command,destructive" doc:"Run one of the allowed commands, without a shell: no pipes, no redirection, no wildcards, no variables"`
	Command string   `json:"command" jsonschema:"minLength=1,maxLength=100" doc:"Name of an allowed command, without a path, e.g. ls"`
	Args    []string `json:"args,omitempty" jsonschema:"maxItems=100" doc:"Its arguments, one item each, e.g. -l and /tmp"`
	Timeout int      `json:"timeout_seconds" jsonschema:"minimum=1,maximum=60,default=10" doc:"The command is killed after this time"`
}

// ExecuteOut is the result. A command that fails is a result, not an error.
type ExecuteOut struct {
	ExitCode  int    `json:"exit_code" doc:"0 is success; -1 if the command was killed"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	TimedOut  bool   `json:"timed_out"`
	Truncated bool   `json:"truncated" doc:"Only the first 64 KiB of a stream are here"`
}

// runner runs allowed commands.
type runner struct {
	allowed map[string]string // name to path, resolved once, so that a later change of PATH has no effect
	dir     string
}

func newRunner(names []string, dir string) (*runner, error) {
	r := &runner{allowed: make(map[string]string), dir: dir}
	for _, name := range names {
		file, err := exec.LookPath(name)
		if err != nil {
			return nil, err
		}
		if r.allowed[name], err = filepath.Abs(file); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// ExecuteCommand runs a command until it exits, its timeout expires, or the call is
// cancelled.
func (r *runner) ExecuteCommand(ctx context.Context, in ExecuteIn) (ExecuteOut, error) {
	file, ok := r.allowed[in.Command]
	if !ok {
		names := slices.Sorted(maps.Keys(r.allowed))
		return ExecuteOut{}, fmt.Errorf("%q is not allowed; allowed are: %s", in.Command, strings.Join(names, ", "))
	}
	timed, cancel := context.WithTimeout(ctx, time.Duration(in.Timeout)*time.Second)
	defer cancel()
	var stdout, stderr head
	cmd := exec.CommandContext(timed, file, in.Args...)
	cmd.Dir = r.dir
	cmd.Env = environment()
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = afterKill
	ownGroup(cmd)
	err := cmd.Run()
	killGroup(cmd) // processes that the command left behind
	if ctx.Err() != nil {
		return ExecuteOut{}, ctx.Err()
	}
	out := ExecuteOut{
		ExitCode:  -1,
		Stdout:    stdout.text(),
		Stderr:    stderr.text(),
		TimedOut:  timed.Err() != nil,
		Truncated: stdout.cut || stderr.cut,
	}
	if cmd.ProcessState != nil {
		out.ExitCode = cmd.ProcessState.ExitCode()
	}
	if exited := new(exec.ExitError); err != nil && !errors.As(err, &exited) && !errors.Is(err, exec.ErrWaitDelay) && !out.TimedOut {
		return ExecuteOut{}, err // it could not be started
	}
	return out, nil
}

// environment returns the variables that commands need, without the server's
// secrets.
func environment() []string {
	env := []string{"LANG=C.UTF-8"}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SYSTEMROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// head keeps the beginning of a stream and drains the rest, so that the command
// does not block.
type head struct {
	kept []byte
	cut  bool
}

func (h *head) Write(p []byte) (int, error) {
	room := maxOutput - len(h.kept)
	h.cut = h.cut || len(p) > room
	h.kept = append(h.kept, p[:min(room, len(p))]...)
	return len(p), nil
}

func (h *head) text() string { return strings.ToValidUTF8(string(h.kept), "\uFFFD") }

func main() {
	allow := flag.String("allow", "cat,date,echo,ls,pwd,uname,wc", "allowed commands, separated by commas")
	dir := flag.String("dir", ".", "directory that commands run in")
	flag.Parse()
	r, err := newRunner(strings.Split(*allow, ","), *dir)
	if err != nil {
		log.Fatal(err)
	}
	mcptool.Register(r.ExecuteCommand)
	stdio.Main(nil)
}
