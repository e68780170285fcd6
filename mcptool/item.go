package mcptool

import "fmt"

// Item is something that a [Registry] contains: a [*Tool], a [*Prompt] or a [*Resource]. A [Tools], [Prompts] or [Resources]
// is also an Item, and stands for its elements, so that all of these can be arguments of one [Registry.Add]:
//
//	tools, err := mcptool.NewService(&shop)
//	…
//	err = registry.Add(tools, review, mcptool.Files(manual, "manual:///"))
type Item interface {
	appendTo(b *batch)
}

// Tools is a list of tools, as [NewService] returns it.
type Tools []*Tool

// Prompts is a list of prompts. A server whose registry got an empty one declares that it has prompts, see [Registry.Add].
type Prompts []*Prompt

// Resources is a list of resources. A server whose registry got an empty one declares that it has resources, see
// [Registry.Add].
type Resources []*Resource

// batch is the items of one call, by kind.
type batch struct {
	tools     []*Tool
	prompts   []*Prompt   // not nil if the call had a Prompts, even an empty one
	resources []*Resource // not nil if the call had a Resources, even an empty one
}

// newBatch returns the items by kind, and a mistake for each that is nil without a type.
func newBatch(items []Item) (b batch, mistakes []Mistake) {
	for i, item := range items {
		if item == nil {
			mistakes = append(mistakes, Mistake{Reason: fmt.Sprintf("item %d of the call is nil", i+1), Fix: "leave it out"})
			continue
		}
		item.appendTo(&b)
	}
	return b, mistakes
}

func (t *Tool) appendTo(b *batch)     { b.tools = append(b.tools, t) }
func (p *Prompt) appendTo(b *batch)   { b.prompts = append(b.prompts, p) }
func (r *Resource) appendTo(b *batch) { b.resources = append(b.resources, r) }
func (ts Tools) appendTo(b *batch)    { b.tools = append(b.tools, ts...) }

func (ps Prompts) appendTo(b *batch) {
	if b.prompts == nil {
		b.prompts = []*Prompt{}
	}
	b.prompts = append(b.prompts, ps...)
}

func (rs Resources) appendTo(b *batch) {
	if b.resources == nil {
		b.resources = []*Resource{}
	}
	b.resources = append(b.resources, rs...)
}
