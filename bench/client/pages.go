package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/bench/internal/strictjson"
)

// Limits of one list over all pages. A list that exceeds one is considered endless.
const (
	maxPages   = 10_000
	maxEntries = 200_000
	maxListed  = 32 << 20  // total size of the results, in bytes
	maxCommas  = 1_000_000 // in the results: decoded values take more memory than their text
)

// listAll returns the entries of all pages of a list, in server order. member is the name of the array in the results,
// and read decodes an entry. All pages together may take [MaxExtension] times the timeout.
func listAll[T any](ctx context.Context, c *Client, method, member string, read func(entry json.RawMessage) T) ([]T, error) {
	return limited(ctx, c, method, func(ctx context.Context) ([]T, error) {
		all := []T{}
		if err := c.eachPage(ctx, method, member, func(entry json.RawMessage) { all = append(all, read(entry)) }); err != nil {
			return nil, err
		}
		return all, nil
	})
}

// eachPage requests a list page by page and calls add for each entry. A page with no nextCursor, or null, is the last
// one; an empty cursor is valid.
func (c *Client) eachPage(ctx context.Context, method, member string, add func(entry json.RawMessage)) error {
	var params json.RawMessage
	var cursor *string
	entries, size, commas := 0, 0, 0
	for page := 1; ; page++ {
		raw, err := c.request(ctx, method, params)
		if err != nil {
			return err
		}
		if size += len(raw); size > maxListed {
			return c.conn.unreachable(fmt.Sprintf("%s is too large: with page %d it has more than %d MiB", method, page, maxListed>>20), nil)
		}
		if commas += bytes.Count(raw, []byte(",")); commas > maxCommas {
			return c.conn.unreachable(fmt.Sprintf("%s is too large: with page %d it has more than %d values", method, page, maxCommas), nil)
		}
		next, err := readPage(raw, member, func(entry json.RawMessage) error {
			if entries++; entries > maxEntries {
				return errTooMany
			}
			add(entry)
			return nil
		})
		switch {
		case errors.Is(err, errTooMany):
			return c.conn.unreachable(fmt.Sprintf("%s is too large: with page %d it has more than %d entries", method, page, maxEntries), nil)
		case err != nil:
			return c.conn.unreachable(fmt.Sprintf("the answer to %s is invalid: %v", method, err), err)
		case next == nil:
			return nil
		case cursor != nil && *next == *cursor:
			return c.conn.unreachable(fmt.Sprintf("%s does not end: page %d has the nextCursor %q, with which it was requested; the last page must have no nextCursor", method, page, *cursor), nil)
		case page == maxPages:
			return c.conn.unreachable(fmt.Sprintf("%s does not end: page %d has a nextCursor, %q", method, page, *next), nil)
		}
		cursor = next
		if params, err = json.Marshal(map[string]string{"cursor": *cursor}); err != nil {
			return err
		}
	}
}

var errTooMany = errors.New("too many entries")

// readPage decodes a page of a list and calls add for each entry until it returns an error. Problems within an entry
// are not errors, see [Tool.Problems]. next is nil on the last page.
func readPage(raw json.RawMessage, member string, add func(entry json.RawMessage) error) (next *string, err error) {
	members, twice, err := strictjson.Members(raw) // duplicates within an entry affect only that entry
	if err != nil {
		return nil, err
	}
	for _, name := range []string{member, "nextCursor"} {
		if slices.Contains(twice, name) {
			return nil, fmt.Errorf("member %q occurs twice", name)
		}
	}
	if text, ok := members["nextCursor"]; ok {
		if err := strictjson.Decode(text, &next); err != nil {
			return nil, fmt.Errorf("%q is %s, not a string", "nextCursor", strictjson.Kind(text))
		}
	}
	text := members[member]
	if kind := strictjson.Kind(text); text == nil || kind == "null" {
		return next, nil
	} else if kind != "an array" {
		return nil, fmt.Errorf("%q is %s, not an array", member, kind)
	}
	return next, strictjson.Elements(text, add)
}
