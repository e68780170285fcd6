package install

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/bench/internal/atomicfile"
	"github.com/mcptool-go/mcptool/internal/measure/redact"
)

// A Request is a requested change to a configuration.
type Request struct {
	// Client is one of [Clients].
	Client string
	// Scope is the scope to install for; "" means the user scope if the client has one.
	Scope Scope
	// File overrides the configuration file of the client.
	File string
	// Name is the name of the server; "" derives one.
	Name   string
	Server Server
	// Remove removes the entry named Name.
	Remove bool
	// Replace allows changing an existing entry.
	Replace bool
	// Write applies the change. By default nothing is written.
	Write bool
}

// A Change is the effect of a request on a file.
type Change struct {
	Client string `json:"client"`
	Scope  Scope  `json:"scope,omitempty"` // "" for an explicit file
	File   string `json:"file"`            // as given
	Name   string `json:"name"`
	Action Action `json:"action"`
	// Conflict means that a different entry with that name exists and Replace is not set.
	Conflict bool `json:"conflict,omitempty"`
	// Entry is the new entry, or the removed one, without secrets.
	Entry json.RawMessage `json:"entry,omitempty"`
	// Diff is a unified diff of the file; "" if nothing changes. It redacts all secrets, also in other entries.
	Diff string `json:"diff,omitempty"`
	// Notes are sentences on what was resolved and on possible problems.
	Notes []string `json:"notes,omitempty"`
	// Written means that the change was applied. Backup is the path of the old file, if there was one.
	Written bool   `json:"written"`
	Backup  string `json:"backup,omitempty"`
	// Then describes how to make the client load the change.
	Then string `json:"then,omitempty"`
}

// Do computes the effect of a request, and applies it if requested and possible, as reported in [Change.Written].
// Errors are *[UsageError], system errors, or wrap the *[PlaceError] of a file that cannot be parsed; none leaves a
// partial change.
func Do(m Machine, r Request) (*Change, error) {
	j, err := newJob(m, r)
	if err != nil {
		return nil, err
	}
	change, t, data, err := j.plan()
	if err != nil || !r.Write || change.Conflict || change.Action == Nothing {
		return change, err
	}
	if change.Backup, err = t.write(data); err != nil {
		return nil, j.systemError("written", err)
	}
	change.Written = true
	return change, nil
}

// Print returns a configuration file of a client with only the requested entry, to copy from, and notes. It reads no
// file.
func Print(m Machine, r Request) (text []byte, notes []string, err error) {
	r.File = cmp.Or(r.File, os.DevNull)
	j, err := newJob(m, r)
	if err != nil {
		return nil, nil, err
	}
	text, err = j.client.format.add(nil, j.client.container, j.name, j.set)
	return text, j.notes, err
}

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
	return Machine{OS: runtime.GOOS, Dir: dir, Getenv: os.Getenv, LookPath: exec.LookPath}, err
}

// home returns the home directory; "" if it is not known.
func (m Machine) home() string {
	if m.OS == "windows" {
		return m.Getenv("USERPROFILE")
	}
	return m.Getenv("HOME")
}

// file returns the path of a client's configuration. An error has a fix.
func (m Machine) file(c *client, s Scope, fix string) (string, error) {
	if s == Project {
		return filepath.Join(m.Dir, filepath.FromSlash(c.project)), nil
	}
	path := c.user[m.OS]
	if path == "" {
		return "", usage("%s does not document where its configuration is on %s%s (%s)", c.title, m.OS, fix, c.docs)
	}
	missing := ""
	path = os.Expand(path, func(variable string) string {
		home := m.home()
		value := m.Getenv(variable)
		switch variable {
		case "HOME":
			value = home
		case "CONFIG":
			value = cmp.Or(m.Getenv("XDG_CONFIG_HOME"), home+"/.config")
		case "CODEX_HOME":
			value = cmp.Or(value, home+"/.codex")
		}
		if value == "" || value[0] == '/' && home == "" {
			missing = variable
		}
		return value
	})
	if missing != "" {
		return "", usage("%s is not set, so the location of the configuration is unknown%s", missing, fix)
	}
	return filepath.FromSlash(path), nil
}

// A job is a request with its derived settings.
type job struct {
	request Request
	client  *client
	scope   Scope
	file    string
	name    string
	set     entry
	notes   []string
}

func newJob(m Machine, r Request) (*job, error) {
	c, err := find(r.Client)
	if err != nil {
		return nil, err
	}
	if !r.Remove {
		if err := r.Server.check(c); err != nil {
			return nil, err
		}
	}
	j := &job{request: r, client: c, file: r.File}
	if r.File == "" || r.Scope != "" {
		if j.scope, err = c.scope(r.Scope); err != nil {
			return nil, err
		}
	}
	if r.File == "" {
		if j.file, err = m.file(c, j.scope, "; name the file with --file"); err != nil {
			return nil, err
		}
	} else if !filepath.IsAbs(r.File) {
		j.file = filepath.Join(m.Dir, r.File)
	}
	if j.name = r.Name; j.name == "" {
		j.name = r.Server.name()
	}
	switch {
	case j.name == "":
		return nil, usage("say what the server is called, with --name NAME")
	case c.names != nil && !c.names.MatchString(j.name):
		return nil, usage("%s takes letters, digits, - and _ in the name of a server, which %q is not; choose another with --name", c.title, j.name)
	case !utf8.ValidString(j.name):
		return nil, usage("the name %q is not UTF-8", j.name)
	case r.Remove:
		return j, nil
	}
	server, notes := r.Server.resolve(c, j.scope, m)
	j.notes = notes
	if j.set, err = server.entry(c, j.name); err != nil {
		return nil, err
	}
	j.noteSecrets()
	return j, nil
}

// noteSecrets warns of secrets in a file that others will read, or that the client could take from its environment.
func (j *job) noteSecrets() {
	var all, secrets []string
	for _, m := range j.set {
		values, _ := m.value.(entry)
		for _, v := range values {
			text, ok := v.value.(string)
			if !ok || m.name == j.client.envHeaders || strings.Contains(text, "$") {
				continue
			}
			if all = append(all, v.name); redact.Secret(v.name, text) {
				secrets = append(secrets, v.name)
			}
		}
	}
	if j.scope == Project && len(all) > 0 {
		j.notes = append(j.notes, fmt.Sprintf("files of a project are often committed: the value of %s is in it for all to read", strings.Join(all, ", ")))
	}
	if len(secrets) > 0 && j.client.envVars != "" {
		j.notes = append(j.notes, fmt.Sprintf("%s can take the value of %s from its environment: write --env NAME, or --header 'Name: $VARIABLE' in single quotes", j.client.title, strings.Join(secrets, ", ")))
	}
}

// systemError adds the file and the failed operation to a system error.
func (j *job) systemError(doing string, err error) error {
	if own := (*UsageError)(nil); errors.As(err, &own) {
		return err
	}
	return fmt.Errorf("%s cannot be %s: %w; nothing was changed", j.file, doing, atomicfile.Cause(err))
}
