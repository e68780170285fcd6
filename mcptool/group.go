package mcptool

import (
	"encoding/json"
	"fmt"
	"slices"
)

// metaGroups is the key of _meta with the groups of an item: an array of strings.
const metaGroups = "io.github.mcptool-go/groups"

// Group puts the tool into groups, such as "issues", by which the operator of a server, or a client, selects what the
// server offers: see Selection of [github.com/mcptool-go/mcptool/runtime]. A name has 1 to 64 characters of A-Z, a-z, 0-9,
// "_", "-" and ".". In the tag, group=issues is one group, and the key may be repeated. The groups of the tag and of all
// Group options add up. Lists have them, sorted, in the _meta of the item, as an array of strings with the key
// io.github.mcptool-go/groups. By default a tool is in no group.
func Group(names ...string) Option {
	names = slices.Clone(names)
	return option(func(d *definition) { d.addGroups("the option Group", names) })
}

// addGroups adds groups to those of other sources, and notes names that are not valid.
func (d *definition) addGroups(source string, names []string) {
	if len(names) == 0 {
		d.add("group", source+" sets no groups", "list at least one, or leave it out")
	}
	for i, name := range names {
		if reason, fix := toolNameProblem(name); reason != "" {
			d.add("group", source+": "+reason, fix)
		} else if slices.Contains(names[:i], name) || source == tagSource && slices.Contains(d.Groups, name) {
			d.add("group", fmt.Sprintf("%q is listed twice", name), "list it once")
		}
	}
	d.Groups = slices.Compact(slices.Sorted(slices.Values(slices.Concat(d.Groups, names))))
	d.sources = append(d.sources, settingSource{&d.Groups, source})
}

// describeGroups adds the groups to the _meta of the item, which is encoded.
func (d *definition) describeGroups() {
	if len(d.Groups) == 0 {
		return
	}
	raw, _ := json.Marshal(d.Groups) // cannot fail for strings
	var twice string
	if d.Meta, twice = joinMeta(d.Meta, map[string]any{metaGroups: json.RawMessage(raw)}); twice != "" {
		d.add("_meta", "key "+twice+" is for the groups of the item", "use the option Group")
	}
}
