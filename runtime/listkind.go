package runtime

import "github.com/mcptool-go/mcptool/internal/rawjson"

// listKind is a list of the registry with notifications of changes.
type listKind int

const (
	listOfTools listKind = iota
	listOfPrompts
	listOfResources
	listKinds = iota // number of lists
)

// listNames are the names of the lists in the names of methods and members.
var listNames = [listKinds]string{listOfTools: "tools", listOfPrompts: "prompts", listOfResources: "resources"}

// changedMember returns the member of a subscription's filter for the list.
func (k listKind) changedMember() string { return listNames[k] + "ListChanged" }

// appendChanged appends the notification that the list has changed, up to its params.
func (k listKind) appendChanged(dst []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/`...)
	return append(append(dst, listNames[k]...), `/list_changed"`...)
}

// listSet is a set of lists.
type listSet [listKinds]bool

// and returns the lists that are in both sets.
func (a listSet) and(b listSet) (both listSet) {
	for k := range a {
		both[k] = a[k] && b[k]
	}
	return both
}

// isEmpty reports whether no list is in the set.
func (a listSet) isEmpty() bool { return a == listSet{} }

// append appends the members of a subscription's filter.
func (a listSet) append(dst []byte) []byte {
	for k, in := range a {
		if in {
			dst = append(rawjson.AppendName(dst, listKind(k).changedMember()), "true"...)
		}
	}
	return dst
}

// generations counts the changes of the lists: the changes of the registry, and the changes that other instances have
// announced.
type generations [listKinds]uint64

// generations returns the current generations of the lists.
func (c *core) generations() generations {
	return generations{
		listOfTools:     c.tools.Generation() + c.remoteChanges[listOfTools].Load(),
		listOfPrompts:   c.tools.PromptsGeneration() + c.remoteChanges[listOfPrompts].Load(),
		listOfResources: c.tools.ResourcesGeneration() + c.remoteChanges[listOfResources].Load(),
	}
}

// changed returns the wanted lists that have changed since the generations were seen.
func (g generations) changed(seen generations, wanted listSet) (changed listSet) {
	for k := range g {
		changed[k] = wanted[k] && g[k] != seen[k]
	}
	return changed
}

// offered returns the lists that the server declares: the list of tools always, and the other lists once the registry
// had any items for them.
func (c *core) offered() listSet {
	return listSet{listOfTools: true, listOfPrompts: c.tools.PromptsGeneration() != 0, listOfResources: c.tools.ResourcesGeneration() != 0}
}
