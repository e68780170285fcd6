package repotest_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// programs are the commands in sh blocks that neither Go nor this repository provides.
var programs = []string{"cd", "claude", "curl", "docker", "echo", "git", "kubectl", "make", "npx", "systemctl"}

// commandLines returns the commands of a sh block, without comments. A backslash at the end of a line continues it.
func commandLines(text string) []string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		if line, _, _ = strings.Cut(line, " # "); strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

var (
	quoted      = regexp.MustCompile(`'[^']*'`)
	environment = regexp.MustCompile(`^[A-Z_]+=\S+$`)
)

// checkCommand checks that packages, flags of examples, tests, and commands and flags of bench in a command exist.
func checkCommand(line string) error {
	words := strings.Fields(quoted.ReplaceAllString(line, "_"))
	for len(words) > 0 && environment.MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return errors.New("there is no command")
	}
	if words[0] == "bench" {
		words = append([]string{"go", "tool"}, words...)
	}
	switch {
	case words[0] == "go" && len(words) > 2 && words[1] == "tool" && words[2] == "bench":
		return checkBench(words[3:])
	case words[0] == "go":
		return checkGoCommand(words[1:])
	case !slices.Contains(programs, words[0]):
		return fmt.Errorf("%s is an unknown program", words[0])
	}
	if _, server, ok := strings.Cut(line, " go run "); ok { // the following flags belong to npx
		return checkPath(strings.Fields(server)[0])
	}
	return nil
}

// checkGoCommand checks a go command, given without the word go.
func checkGoCommand(words []string) error {
	if words[0] == "-C" {
		words = words[2:]
	}
	pkg := ""
	for i, word := range words {
		switch {
		case strings.HasPrefix(word, "./"):
			if pkg = word; words[0] == "run" && pkg == "./bench" && len(words) > i+1 {
				return checkBench(words[i+1:])
			}
			if err := checkPath(strings.TrimSuffix(word, "...")); err != nil {
				return err
			}
		case strings.HasPrefix(word, "-") && words[0] == "run" && pkg != "":
			if !inPackage(pkg, `"`+strings.TrimLeft(word, "-")+`"`) {
				return fmt.Errorf("%s has no flag %s", pkg, word)
			}
		}
		if i > 0 && (words[i-1] == "-run" || words[i-1] == "-fuzz") && words[0] == "test" {
			dir := words[len(words)-1]
			if name := strings.Trim(word, "^$_"); name != "" && !inPackage(dir, "func "+name) {
				return fmt.Errorf("no test matches %s in %s", word, dir)
			}
		}
	}
	return nil
}

// errNoPackage is the error of a path without a Go package, which a module of the reader may have.
var errNoPackage = errors.New("there is no Go package")

// checkPath checks that a path is a directory with Go files, or inside one.
func checkPath(path string) error {
	if path == "." {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(path, "*.go"))
	if below, _ := filepath.Glob(filepath.Join(path, "*", "*.go")); err != nil || len(files)+len(below) == 0 {
		return fmt.Errorf("%w %s", errNoPackage, path)
	}
	return nil
}

// inPackage reports whether a Go file of a directory contains a text.
func inPackage(dir, text string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range files {
		if source, err := os.ReadFile(file); err == nil && strings.Contains(string(source), text) {
			return true
		}
	}
	return false
}

// checkBench checks the command, the flags, and the server after -- of a bench command line.
func checkBench(words []string) error {
	help, err := benchHelp(words[0])
	if err != nil {
		return err
	}
	for i, word := range words {
		if word == "--" && i+1 < len(words) {
			if words[i+1] == "go" {
				return checkGoCommand(words[i+2:])
			}
			return nil // a program of the reader
		}
		if name, _, _ := strings.Cut(word, "="); strings.HasPrefix(word, "--") && !regexp.MustCompile(regexp.QuoteMeta(name)+`\b`).MatchString(help) {
			return fmt.Errorf("bench %s has no flag %s", words[0], word)
		}
	}
	return nil
}

var helps sync.Map // command of bench -> what its --help prints

// benchHelp returns the help text of a bench command.
func benchHelp(command string) (string, error) {
	if help, ok := helps.Load(command); ok {
		return help.(string), nil
	}
	program, err := benchProgram()
	if err != nil {
		return "", err
	}
	help, err := exec.Command(program, command, "--help").Output()
	if err != nil {
		return "", fmt.Errorf("bench has no command %s: %w", command, err)
	}
	helps.Store(command, string(help))
	return string(help), nil
}

// benchProgram builds bench once and returns its path.
var benchProgram = sync.OnceValues(func() (string, error) {
	program := filepath.Join(benchDir, "bench")
	if out, err := exec.Command("go", "build", "-o", program, "./bench").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})
