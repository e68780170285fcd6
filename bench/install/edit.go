package install

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"
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

// set sets members of an entry in a container and removes those in drop. It keeps other members, unless they belonged
// to another server, and comments.
func (d *document) set(container, name string, members []member, drop []string) (Action, error) {
	root, err := d.root()
	if err != nil {
		return "", err
	}
	servers, holder, err := d.servers(container)
	if err != nil {
		return "", err
	}
	if servers == nil {
		d.add(root, "", member{container, []member{{name, members}}})
		return Add, nil
	}
	outer := indentation(holder.Name.BeforeExtra)
	found, err := d.lookup(servers, name)
	if err != nil {
		return "", err
	}
	if found == nil {
		d.add(servers, outer, member{name, members})
		return Add, nil
	}
	l := d.layoutOf(servers, outer)
	object, ok := found.Value.Value.(*hujson.Object)
	if !ok {
		found.Value.Value = l.inner().value(members)
		return Replace, nil
	}
	return d.update(object, l.indent, members, drop)
}

// identity are the members that identify the server of an entry, and personal those that apply only to that server: its
// secrets must not be sent to another one.
var (
	identity = []string{"command", "args", "url", "httpUrl"}
	personal = []string{"env", "headers", "cwd"}
)

// update changes the members that differ. If the server is then another one, it removes the members specific to the old
// one.
func (d *document) update(object *hujson.Object, outer string, members []member, drop []string) (Action, error) {
	var changed []string
	for _, name := range drop {
		found, err := d.lookup(object, name)
		if err != nil {
			return "", err
		}
		if found != nil {
			remove(object, name)
			changed = append(changed, name)
		}
	}
	for _, m := range members {
		found, err := d.lookup(object, m.name)
		if err != nil {
			return "", err
		}
		if found == nil {
			d.add(object, outer, m)
			changed = append(changed, m.name)
			continue
		}
		value := hujson.Value{Value: d.layoutOf(object, outer).inner().value(m.value)}
		if !same(found.Value, value) {
			found.Value.Value = value.Value
			changed = append(changed, m.name)
		}
	}
	if len(changed) == 0 {
		return Nothing, nil
	}
	if slices.ContainsFunc(changed, func(name string) bool { return slices.Contains(identity, name) }) {
		for _, name := range personal {
			if _, err := d.lookup(object, name); err != nil {
				return "", err
			}
			if !slices.ContainsFunc(members, func(m member) bool { return m.name == name }) {
				remove(object, name)
			}
		}
	}
	return Replace, nil
}

// unset removes an entry from a container.
func (d *document) unset(container, name string) (Action, error) {
	servers, _, err := d.servers(container)
	if servers == nil || err != nil {
		return Nothing, err
	}
	found, err := d.lookup(servers, name)
	if found == nil || err != nil {
		return Nothing, err
	}
	remove(servers, name)
	return Remove, nil
}

// entry returns an entry of a container as compact JSON; nil if there is none.
func (d *document) entry(container, name string) []byte {
	servers, _, err := d.servers(container)
	if servers == nil || err != nil {
		return nil
	}
	found, err := d.lookup(servers, name)
	if found == nil || err != nil {
		return nil
	}
	entry := found.Value.Clone()
	entry.Minimize()
	return entry.Pack()
}

// add appends a member to an object after all comments. outer is the indentation of the object.
func (d *document) add(object *hujson.Object, outer string, m member) {
	l := d.layoutOf(object, outer)
	comments, space := splitExtra(object.AfterExtra)
	added := l.member(m, len(object.Members) == 0)
	if bytes.HasSuffix(comments, []byte("\n")) {
		// The comment already ends the line. The space after it was the indentation of the brace.
		added.Name.BeforeExtra = concat(comments, hujson.Extra(l.indent))
		space = concat(hujson.Extra(l.newline), space)
	} else {
		added.Name.BeforeExtra = concat(comments, added.Name.BeforeExtra)
	}
	if len(object.Members) == 0 && !l.inline && !hasNewline(space) {
		space = hujson.Extra(l.newline + outer)
	}
	if n := len(object.Members); n > 0 && object.Members[n-1].Value.AfterExtra != nil {
		added.Value.AfterExtra = hujson.Extra{} // keep the trailing comma
	}
	object.AfterExtra = space
	object.Members = append(object.Members, added)
}

// remove removes a member from an object. Comments before and after it stay.
func remove(object *hujson.Object, name string) {
	i := slices.IndexFunc(object.Members, func(m hujson.ObjectMember) bool {
		label, ok := m.Name.Value.(hujson.Literal)
		return ok && label.String() == name
	})
	if i < 0 {
		return
	}
	gone := object.Members[i]
	object.Members = slices.Delete(object.Members, i, i+1)
	kept, _ := splitExtra(gone.Name.BeforeExtra)
	behind, _ := splitExtra(gone.Value.AfterExtra)
	kept = concat(kept, behind)
	if i < len(object.Members) {
		next := &object.Members[i].Name
		if i == 0 && len(kept) == 0 && isBlank(next.BeforeExtra) {
			next.BeforeExtra = gone.Name.BeforeExtra
			return
		}
		next.BeforeExtra = join(kept, next.BeforeExtra)
		return
	}
	if i > 0 {
		last := &object.Members[i-1].Value
		switch {
		case gone.Value.AfterExtra == nil && last.AfterExtra != nil:
			comments, _ := splitExtra(last.AfterExtra)
			kept = concat(comments, kept)
			last.AfterExtra = nil
		case gone.Value.AfterExtra != nil && last.AfterExtra == nil:
			last.AfterExtra = hujson.Extra{}
		}
	}
	object.AfterExtra = join(kept, object.AfterExtra)
	if len(object.Members) == 0 && len(bytes.TrimSpace(object.AfterExtra)) == 0 {
		object.AfterExtra = nil
	}
}

// splitExtra splits an extra after its last comment. A line break that ends the comment belongs to it.
func splitExtra(e hujson.Extra) (comments, space hujson.Extra) {
	end := 0
	for i := 0; i < len(e); i++ {
		if n := commentLength(e[i:]); n > 0 {
			end = i + n
			i = end - 1
		}
	}
	return e[:end:end], e[end:]
}

// join prepends comments to an extra, without an empty line between them.
func join(comments, e hujson.Extra) hujson.Extra {
	if bytes.HasSuffix(comments, []byte("\n")) {
		for _, newline := range []string{"\r\n", "\n"} {
			if rest, ok := bytes.CutPrefix(e, []byte(newline)); ok {
				e = rest
				break
			}
		}
	}
	return concat(comments, e)
}

// concat returns a and b in new memory; nil if both are empty.
func concat(a, b hujson.Extra) hujson.Extra {
	if len(a)+len(b) == 0 {
		return nil
	}
	return append(append(make(hujson.Extra, 0, len(a)+len(b)), a...), b...)
}
