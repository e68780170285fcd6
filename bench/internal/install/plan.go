package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcptool-go/mcptool/internal/measure/redact"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Action is the effect of a change on an entry.
type Action string

// Actions.
const (
	Add     Action = "add"
	Replace Action = "replace"
	Remove  Action = "remove"
	Nothing Action = "nothing" // already up to date
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// plan returns the change, the current file, and the new contents.
func (j *job) plan() (*Change, *target, []byte, error) {
	mode := os.FileMode(0o600) // only the user may read secrets in a user file
	if j.scope == Project {
		mode = 0o644
	}
	t, err := open(j.file, mode)
	if err != nil {
		return nil, nil, nil, j.systemError("read", err)
	}
	text, marked := bytes.CutPrefix(t.data, byteOrderMark)
	tree, err := j.client.format.decode(text)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s:%w; nothing was written", j.file, err)
	}
	change := &Change{Client: j.client.name, Scope: j.scope, File: j.file, Name: j.name, Action: Nothing, Notes: j.notes}
	if !j.request.Remove {
		change.Then = j.client.then
	}
	after, err := j.change(change, text, tree)
	if err != nil {
		return nil, nil, nil, err
	}
	diff, err := udiff.ToUnified(j.file, j.file, string(text), udiff.Lines(string(text), string(after)), j.client.format.context)
	if err != nil {
		return nil, nil, nil, err
	}
	change.Diff = terminal.ShortenLines(string(redact.JSON([]byte(diff), redact.Text)), maxLine)
	if marked {
		after = slices.Concat(byteOrderMark, after)
	}
	return change, t, after, nil
}

// change returns text with the requested change, and describes it in c. It rejects a change that would alter the
// meaning of anything else.
func (j *job) change(c *Change, text []byte, tree map[string]any) (after []byte, err error) {
	f, container := j.client.format, j.client.container
	servers, ok := tree[container].(map[string]any)
	if !ok && tree[container] != nil {
		return nil, usage("%s: %s should be an object with the servers", j.file, container)
	}
	old, exists := servers[j.name]
	e, same := merge(old, j.set)
	c.Entry = shown(e)
	switch {
	case j.request.Remove && !exists:
		c.Entry = nil
		return text, nil
	case j.request.Remove && f.remove == nil:
		return nil, usage("bench does not remove entries from %s files; remove %s.%s yourself", f.name, container, j.name)
	case j.request.Remove:
		c.Action, c.Entry = Remove, shown(old)
		after, err = f.remove(text, container, j.name)
		delete(servers, j.name)
	case exists && same:
		return text, nil
	case exists && f.replace == nil:
		return nil, usage("%s has another server %q, and bench adds entries to %s files without changing those that are there; edit it yourself (--print prints the entry), or choose another --name", j.client.title, j.name, f.name)
	case exists:
		c.Action, c.Conflict = Replace, !j.request.Replace
		after, err = f.replace(text, container, j.name, e)
	default:
		c.Action = Add
		after, err = f.add(text, container, j.name, e)
	}
	if err != nil {
		return nil, err
	}
	if c.Action != Remove {
		if servers == nil {
			servers = map[string]any{}
			tree[container] = servers
		}
		servers[j.name] = json.RawMessage(inline(e, ":"))
	}
	if got, err := f.decode(after); err != nil || canonical(got) == "" || canonical(got) != canonical(tree) {
		return nil, usage("%s: this %s file cannot be changed safely: with new lines for the entry it would be invalid or mean something else, for example because %s is written in one line; change the entry yourself: --print prints it", j.file, f.name, container)
	}
	return after, nil
}

// shown encodes a value without secrets.
func shown(v any) json.RawMessage {
	var b bytes.Buffer
	_ = json.Compact(&b, []byte(inline(v, ":"))) // it is valid
	return redact.JSON(b.Bytes(), redact.Text)
}

// canonical encodes a value with its members sorted; "" if it has no JSON form.
func canonical(v any) string {
	text, err := json.Marshal(v)
	if err == nil {
		text, err = rawjson.AppendCanonical(nil, text) // a RawMessage is not sorted
	}
	if err != nil {
		return ""
	}
	return string(text)
}

// identity are the members that identify the server of an entry, and personal those that apply only to that server: its
// secrets must not be sent to another one.
var (
	identity = []string{"type", "command", "args", "url", "httpUrl"}
	personal = []string{"env", "headers", "cwd"}
)

// merge returns the members to set, then the members of the old entry that stay, and whether that is the old entry.
// Personal members stay only for the same server.
func merge(old any, set entry) (e entry, same bool) {
	had, ok := old.(map[string]any)
	if !ok {
		return set, false
	}
	others := maps.Clone(had)
	changed := func(name string) bool {
		i := slices.IndexFunc(set, func(m member) bool { return m.name == name })
		if i < 0 {
			return had[name] != nil
		}
		return canonical(had[name]) != canonical(json.RawMessage(inline(set[i].value, ":")))
	}
	if slices.ContainsFunc(identity, changed) {
		maps.DeleteFunc(others, func(name string, _ any) bool { return slices.Contains(personal, name) })
	}
	maps.DeleteFunc(others, func(name string, _ any) bool {
		return slices.Contains(identity, name) || slices.ContainsFunc(set, func(m member) bool { return m.name == name })
	})
	e = slices.Clone(set)
	for _, name := range slices.Sorted(maps.Keys(others)) {
		e = append(e, member{name, others[name]})
	}
	return e, canonical(json.RawMessage(inline(e, ":"))) == canonical(old)
}

// maxLine is the maximum length of a diff line, in characters. Some files have everything on one line.
const maxLine = 400
