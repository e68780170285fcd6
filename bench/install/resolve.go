package install

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/redact"
)

// resolve makes the paths in a server's command independent of the current directory, and returns notes on changes and
// possible problems. The user's paths are relative to the current directory, but a client starts servers elsewhere.
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
	first := 1 // the first argument of the server itself
	if isGoRun(out.Command) {
		first = r.goRun(out.Command, s.Dir)
	} else if slices.Contains(launchers, program(out.Command[0])) {
		first = 1 + launched(out.Command[1:])
	}
	out.Command[0] = r.command(out.Command[0])
	for i := 1; i < len(out.Command); i++ {
		if i < first && (isGoRun(out.Command) || !isFileName(out.Command[i])) {
			continue // a package, or the verb of a launcher
		}
		out.Command[i] = r.argument(out.Command[i])
	}
	if len(r.left) > 0 {
		r.note("left as written: %s; if one of them is a path, write ./ before it", strings.Join(r.left, ", "))
	}
	return out, r.notes
}

// resolver collects the notes.
type resolver struct {
	client    *client
	machine   Machine
	workspace string
	notes     []string
	left      []string // possible relative paths
}

func (r *resolver) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// command returns the program to start.
func (r *resolver) command(name string) string {
	switch {
	case strings.HasPrefix(name, "$"):
		return name // a variable for the client to expand
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

// path makes a relative path absolute, or relative to the client's variable for the project directory.
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

// argument makes an argument, or its part after "=", absolute if it is a relative path, see isPath.
func (r *resolver) argument(arg string) string {
	if r.isPath(arg) {
		return r.path("the argument", arg)
	}
	flag, value, ok := strings.Cut(arg, "=")
	if ok && r.isPath(value) {
		return flag + "=" + r.path("the argument", value)
	}
	if !ok {
		value = arg
	}
	if !strings.HasPrefix(value, "-") && !filepath.IsAbs(value) && mayBePath.MatchString(value) {
		r.left = append(r.left, redact.Text(arg))
	}
	return arg
}

// mayBePath matches likely relative paths, with a slash or a file extension. It does not match URLs, npm packages,
// versions, options with variables, or addresses.
var mayBePath = regexp.MustCompile(`^[^@:$~/\\\s]+([/\\][^@:$\s]*|\.[A-Za-z][A-Za-z0-9]{0,4})$`)

// isPath reports whether an argument is a relative path: it starts with ./ or ../, or exists.
func (r *resolver) isPath(arg string) bool {
	if arg == "" || strings.HasPrefix(arg, "-") || filepath.IsAbs(arg) {
		return false
	}
	slashed := filepath.ToSlash(arg)
	if slashed == "." || slashed == ".." || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../") {
		return true
	}
	_, err := os.Stat(filepath.Join(r.machine.Dir, arg))
	return err == nil
}

// launched returns the number of launcher arguments up to the program or package.
func launched(args []string) int {
	for i, arg := range args {
		if !strings.HasPrefix(arg, "-") && !slices.Contains(verbs, arg) {
			return i + 1
		}
	}
	return len(args)
}

// isFileName reports whether an argument looks like a path and not like a package name.
func isFileName(arg string) bool {
	return arg == "." || arg == ".." || strings.HasPrefix(arg, ".") || !strings.HasPrefix(arg, "@") && (strings.ContainsAny(arg, `/\`) || filepath.Ext(arg) != "")
}

// isGoRun reports whether the command is go run.
func isGoRun(command []string) bool {
	return program(command[0]) == "go" && len(command) > 2 && command[1] == "run"
}

// goRun warns of a package that can only be resolved in a directory of its module, and returns the index of the
// argument after the package.
func (r *resolver) goRun(command []string, dir string) int {
	first := len(command)
	for i := 2; i < len(command); i++ {
		if command[i] == "-C" {
			i++ // its value is a directory
		} else if !strings.HasPrefix(command[i], "-") {
			first = i + 1
			break
		}
	}
	last := command[first-1]
	if dir != "" || strings.HasPrefix(command[2], "-C") || strings.Contains(last, "@") || filepath.IsAbs(last) {
		return first
	}
	better := fmt.Sprintf("go run -C %s %s", r.machine.Dir, last)
	if r.client.cwd {
		better += ", or --cwd ."
	}
	r.note("go run %s works only from here, and %s starts servers in another directory: build the program and install that, or use %s", last, r.client.title, better)
	return first
}
