package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// registerResources adds resources with every type of contents, a template, and tools that change them.
func registerResources() {
	mcptool.RegisterResource(resource("Größe"), mcptool.URI("shapes:///text"), mcptool.Name("text"))
	mcptool.RegisterResource(resource([]byte{0, 1, 2, 255}), mcptool.URI("shapes:///blob"), mcptool.Name("blob"), mcptool.MIMEType("image/png"), mcptool.Size(4))
	mcptool.RegisterResource(resource(Point{X: 1.5}), mcptool.URI("shapes:///point"), mcptool.Name("point"), mcptool.Title("A point"))
	mcptool.RegisterResource(resource([]mcptool.ResourceContents{
		{URI: "shapes:///several/a", Text: "a"},
		{URI: "shapes:///several/b", MIMEType: "application/octet-stream", Blob: []byte("b")},
	}), mcptool.URI("shapes:///several"), mcptool.Name("several"))
	mcptool.RegisterResource(func(context.Context, struct{}) (io.Reader, error) {
		return strings.NewReader(strings.Repeat("line\n", 20_000)), nil
	}, mcptool.URI("shapes:///long"), mcptool.Name("long"), mcptool.MIMEType("text/plain"))
	mcptool.RegisterResource(func(context.Context, struct{}) (string, error) { return "", errors.New("a secret") },
		mcptool.URI("shapes:///broken"), mcptool.Name("broken"))
	mcptool.RegisterResource(func(context.Context, struct{}) (string, error) { return strconv.FormatInt(counter.Load(), 10), nil },
		mcptool.URI("shapes:///counter"), mcptool.Name("counter"))
	mcptool.RegisterResource(ReadItem, mcptool.ListWith(listItems), mcptool.Complete("id", completeItem))
	mcptool.Register(Touch)
	mcptool.Register(ToggleResource)
}

func resource[T any](v T) func(context.Context, struct{}) (T, error) {
	return func(context.Context, struct{}) (T, error) { return v, nil }
}

// items is the number of items.
const items = 9

// ItemIn is the variables of the URI of an item.
type ItemIn struct {
	_      struct{} `mcp:"name=item,uri=shapes:///items/{id}{?detail}" doc:"One of nine items"`
	ID     int      `json:"id" jsonschema:"minimum=0,maximum=99"`
	Detail string   `json:"detail" jsonschema:"enum=short,enum=full,default=short"`
}

// Item is an item.
type Item struct {
	ID     int    `json:"id"`
	Detail string `json:"detail"`
}

// ReadItem reads an item.
func ReadItem(_ context.Context, in ItemIn) (Item, error) {
	if in.ID >= items {
		return Item{}, fmt.Errorf("item %d: %w", in.ID, mcptool.ErrResourceNotFound)
	}
	return Item{ID: in.ID, Detail: in.Detail}, nil
}

// listItems lists three items on a page, which is less than the server sends.
func listItems(_ context.Context, cursor string) (page []mcptool.ResourceLink, next string, err error) {
	from := 0
	if cursor != "" {
		if from, err = strconv.Atoi(cursor); err != nil {
			return nil, "", err
		}
	}
	for id := from; id < from+3; id++ {
		page = append(page, mcptool.ResourceLink{URI: fmt.Sprintf("shapes:///items/%d", id), Name: fmt.Sprintf("item %d", id)})
	}
	if from+3 < items {
		next = strconv.Itoa(from + 3)
	}
	return page, next, nil
}

func completeItem(_ context.Context, prefix string, _ ItemIn) (ids []string, err error) {
	for id := range items {
		if text := strconv.Itoa(id); strings.HasPrefix(text, prefix) {
			ids = append(ids, text)
		}
	}
	return ids, nil
}

// counter is incremented by Touch.
var counter atomic.Int64

// TouchIn holds the arguments of Touch.
type TouchIn struct {
	_     struct{} `doc:"Count up every millisecond, and notify who has subscribed to the counter each time"`
	Times int      `json:"times" jsonschema:"minimum=1,maximum=1000,default=1"`
}

// Touch increments the counter.
func Touch(_ context.Context, in TouchIn) (struct{}, error) {
	for range in.Times {
		time.Sleep(time.Millisecond)
		counter.Add(1)
		mcptool.Default.ResourceUpdated("shapes:///counter")
	}
	return struct{}{}, nil
}

// ToggleResource adds a resource, or removes it if it exists; clients are notified of both.
func ToggleResource(context.Context, None) (struct{}, error) {
	const uri = "shapes:///extra"
	toggling.Lock()
	defer toggling.Unlock()
	extra, err := mcptool.NewResource(resource("extra"), mcptool.URI(uri), mcptool.Name("extra"))
	if err != nil || mcptool.Default.Remove(extra) > 0 {
		return struct{}{}, err
	}
	return struct{}{}, mcptool.Default.Add(extra)
}
