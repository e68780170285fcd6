package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
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
	entries, err := limited(ctx, c, method, func(ctx context.Context) ([]json.RawMessage, error) { return c.entries(ctx, method, member) })
	if err != nil {
		return nil, err
	}
	all := make([]T, len(entries))
	for i, entry := range entries {
		all[i] = read(entry)
	}
	return all, nil
}

// entries requests a list page by page. A page with no nextCursor, or null, is the last one; an empty cursor is valid.
func (c *Client) entries(ctx context.Context, method, member string) (all []json.RawMessage, err error) {
	lost := func(format string, args ...any) error {
		return c.conn.unreachable(method+" "+fmt.Sprintf(format, args...), nil)
	}
	var params json.RawMessage
	var cursor *string
	size, commas := 0, 0
	for number := 1; ; number++ {
		raw, err := c.Request(ctx, method, params)
		if err != nil {
			return nil, err
		}
		if size += len(raw); size > maxListed {
			return nil, lost("is too large: with page %d it has more than %d MiB", number, maxListed>>20)
		}
		if commas += bytes.Count(raw, []byte(",")); commas > maxCommas {
			return nil, lost("is too large: with page %d it has more than %d values", number, maxCommas)
		}
		page, next, err := readPage(raw, member)
		if err != nil {
			return nil, c.conn.unreachable(fmt.Sprintf("the answer to %s is invalid: %v", method, err), err)
		}
		switch all = append(all, page...); {
		case len(all) > maxEntries:
			return nil, lost("is too large: with page %d it has more than %d entries", number, maxEntries)
		case next == nil:
			return all, nil
		case cursor != nil && *next == *cursor:
			return nil, lost("does not end: page %d has the nextCursor %q, with which it was requested; the last page must have no nextCursor", number, *cursor)
		case number == maxPages:
			return nil, lost("does not end: page %d has a nextCursor, %q", number, *next)
		}
		cursor, params = next, oneParam("cursor", *next)
	}
}

// readPage returns the entries of a page of a list. Problems within an entry are not errors, see [Entry.Problems]. next is
// nil on the last page.
func readPage(raw json.RawMessage, member string) (entries []json.RawMessage, next *string, err error) {
	members, twice, err := strictjson.Members(raw) // duplicates within an entry affect only that entry
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{member, "nextCursor"} {
		if slices.Contains(twice, name) {
			return nil, nil, fmt.Errorf("member %q occurs twice", name)
		}
	}
	if text, ok := members["nextCursor"]; ok {
		if err := strictjson.Decode(text, &next); err != nil {
			return nil, nil, fmt.Errorf("%q is %s, not a string", "nextCursor", strictjson.Kind(text))
		}
	}
	if text := members[member]; text != nil && json.Unmarshal(text, &entries) != nil {
		return nil, nil, fmt.Errorf("%q is %s, not an array", member, strictjson.Kind(text))
	}
	return entries, next, nil
}
