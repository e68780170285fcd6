package install

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// resolve makes the paths of a server's command mean the same from every directory, and returns in words what it
// has changed and what may go wrong. What the user types is relative to where the user is, and a client starts
// servers elsewhere.
func (s *Server) resolve(c *client, scope Scope, m Machine) (Server, []string) {
	r := resolver{client: c, machine: m}
	if scope == Project {
		r.workspace = c.workspace
	}
	out := *s
	out.Command = slices.Clone(s.Command)
	if s.Dir != "" {
		out.Dir = r.path("the working directory", s.Dir)
	}
	if len(out.Command) == 0 {
		return out, r.notes
	}
	if isGoRun(out.Command) {
		r.goRun(out.Command, s.Dir)
		out.Command[0] = r.command(out.Command[0])
		return out, r.notes
	}
	out.Command[0] = r.command(out.Command[0])
	for i, arg := range out.Command[1:] {
		if r.isPath(arg) {
			out.Command[i+1] = r.path("the argument", arg)
		}
	}
	return out, r.notes
}

// resolver gathers what to say.
type resolver struct {
	client    *client
	machine   Machine
	workspace string
	notes     []string
}

func (r *resolver) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// command returns the program to start.
func (r *resolver) command(name string) string {
	switch {
	case strings.HasPrefix(name, "$"):
		return name // a variable that the client replaces
	case filepath.IsAbs(name):
		r.mustExist(name)
		return name
	case strings.ContainsAny(name, `/\`):
		return r.path("the command", name)
	}
	found, err := r.machine.LookPath(name)
	switch {
	case err != nil:
		r.note("%s is not in the PATH here; %s will look for it in its own", name, r.client.title)
	case r.client.absolute && filepath.IsAbs(found):
		r.note("the command %s is written as %s, because %s may have another PATH", name, found, r.client.title)
		return found
	}
	return name
}

// path returns a relative path as an absolute one, or as one from the folder of the project where the client has a
// variable for it.
func (r *resolver) path(what, name string) string {
	if filepath.IsAbs(name) || strings.HasPrefix(name, "$") {
		return name
	}
	full := filepath.Join(r.machine.Dir, name)
	r.mustExist(full)
	written := full
	if rest, err := filepath.Rel(r.machine.Dir, full); r.workspace != "" && err == nil && filepath.IsLocal(rest) {
		written = strings.TrimSuffix(r.workspace+"/"+filepath.ToSlash(rest), "/.")
	}
	r.note("%s %s is written as %s, because %s starts servers in a directory of its own", what, name, written, r.client.title)
	return written
}

func (r *resolver) mustExist(path string) {
	if _, err := os.Stat(path); err != nil {
		r.note("there is no %s yet", path)
	}
}

// isPath reports whether an argument means a file or directory that is there.
func (r *resolver) isPath(arg string) bool {
	if arg == "" || strings.HasPrefix(arg, "-") || filepath.IsAbs(arg) {
		return false
	}
	info, err := os.Stat(filepath.Join(r.machine.Dir, arg))
	if err != nil {
		return false
	}
	slashed := filepath.ToSlash(arg)
	dotted := slashed == "." || slashed == ".." || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../")
	return dotted || strings.Contains(slashed, "/") || info.Mode().IsRegular() && filepath.Ext(arg) != ""
}

// isGoRun reports whether the go command is to compile the server first.
func isGoRun(command []string) bool {
	return program(command[0]) == "go" && len(command) > 2 && command[1] == "run"
}

// goRun warns of a package that is only found from a directory of its module.
func (r *resolver) goRun(command []string, dir string) {
	last := command[len(command)-1]
	for _, arg := range command[2:] {
		if !strings.HasPrefix(arg, "-") {
			last = arg
			break
		}
	}
	if dir != "" || strings.HasPrefix(command[2], "-C") || strings.Contains(last, "@") || filepath.IsAbs(last) {
		return
	}
	better := fmt.Sprintf("go run -C %s %s", r.machine.Dir, last)
	if r.client.cwd {
		better += ", or --cwd ."
	}
	r.note("go run %s works only from here, and %s starts servers in another directory: build the program and install that, or use %s", last, r.client.title, better)
}
