package modelview

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// compare adds the differences between two definitions of a tool.
func (v *View) compare(s *step, name string, before, after *jsondoc.Value) {
	var gone []string
	for _, m := range before.Members {
		if after.Get(m.Name) == nil {
			gone = append(gone, m.Name)
		}
	}
	if gone != nil {
		v.add(Changed, s, name, "", "without "+strings.Join(gone, ", "))
	}
	v.compareText(s, name, "description", before.Get("description").Text(), after.Get("description").Text())
	old, made := partsOf(before.Get("inputSchema")), partsOf(after.Get("inputSchema"))
	for _, path := range old.paths {
		was, is := old.keywords[path], made.keywords[path]
		at := strings.TrimSuffix("arguments."+path, ".")
		if is == nil {
			if old.isNew(path, made) {
				v.add(Lost, s, name, at, "the argument vanishes")
			}
			continue
		}
		for _, change := range []struct {
			effect   Effect
			how      string
			keywords []string
		}{{Cut, "without ", missing(was, is)}, {Changed, "with ", missing(is, was)}, {Changed, "another ", different(was, is)}} {
			if change.keywords != nil {
				v.add(change.effect, s, name, at, change.how+strings.Join(change.keywords, ", "))
			}
		}
		if is["description"] != "" {
			v.compareText(s, name, at, was["description"], is["description"])
		}
	}
	for _, path := range made.paths {
		if old.keywords[path] == nil && made.isNew(path, old) {
			v.add(Changed, s, name, "arguments."+path, "an argument of the client")
		}
	}
}

// compareText adds the difference between two descriptions.
func (v *View) compareText(s *step, name, at, old, text string) {
	switch {
	case len(text) < len(old):
		v.add(Cut, s, name, at, lengths(old, text))
	case text != old:
		v.add(Changed, s, name, at, "another text")
	}
}

// missing lists the keywords of was that is lacks.
func missing(was, is map[string]string) (names []string) {
	for _, keyword := range slices.Sorted(maps.Keys(was)) {
		if _, ok := is[keyword]; !ok {
			names = append(names, keyword)
		}
	}
	return names
}

// different lists the keywords whose values differ, without those that hold schemas, and descriptions.
func different(was, is map[string]string) (names []string) {
	for _, keyword := range slices.Sorted(maps.Keys(was)) {
		if value, ok := is[keyword]; ok && value != was[keyword] && keyword != "description" && jsondoc.HeldBy(keyword) == 0 {
			names = append(names, keyword)
		}
	}
	return names
}

// parts are the values that a schema describes.
type parts struct {
	paths    []string                     // items[].qty; "" for the root
	keywords map[string]map[string]string // of each path, with their values
	named    map[string]bool              // whether a path leads to an argument
	parent   map[string]string            // the next shorter path
}

// isNew reports whether path is an argument inside of a value that both schemas have.
func (p parts) isNew(path string, others parts) bool {
	return p.named[path] && (p.parent[path] == "" || others.keywords[p.parent[path]] != nil)
}

// partsOf returns the values that a schema describes, each with the keywords of all its subschemas, such as the branches of
// anyOf.
func partsOf(schema *jsondoc.Value) parts {
	p := parts{keywords: map[string]map[string]string{}, named: map[string]bool{}, parent: map[string]string{}}
	schema.EachSchema(nil, func(at jsondoc.Path, d *jsondoc.Value) bool {
		path, parent, named := valuePath(at)
		if p.keywords[path] == nil {
			p.keywords[path] = map[string]string{}
			p.paths = append(p.paths, path)
			p.named[path], p.parent[path] = named, parent
		}
		for _, m := range d.Members {
			switch m.Name {
			case "properties", "$defs", "definitions": // their contents have their own paths
			case "description":
				p.keywords[path][m.Name] = m.Value.Text()
			default:
				p.keywords[path][m.Name] = string(m.Value.AppendTo(nil))
			}
		}
		return true
	})
	return p
}

// valuePath returns the path of the value that the schema at a location describes, the path without its last part, and
// whether that part is the name of an argument.
func valuePath(at jsondoc.Path) (path, parent string, named bool) {
	add := func(part string, isName bool) {
		parent, path, named = path, strings.TrimPrefix(path+part, "."), isName
	}
	for i := 0; i < len(at); i++ {
		switch keyword := at[i].Name; {
		case keyword == "properties" && i+1 < len(at):
			i++
			add("."+at[i].Name, true)
		case jsondoc.HeldBy(keyword) == jsondoc.HoldsNamed && i+1 < len(at):
			i++
			add("."+keyword+"."+at[i].Name, false)
		case keyword == "items", keyword == "prefixItems", keyword == "contains":
			add("[]", false)
		case keyword == "additionalProperties":
			add(".*", false)
		}
	}
	return path, parent, named
}

// lengths describes a text that was cut.
func lengths(old, text string) string {
	return fmt.Sprintf("%d of %d characters", utf8.RuneCountInString(text), utf8.RuneCountInString(old))
}
