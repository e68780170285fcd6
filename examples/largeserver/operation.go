package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
)

// The names of records.
const (
	namePattern = "^[a-z][a-z0-9-]*$"
	maxName     = 63
)

// An operation is a tool of each kind.
type operation struct {
	name        string // %s is the name of the kind
	description string // %s is the kind in words, and what a record of it is
	hints       []mcptool.ToolOption
	define      func(c *collection, name string, opts ...mcptool.ToolOption) (*mcptool.Tool, error)
}

// operations are annotated, because hosts decide by annotations what may run without asking the user, and because a
// read-only selection and tool search rely on them.
var operations = []operation{
	{
		"create_%s", "Create a new %s, %s.",
		[]mcptool.ToolOption{mcptool.Destructive(false)},
		func(c *collection, name string, opts ...mcptool.ToolOption) (*mcptool.Tool, error) {
			return mcptool.NewRaw(name, c.arguments(true), c.create, opts...)
		},
	},
	{
		"list_%ss", "List %ss, each %s.",
		[]mcptool.ToolOption{mcptool.ReadOnly(true), mcptool.Idempotent(true)},
		func(c *collection, name string, opts ...mcptool.ToolOption) (*mcptool.Tool, error) {
			return mcptool.New(c.list, append(opts, mcptool.Name(name))...)
		},
	},
	{
		"get_%s", "Get the settings of one %s, %s.",
		[]mcptool.ToolOption{mcptool.ReadOnly(true), mcptool.Idempotent(true)},
		func(c *collection, name string, opts ...mcptool.ToolOption) (*mcptool.Tool, error) {
			return mcptool.New(c.get, append(opts, mcptool.Name(name))...)
		},
	},
	{
		"update_%s", "Change settings of an existing %s, %s. Settings that are left out keep their values.",
		[]mcptool.ToolOption{mcptool.Destructive(true), mcptool.Idempotent(true)},
		func(c *collection, name string, opts ...mcptool.ToolOption) (*mcptool.Tool, error) {
			return mcptool.NewRaw(name, c.arguments(false), c.update, opts...)
		},
	},
	{
		"delete_%s", "Delete one %s, %s. This cannot be undone.",
		[]mcptool.ToolOption{mcptool.Destructive(true), mcptool.Idempotent(true)},
		func(c *collection, name string, opts ...mcptool.ToolOption) (*mcptool.Tool, error) {
			return mcptool.New(c.delete, append(opts, mcptool.Name(name))...)
		},
	},
}

var inWords = strings.NewReplacer("dns_", "DNS ", "ssh_", "SSH ", "waf_", "WAF ", "_ip", " IP", "_", " ")

// words returns the name of the kind as a text has it.
func (k kind) words() string { return inWords.Replace(k.name) }

// newTools returns the tools of all kinds.
func newTools() (mcptool.Tools, error) {
	var tools mcptool.Tools
	var mistakes []error
	for _, k := range kinds {
		c := &collection{kind: k, records: map[string]record{}}
		for _, o := range operations {
			options := slices.Concat(o.hints, []mcptool.ToolOption{
				mcptool.Group(k.group),
				mcptool.Description(fmt.Sprintf(o.description, k.words(), k.is)),
				mcptool.OpenWorld(false),
			})
			tool, err := o.define(c, fmt.Sprintf(o.name, k.name), options...)
			tools, mistakes = append(tools, tool), append(mistakes, err)
		}
	}
	return tools, errors.Join(mistakes...)
}
