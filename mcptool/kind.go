package mcptool

import (
	"fmt"
	"strings"
)

// itemKind is a kind of registry items.
type itemKind uint8

const (
	kindTool itemKind = iota
	kindPrompt
	kindResource
)

// itemWords are the words for each kind in messages.
var itemWords = [...]struct{ noun, keyName, constructor string }{
	kindTool:     {"tool", "name", "New or NewRaw"},
	kindPrompt:   {"prompt", "name", "NewPrompt"},
	kindResource: {"resource", "URI", "NewResource"},
}

// String returns the noun: tool, prompt or resource.
func (k itemKind) String() string { return itemWords[k].noun }

// keyName returns the name of the property that is unique among items of the kind.
func (k itemKind) keyName() string { return itemWords[k].keyName }

// constructor returns the names of the funcs that make such items.
func (k itemKind) constructor() string { return itemWords[k].constructor }

// kindSet is a set of kinds of items.
type kindSet uint8

const (
	ofTools     kindSet = 1 << kindTool
	ofPrompts   kindSet = 1 << kindPrompt
	ofResources kindSet = 1 << kindResource
)

// has reports whether the set contains a kind; the empty set contains all.
func (s kindSet) has(k itemKind) bool { return s == 0 || s&(1<<k) != 0 }

// String lists the kinds: prompts and resources.
func (s kindSet) String() string {
	var nouns []string
	for k := range itemWords {
		if s.has(itemKind(k)) {
			nouns = append(nouns, itemKind(k).String()+"s")
		}
	}
	return strings.Join(nouns, " and ")
}

// optionsOfKinds are the options that apply to some kinds only and that no tag can set.
var optionsOfKinds = []struct {
	name  string
	kinds kindSet
	isSet func(*definition) bool
}{
	{"InputSchema", ofTools, func(d *definition) bool { return d.inputSchema.isSet() }},
	{"OutputSchema", ofTools, func(d *definition) bool { return d.outputSchema.isSet() }},
	{"OutputType", ofTools, func(d *definition) bool { return d.outputType.isSet() }},
	{"TaskTTL", ofTools, func(d *definition) bool { return d.taskTTL.isSet() }},
	{"PollInterval", ofTools, func(d *definition) bool { return d.pollInterval.isSet() }},
	{"Use", ofTools, func(d *definition) bool { return len(d.middleware) > 0 }},
	{"ExceptMethods", ofTools, func(d *definition) bool { return len(d.exceptMethods) > 0 }},
	{"Attach", ofTools, func(d *definition) bool { return len(d.attachments) > 0 }},
	{"Complete", ofPrompts | ofResources, func(d *definition) bool { return len(d.completers) > 0 }},
	{"ListWith", ofResources, func(d *definition) bool { return d.lister != nil }},
	{"Verbatim", ofResources, func(d *definition) bool { return d.verbatim.isSet() }},
}

// checkKind notes settings that do not apply to the kind of the item.
func (d *definition) checkKind() {
	refuse := func(what string, kinds kindSet) {
		d.mistake(fmt.Sprintf("%s applies to %s, and this is a %s", what, kinds, d.kind), "leave it out")
	}
	for _, key := range tagKeys {
		if s := key.of(d); s.isSet() && !key.kinds.has(d.kind) {
			refuse(fmt.Sprintf("%s, set by %s,", key.name, s.origin()), key.kinds)
		}
	}
	for _, o := range optionsOfKinds {
		if o.isSet(d) && !o.kinds.has(d.kind) {
			refuse("the option "+o.name, o.kinds)
		}
	}
	if d.kind == kindResource && d.lister != nil && !strings.Contains(d.uri.value, "{") {
		d.mistake("the option ListWith lists what there is under a template, and the URI has no variables", "leave it out")
	}
}
