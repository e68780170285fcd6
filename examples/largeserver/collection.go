package main

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/mcptool"
)

// maxRecords is the maximum number of records of a kind.
const maxRecords = 1000

// A collection has the records of a kind, in memory. Its methods are the funcs of tools.
type collection struct {
	kind

	mu      sync.Mutex
	records map[string]record // by name
}

// A record has its name and the fields of its kind. It is replaced and not changed, because a result may refer to it.
type record map[string]any

func (c *collection) create(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
	created := record{}
	for _, f := range c.fields {
		if value, ok := f.schema["default"]; ok {
			created[f.name] = value
		}
	}
	if err := json.Unmarshal(args, &created); err != nil {
		return nil, err
	}
	name, _ := created["name"].(string) // the schema requires it
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.records[name] != nil:
		return nil, mcptool.Errorf("the %s %q exists already; change it with update_%s", c.words(), name, c.name)
	case len(c.records) == maxRecords:
		return nil, mcptool.Errorf("there are %d %ss, the maximum; delete one with delete_%s", maxRecords, c.words(), c.name)
	}
	c.records[name] = created
	return &mcptool.Result{Structured: created}, nil
}

// listIn has the arguments of tools that list.
type listIn struct {
	Contains string `json:"contains,omitempty" jsonschema:"maxLength=63" doc:"Only those whose names contain this text"`
	After    string `json:"after,omitempty" jsonschema:"maxLength=63" doc:"Only names after this one: next of the previous page"`
	Limit    int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100,default=20" doc:"Maximum number of results"`
}

type listOut struct {
	Items []record `json:"items"`
	Next  string   `json:"next,omitempty"` // the last name of the page, if there are more
}

func (c *collection) list(_ context.Context, in listIn) (listOut, error) {
	out := listOut{Items: []record{}}
	c.mu.Lock()
	defer c.mu.Unlock()
	last := ""
	for _, name := range slices.Sorted(maps.Keys(c.records)) {
		if name <= in.After || !strings.Contains(name, in.Contains) {
			continue
		}
		if len(out.Items) == in.Limit {
			out.Next = last
			break
		}
		out.Items, last = append(out.Items, c.records[name]), name
	}
	return out, nil
}

// nameIn names a record.
type nameIn struct {
	Name string `json:"name" jsonschema:"minLength=1,maxLength=63" doc:"Its name"`
}

func (c *collection) get(_ context.Context, in nameIn) (record, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(in.Name)
}

func (c *collection) update(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
	changes := record{}
	if err := json.Unmarshal(args, &changes); err != nil {
		return nil, err
	}
	name, _ := changes["name"].(string) // the schema requires it
	c.mu.Lock()
	defer c.mu.Unlock()
	found, err := c.find(name)
	if err != nil {
		return nil, err
	}
	updated := maps.Clone(found)
	maps.Copy(updated, changes)
	c.records[name] = updated
	return &mcptool.Result{Structured: updated}, nil
}

type deleteOut struct {
	Deleted string `json:"deleted"`
}

func (c *collection) delete(_ context.Context, in nameIn) (deleteOut, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.find(in.Name); err != nil {
		return deleteOut{}, err
	}
	delete(c.records, in.Name)
	return deleteOut{in.Name}, nil
}

// find returns the record with this name. The caller holds the lock.
func (c *collection) find(name string) (record, error) {
	if r, ok := c.records[name]; ok {
		return r, nil
	}
	return nil, mcptool.Errorf("there is no %s %q; get the names with list_%ss", c.words(), name, c.name)
}
