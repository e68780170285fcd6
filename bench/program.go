package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/install"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/suggest"
)

// A targetArgument is the TARGET argument of a command: the server to use. Commands embed it.
type targetArgument struct {
	Path string `arg:"" optional:"" name:"target" help:"The server: a URL; the path of a program; CLIENT:NAME, such as claude:weather, for one in the configuration of a client; or a command with its arguments behind --, at the end of the line." predictor:"target"`

	parsed  parsedTarget
	command string // the bench command up to the target
}

// setTarget sets the URL or command that splitTarget found on the command line of the named bench command. Without
// either, Path is a server in the configuration of a client or the path of a program.
func (t *targetArgument) setTarget(command string, parsed parsedTarget) error {
	t.parsed, t.command = parsed, command
	switch {
	case t.Path == "":
		return nil
	case parsed.given():
		return usageError("there is a second TARGET, %s", t.Path)
	}
	if server, ok, err := configured(t.Path); ok {
		t.parsed = server
		return err
	}
	program, err := programAt(command, t.Path)
	t.parsed.command = []string{program}
	return err
}

// takePath returns the arguments of a tool or a prompt among the words behind its name, and sets Path to the first other
// word, unless a target is given: the path of a program may come before, after or between the arguments.
func (t *targetArgument) takePath(words []string, parsed parsedTarget) (arguments []string) {
	if t.Path != "" {
		words = append([]string{t.Path}, words...)
	}
	t.Path = ""
	for _, word := range words {
		if t.Path == "" && !parsed.given() && !isArgument(word) && word != "" {
			t.Path = word
		} else {
			arguments = append(arguments, word)
		}
	}
	return arguments
}

// checkSubject returns an error if the only word of a command is a target, so that the subject of the
// command, such as a tool, is missing. By position, the word is the subject.
func (t *targetArgument) checkSubject(bench, subject, word string) error {
	if t.parsed.given() || !isTarget(word) {
		return nil
	}
	return usageError("there is no %[1]s, only the TARGET %[2]s; write bench %[3]s %[4]s %[2]s, and bench list %[2]s shows what there is", subject, terminal.OneLine(word), bench, strings.ToUpper(subject))
}

// isArgument reports whether a word of the command line is an argument of a tool or a prompt.
func isArgument(word string) bool {
	return word == "-" || strings.HasPrefix(word, "@") || strings.HasPrefix(word, "{") || strings.HasPrefix(word, "[") || strings.Contains(word, "=")
}

// isTarget reports whether a word names a server in the configuration of a client, or an executable file.
func isTarget(word string) bool {
	_, _, ok := install.Reference(word)
	return ok || isProgram(word)
}

// isProgram reports whether path is an executable file.
func isProgram(path string) bool {
	_, err := exec.LookPath(asPath(path))
	return err == nil
}

// asPath returns path in a form that is not looked up in PATH.
func asPath(path string) string {
	if filepath.Base(path) == path {
		return "." + string(filepath.Separator) + path
	}
	return path
}

// programAt returns the command that runs the program at path. The error suggests what to write instead.
func programAt(command, path string) (string, error) {
	if isProgram(path) {
		return asPath(path), nil
	}
	write := func(what string) string { return fmt.Sprintf("write bench %s -- %s", command, what) }
	info, err := os.Stat(path)
	_, inPath := exec.LookPath(path)
	prefix, name, colon := strings.Cut(path, ":")
	meant := suggest.Nearest(prefix, install.Prefixes())
	files, _ := filepath.Glob(filepath.Join(path, "*.go")) // an invalid pattern matches nothing
	switch {
	case err == nil && info.IsDir() && len(files) > 0:
		if !filepath.IsAbs(path) {
			path = "." + string(filepath.Separator) + filepath.Clean(path)
		}
		return "", usageError("%s is a directory with Go files; %s", path, write("go run "+path))
	case err == nil && info.IsDir():
		return "", usageError("%s is a directory, not a program; name the program in it", path)
	case err == nil:
		run := interpreters[filepath.Ext(path)]
		if run == "" {
			return "", usageError("%s is not executable; chmod +x makes it a program, if it is one", path)
		}
		return "", usageError("%s is not executable; %s", path, write(run+" "+path))
	case inPath == nil:
		return "", usageError("there is no file %s here; for the %s that is in PATH, %s", path, path, write(path+" ARGS…"))
	case meant != "" && colon && filepath.Base(prefix) == prefix:
		return "", usageError("there is no file %s; did you mean %s:%s?", path, meant, name)
	case isAddress(path):
		return "", usageError("there is no file %s; a URL begins with http:// or https://, as in http://%s", path, path)
	default:
		return "", usageError("there is no file %s; a server is a URL, the path of a program, or a command behind --", path)
	}
}

// interpreters maps file extensions to the programs that run them.
var interpreters = map[string]string{".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "npx tsx", ".py": "python3", ".go": "go run", ".sh": "sh", ".rb": "ruby"}

// isAddress reports whether text is host:port, optionally followed by a path.
func isAddress(text string) bool {
	address, _, _ := strings.Cut(text, "/")
	host, port, err := net.SplitHostPort(address)
	return err == nil && port != "" && !strings.ContainsAny(host, `\ `)
}
