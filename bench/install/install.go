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

// A Request is what a user asks for.
type Request struct {
	// Client is one of [Clients].
	Client string
	// Scope is whose file; "" is the user's where the client has one.
	Scope Scope
	// File is the file instead of the client's own.
	File string
	// Name is what the server is to be called, "" to find one.
	Name   string
	Server Server
	// Remove takes the entry of that name out.
	Remove bool
	// Replace allows an entry of that name to be changed.
	Replace bool
	// Write does it. Otherwise nothing is written.
	Write bool
}

// A Change is what a request does to a file.
type Change struct {
	Client string `json:"client"`
	Scope  Scope  `json:"scope,omitempty"` // "" if the file was named
	File   string `json:"file"`            // as it was named
	Name   string `json:"name"`
	Action Action `json:"action"`
	// Conflict says that there is an entry of that name that differs, and that it may not be replaced.
	Conflict bool `json:"conflict,omitempty"`
	// Entry is what the client will have of the server, or has had of what is removed, without secrets.
	Entry json.RawMessage `json:"entry,omitempty"`
	// Diff is what changes, as a unified diff, "" for nothing. Secrets in it are hidden, those of other entries too.
	Diff string `json:"diff,omitempty"`
	// Notes are what was resolved and what to mind, in sentences.
	Notes []string `json:"notes,omitempty"`
	// Written says that it has been done, and Backup where the old file is, if there was one.
	Written bool   `json:"written"`
	Backup  string `json:"backup,omitempty"`
	// Then is what makes the client see it.
	Then string `json:"then,omitempty"`
}

// A BadFileError is a file that cannot be changed, because it is not understood.
type BadFileError struct {
	File  string
	Place *PlaceError
}

// Error returns file:line:column: reason.
func (e *BadFileError) Error() string {
	return e.File + ":" + e.Place.Error() + "; nothing was written"
}

// Do works out what a request does, and does it if that is asked for and nothing speaks against it, which
// [Change.Written] tells. It may be called concurrently, by several processes, too. Errors are *[UsageError],
// *[BadFileError], or of the system; none leaves anything half done.
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

// Print returns the file of a client that has nothing but the entry of a request, for people to copy from, and the
// notes to it. No file is read.
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

// A job is a request with all that follows from it.
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

// noteSecrets warns of values that go to a file that others will read.
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

// plan returns what would change, the file as it is, and as it would be.
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
		diff = text.diff // lines around the entry may have secrets, which redact finds only in JSON
	}
	change.Diff = shorten(string(shown([]byte(diff))))
	return change, t, data, nil
}

// shown returns what is shown of a configuration: all but secrets.
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

// trouble says of an error of the system what it means for the file.
func (j *job) trouble(doing string, err error) error {
	if own := (*UsageError)(nil); errors.As(err, &own) {
		return err
	}
	return fmt.Errorf("%s cannot be %s: %w; nothing was changed", j.file, doing, cause(err))
}

// cause returns what is wrong, without the operation and the paths that the error of a system call begins with.
func cause(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	if link := (*os.LinkError)(nil); errors.As(err, &link) {
		return link.Err
	}
	return err
}

// apply writes what is planned, anew when another program was quicker.
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

// longest is how many bytes of a line a diff shows. Some files have everything in one.
const longest = 400

// shorten cuts the lines of a diff.
func shorten(diff string) string {
	lines := strings.Split(diff, "\n")
	for i, line := range lines {
		if len(line) > longest {
			lines[i] = strings.ToValidUTF8(line[:longest], "") + fmt.Sprintf("… (%d bytes)", len(line))
		}
	}
	return strings.Join(lines, "\n")
}
