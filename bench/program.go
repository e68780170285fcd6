package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A targetArgument is the argument TARGET of a command: the server that the command is about. A command embeds it.
type targetArgument struct {
	Path string `arg:"" optional:"" name:"target" help:"The server: a URL; the path of a program; or a command with its arguments behind --, at the end of the line."`

	parsed  parsedTarget
	command string // of bench
}

// setTarget sets the URL or the command that splitTarget found on the command line of the bench command of that name.
// Without either, the path is that of a program.
func (t *targetArgument) setTarget(command string, parsed parsedTarget) error {
	t.parsed, t.command = parsed, command
	switch {
	case t.Path == "":
		return nil
	case parsed.given():
		return usageError("there is a second TARGET, %s", t.Path)
	}
	program, err := programAt(command, t.Path)
	t.parsed.command = []string{program}
	return err
}

// isProgram reports whether a path is that of a file that can be run.
func isProgram(path string) bool {
	_, err := exec.LookPath(asPath(path))
	return err == nil
}

// asPath returns a path so that it is not taken for the name of a program in PATH.
func asPath(path string) string {
	if filepath.Base(path) == path {
		return "." + string(filepath.Separator) + path
	}
	return path
}

// programAt returns the command that runs the program at a path. The error says what to write instead.
func programAt(command, path string) (string, error) {
	if isProgram(path) {
		return asPath(path), nil
	}
	write := func(what string) string { return fmt.Sprintf("write bench %s -- %s", command, what) }
	info, err := os.Stat(path)
	_, inPath := exec.LookPath(path)
	switch {
	case err == nil && info.IsDir() && len(goFiles(path)) > 0:
		if !filepath.IsAbs(path) {
			path = "." + string(filepath.Separator) + filepath.Clean(path)
		}
		return "", usageError("%s is a directory with Go files; %s", path, write("go run "+path))
	case err == nil && info.IsDir():
		return "", usageError("%s is a directory, and no program; name the program in it", path)
	case err == nil:
		run := interpreters[filepath.Ext(path)]
		if run == "" {
			return "", usageError("%s is not executable; chmod +x makes it a program, if it is one", path)
		}
		return "", usageError("%s is not executable; %s", path, write(run+" "+path))
	case inPath == nil:
		return "", usageError("there is no file %s here; for the %s that is in PATH, %s", path, path, write(path+" ARGS…"))
	case isAddress(path):
		return "", usageError("there is no file %s; a URL begins with http:// or https://, as in http://%s", path, path)
	default:
		return "", usageError("there is no file %s; a server is a URL, the path of a program, or a command behind --", path)
	}
}

// interpreters run files of these extensions.
var interpreters = map[string]string{".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "npx tsx", ".py": "python3", ".go": "go run", ".sh": "sh", ".rb": "ruby"}

// goFiles returns the Go files in a directory.
func goFiles(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go")) // a pattern that is none finds none
	return files
}

// isAddress reports whether text is a host with a port, perhaps with a path behind it.
func isAddress(text string) bool {
	address, _, _ := strings.Cut(text, "/")
	host, port, err := net.SplitHostPort(address)
	return err == nil && port != "" && !strings.ContainsAny(host, `\ `)
}
