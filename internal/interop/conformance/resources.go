package main

import (
	"context"
	"errors"

	"github.com/mcptool-go/mcptool/mcptool"
)

type dataIn struct {
	_  struct{} `mcp:"uri=test://template/{id}/data,name=The data of an id,mimeType=text/plain"`
	ID string   `json:"id"`
}

// addResources adds the resources that the suite requires.
func addResources(registry *mcptool.Registry) error {
	text := func(context.Context, none) (string, error) { return "This is the content of a text resource.", nil }
	var c collector[*mcptool.Resource]
	c.add(mcptool.NewResource(text, mcptool.Name("A text"), mcptool.URI("test://static-text")))
	c.add(mcptool.NewResource(func(context.Context, none) ([]byte, error) { return dot(), nil },
		mcptool.Name("A picture"), mcptool.URI("test://static-binary"), mcptool.MIMEType("image/png")))
	c.add(mcptool.NewResource(text, mcptool.Name("A text that never changes"), mcptool.URI("test://watched-resource")))
	c.add(mcptool.NewResource(func(_ context.Context, in dataIn) (string, error) { return "The data of " + in.ID + ".", nil }))
	if c.err != nil {
		return c.err
	}
	return registry.Add(mcptool.Resources(c.items))
}

// collector collects the results of constructors.
type collector[T any] struct {
	items []T
	err   error
}

func (c *collector[T]) add(item T, err error) {
	c.items, c.err = append(c.items, item), errors.Join(c.err, err)
}
