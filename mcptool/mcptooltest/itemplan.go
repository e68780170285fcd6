package mcptooltest

import (
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// plan returns the calls to make, beginning with the ones that the option Arguments lists.
func (t *itemTrial) plan() ([]call, error) {
	own, err := t.settings.own(t.key)
	if err != nil {
		return nil, err
	}
	var calls []call
	for _, in := range own {
		args, err := t.ownCall(in)
		if err != nil {
			return nil, err
		}
		calls = append(calls, call{args: args, about: "from the option Arguments", fits: true, own: true})
	}
	if t.item.resource != nil && !t.item.isTemplate() {
		return append(calls, call{args: []byte(quoted(t.item.name)), about: "the URI of the resource", fits: true, listed: true}), nil
	}
	seen := map[string]bool{}
	first := len(own) == 0
	for _, s := range samples.Of(t.item.schema) {
		values, err := textsOf(s.JSON)
		if err != nil {
			continue // cannot be expressed as text
		}
		args, ok := t.item.written(values)
		if !ok || seen[string(args)] {
			continue
		}
		seen[string(args)] = true
		misfit, matches := t.item.judge(args)
		if !matches {
			continue
		}
		about := s.About
		if s.Path != "" {
			about = s.Path + ": " + s.About
		}
		c := call{args: args, about: about, fits: misfit == nil, first: misfit == nil && first}
		if c.first && t.base == nil {
			t.base = values
		}
		first = first && !c.first
		calls = append(calls, c)
	}
	return calls, nil
}

// ownCall returns the arguments that a client sends for a call of the option Arguments, which is JSON: arguments,
// variables or a URI.
func (t *itemTrial) ownCall(in []byte) (args []byte, err error) {
	var uri string
	if t.item.resource != nil && json.Unmarshal(in, &uri) == nil {
		args = in
	} else {
		values, err := textsOf(in)
		if err != nil {
			return nil, fmt.Errorf("%s: the option Arguments: %w", t.name, err)
		}
		var ok bool
		if args, ok = t.item.written(values); !ok {
			return nil, fmt.Errorf("%s: %s of the option Arguments does not make a URI", t.name, in)
		}
		if t.base == nil {
			t.base = values
		}
	}
	misfit, matches := t.item.judge(args)
	switch {
	case !matches:
		return nil, fmt.Errorf("%s: %s of the option Arguments does not match the URI template", t.name, args)
	case misfit != nil:
		return nil, fmt.Errorf("%s: %s of the option Arguments does not fit: %w", t.name, in, misfit)
	}
	return args, nil
}
