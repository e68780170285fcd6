package install

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcptool-go/mcptool/bench/redact"
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
	// Diff is a unified diff of the file; "" if nothing changes. All secrets in it are redacted, including those of
	// other entries.
	Diff string `json:"diff,omitempty"`
	// Notes are sentences on what was resolved and on possible problems.
	Notes []string `json:"notes,omitempty"`
	// Written means that the change was applied. Backup is the path of the old file, if there was one.
	Written bool   `json:"written"`
	Backup  string `json:"backup,omitempty"`
	// Then describes how to make the client load the change.
	Then string `json:"then,omitempty"`
}

// A BadFileError is a file that cannot be parsed, and so cannot be changed.
type BadFileError struct {
	File  string
	Place *PlaceError
}

// Error returns file:line:column: reason.
func (e *BadFileError) Error() string {
	return e.File + ":" + e.Place.Error() + "; nothing was written"
}

// Do computes the effect of a request, and applies it if requested and possible, as reported in [Change.Written]. It
// may be called concurrently, also from several processes. Errors are *[UsageError], *[BadFileError], or system errors;
// none leaves a partial change.
func Do(ctx context.Context, m Machine, r Request) (*Change, error) {
	j, err := newJob(m, r)
	if err != nil {
		return nil, err
	}
	if !r.Write {
		change, _, _, err := j.plan()
		return change, err
	}
	path, err := follow(j.file)
	if err != nil {
		return nil, err
	}
	unlock, err := lock(ctx, path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return j.apply(ctx, system{})
}

// Print returns a configuration file of a client with only the requested entry, to copy from, and notes. It reads no
// file.
func Print(m Machine, r Request) (text []byte, notes []string, err error) {
	r.File = cmp.Or(r.File, os.DevNull)
	j, err := newJob(m, r)
	if err != nil {
		return nil, nil, err
	}
	d, err := j.client.parse(j.file, nil, false)
	if err != nil {
		return nil, nil, err
	}
	if _, err := d.set(j.client.container, j.name, j.set, nil); err != nil {
		return nil, nil, err
	}
	return d.bytes(), j.notes, nil
}

// A job is a request with its derived settings.
type job struct {
	request Request
	client  *client
	scope   Scope
	file    string
	name    string
	set     []member
	drop    []string
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
		if j.file, err = m.file(c, j.scope); err != nil {
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
	if j.set, j.drop, err = server.entry(c, j.name); err != nil {
		return nil, err
	}
	j.noteSecrets()
	return j, nil
}

// noteSecrets warns of secrets in a file that others will read.
func (j *job) noteSecrets() {
	if j.scope != Project {
		return
	}
	var names []string
	for _, m := range j.set {
		values, _ := m.value.([]member)
		for _, v := range values {
			if text, ok := v.value.(string); ok && !strings.Contains(text, "$") {
				names = append(names, v.name)
			}
		}
	}
	if len(names) > 0 {
		j.notes = append(j.notes, fmt.Sprintf("files of a project are often committed: the value of %s is in it for all to read", strings.Join(names, ", ")))
	}
}

// plan returns the change, the current file, and the new contents.
func (j *job) plan() (*Change, *target, []byte, error) {
	mode := newMode(j.scope)
	t, err := open(j.file, mode)
	if err != nil {
		return nil, nil, nil, j.trouble("read", err)
	}
	change := &Change{Client: j.client.name, Scope: j.scope, File: j.file, Name: j.name, Notes: slices.Clone(j.notes)}
	d, err := j.client.parse(j.file, t.data, j.client.plain)
	if err != nil {
		return nil, nil, nil, j.bad(err)
	}
	had := d.entry(j.client.container, j.name)
	if j.request.Remove {
		change.Action, err = d.unset(j.client.container, j.name)
		change.Entry = shown(had)
	} else {
		change.Action, err = d.set(j.client.container, j.name, j.set, j.drop)
		change.Entry = shown(d.entry(j.client.container, j.name))
		change.Conflict = change.Action == Replace && !j.request.Replace
		change.Then = j.client.then
	}
	if err != nil {
		return nil, nil, nil, j.bad(err)
	}
	if change.Action == Nothing {
		return change, t, t.data, nil
	}
	data := d.bytes()
	diff := udiff.Unified(j.file, j.file, string(t.data), string(data))
	if text, ok := d.(*textDocument); ok {
		diff = text.diff // the context lines may have secrets, which redact finds only in JSON
	}
	change.Diff = shorten(string(shown([]byte(diff))))
	return change, t, data, nil
}

// shown returns a configuration with secrets redacted.
func shown(text []byte) []byte {
	if text == nil {
		return nil
	}
	return redact.JSON(text, redact.Text)
}

func (j *job) bad(err error) error {
	if place := (*PlaceError)(nil); errors.As(err, &place) {
		return &BadFileError{File: j.file, Place: place}
	}
	return err
}

// trouble adds the file and the failed operation to a system error.
func (j *job) trouble(doing string, err error) error {
	if own := (*UsageError)(nil); errors.As(err, &own) {
		return err
	}
	return fmt.Errorf("%s cannot be %s: %w; nothing was changed", j.file, doing, cause(err))
}

// cause strips the operation and the paths from a system error.
func cause(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	if link := (*os.LinkError)(nil); errors.As(err, &link) {
		return link.Err
	}
	return err
}

// apply applies the change, and retries if another program has written the file meanwhile.
func (j *job) apply(ctx context.Context, d disk) (*Change, error) {
	for range 10 {
		change, t, data, err := j.plan()
		if err != nil || change.Conflict || change.Action == Nothing {
			return change, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		change.Backup, err = replace(d, t, data)
		if errors.Is(err, errChanged) {
			continue
		}
		if err != nil {
			return nil, j.trouble("written", err)
		}
		change.Written = true
		return change, nil
	}
	return nil, fmt.Errorf("%s: %w", j.file, errChanged)
}

// longest is the maximum length of a diff line, in bytes. Some files have everything on one line.
const longest = 400

// shorten truncates the lines of a diff.
func shorten(diff string) string {
	lines := strings.Split(diff, "\n")
	for i, line := range lines {
		if len(line) > longest {
			lines[i] = strings.ToValidUTF8(line[:longest], "") + fmt.Sprintf("… (%d bytes)", len(line))
		}
	}
	return strings.Join(lines, "\n")
}
