package install

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"
)

// Action is what happens to an entry.
type Action string

// The actions.
const (
	Add     Action = "add"
	Replace Action = "replace"
	Remove  Action = "remove"
	Nothing Action = "nothing" // it is as it should be
)

// set makes an entry of a container have members, and not have others. Members that are neither stay, unless they were
// for another server, and so do comments.
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

// The members that say which server an entry is of, and those that are for that server only: what is secret to one must
// not be sent to another.
var (
	identity = []string{"command", "args", "url", "httpUrl"}
	personal = []string{"env", "headers", "cwd"}
)

// update changes what differs of an entry. If it is of another server then, it keeps nothing that was for the old one.
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

// unset takes an entry out of a container.
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

// entry returns an entry of a container as JSON without white space, nil if there is none.
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

// add puts a member behind those of an object, whose own indentation is outer, and behind all comments.
func (d *document) add(object *hujson.Object, outer string, m member) {
	l := d.layoutOf(object, outer)
	comments, space := splitExtra(object.AfterExtra)
	added := l.member(m, len(object.Members) == 0)
	if bytes.HasSuffix(comments, []byte("\n")) {
		// The line is at its end already. What is behind it was the indentation of the brace.
		added.Name.BeforeExtra = concat(comments, hujson.Extra(l.indent))
		space = concat(hujson.Extra(l.newline), space)
	} else {
		added.Name.BeforeExtra = concat(comments, added.Name.BeforeExtra)
	}
	if len(object.Members) == 0 && !l.inline && !hasNewline(space) {
		space = hujson.Extra(l.newline + outer)
	}
	if n := len(object.Members); n > 0 && object.Members[n-1].Value.AfterExtra != nil {
		added.Value.AfterExtra = hujson.Extra{} // a comma behind the last
	}
	object.AfterExtra = space
	object.Members = append(object.Members, added)
}

// remove takes a member out of an object. Comments before and behind it stay.
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

// splitExtra returns an extra up to the end of its last comment, with the end of the line if that is the comment's,
// and the white space behind it.
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

// join puts comments before an extra, without an empty line between them.
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

// concat returns one behind the other, in memory of its own, nil if there is nothing.
func concat(a, b hujson.Extra) hujson.Extra {
	if len(a)+len(b) == 0 {
		return nil
	}
	return append(append(make(hujson.Extra, 0, len(a)+len(b)), a...), b...)
}
