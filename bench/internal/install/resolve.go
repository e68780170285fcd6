package install

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// resolve makes the paths in a server's command independent of the current directory, and returns notes on changes and
// possible problems. The user's paths are relative to the current directory, but a client starts servers elsewhere.
func (s *Server) resolve(c *client, scope Scope, m Machine) (Server, []string) {
	r := resolver{client: c, machine: m}
	if scope == Project {
		r.workspace = c.workspace
	}
	out := *s
	if s.Dir != "" {
		out.Dir = r.path("the working directory", s.Dir)
	}
	if len(s.Command) == 0 {
		return out, nil
	}
	out.Command = slices.Clone(s.Command)
	if isGoRun(s.Command) { // its package can only be resolved in a directory of its module
		if s.Dir == "" && !strings.HasPrefix(s.Command[2], "-C") {
			out.Command = slices.Insert(out.Command, 2, "-C", m.Dir)
			r.note("go run is written with -C %s, because %s starts servers in another directory", m.Dir, c.title)
		}
		return out, r.notes
	}
	out.Command[0] = r.command(out.Command[0])
	for i, arg := range out.Command[1:] {
		flag, value, ok := strings.Cut(arg, "=")
		switch {
		case r.isPath(arg):
			out.Command[i+1] = r.path("the argument", arg)
		case ok && r.isPath(value):
			out.Command[i+1] = flag + "=" + r.path("the argument", value)
		}
	}
	return out, r.notes
}

// resolver collects the notes.
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
		return name // a variable for the client to expand
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

// path makes a relative path absolute, or relative to the client's variable for the project directory.
func (r *resolver) path(what, name string) string {
	full := name
	if !filepath.IsAbs(name) {
		full = filepath.Join(r.machine.Dir, name)
	}
	if _, err := os.Stat(full); err != nil {
		r.note("there is no %s yet", full)
	}
	if full == name {
		return name
	}
	written := full
	if rest, err := filepath.Rel(r.machine.Dir, full); r.workspace != "" && err == nil && filepath.IsLocal(rest) {
		written = strings.TrimSuffix(r.workspace+"/"+filepath.ToSlash(rest), "/.")
	}
	r.note("%s %s is written as %s, because %s starts servers in its own directory", what, name, written, r.client.title)
	return written
}

// isPath reports whether an argument is a relative path: it starts with ./ or ../, or it has a slash or an extension
// and exists. A single word may be a subcommand or a package.
func (r *resolver) isPath(arg string) bool {
	slashed := filepath.ToSlash(arg)
	switch {
	case arg == "" || strings.HasPrefix(arg, "-") || filepath.IsAbs(arg):
		return false
	case arg == "." || arg == ".." || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../"):
		return true
	case !strings.ContainsAny(slashed, "/."):
		return false
	}
	_, err := os.Stat(filepath.Join(r.machine.Dir, arg))
	return err == nil
}

// isGoRun reports whether the command is go run of a package of the current module.
func isGoRun(command []string) bool {
	return program(command[0]) == "go" && len(command) > 2 && command[1] == "run" &&
		!slices.ContainsFunc(command, func(arg string) bool { return strings.Contains(arg, "@") })
}
