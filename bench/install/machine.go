package install

import (
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
)

// A Machine is the environment of an installation.
type Machine struct {
	// OS is the operating system, as in runtime.GOOS.
	OS string
	// Dir is the current directory, which is the project directory.
	Dir string
	// Getenv returns an environment variable; "" if it is not set.
	Getenv func(string) string
	// LookPath finds a program in PATH.
	LookPath func(string) (string, error)
}

// ThisMachine returns the environment of the process.
func ThisMachine() (Machine, error) {
	dir, err := os.Getwd()
	if err != nil {
		return Machine{}, err
	}
	return Machine{OS: goruntime.GOOS, Dir: dir, Getenv: os.Getenv, LookPath: exec.LookPath}, nil
}

// file returns the path of a client's configuration.
func (m Machine) file(c *client, s Scope) (string, error) {
	if s == Project {
		return filepath.Join(m.Dir, filepath.FromSlash(c.project)), nil
	}
	path := c.user[m.OS]
	if path == "" {
		return "", usage("%s documents no place for its configuration on %s; name the file with --file (%s)", c.title, m.OS, c.docs)
	}
	variable, rest, _ := strings.Cut(path, "/")
	base, err := m.base(variable)
	if err != nil {
		return "", err
	}
	return filepath.Join(base, filepath.FromSlash(rest)), nil
}

// base returns the directory for a variable in a path.
func (m Machine) base(variable string) (string, error) {
	home := "HOME"
	if m.OS == "windows" {
		home = "USERPROFILE"
	}
	set := map[string]string{"$HOME": home, "$APPDATA": "APPDATA", "$CONFIG": "XDG_CONFIG_HOME", "$CODEX_HOME": "CODEX_HOME"}[variable]
	if dir := m.Getenv(set); dir != "" {
		return dir, nil
	}
	if below := map[string]string{"$CONFIG": ".config", "$CODEX_HOME": ".codex"}[variable]; below != "" {
		dir, err := m.base("$HOME")
		return filepath.Join(dir, below), err
	}
	return "", usage("%s is not set, so that the place of the configuration is not known; name the file with --file", set)
}
