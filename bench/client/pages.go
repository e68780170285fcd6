package client

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/bench/strictjson"
)

// maxPages is how many pages of a list are read before the server is taken for one that never comes to an end.
const maxPages = 10_000

// listAll returns the entries of a list, of all pages, in the order of the server. member is the name of the array in the
// results, and read decodes an entry. All pages together may take [MaxExtension] times the timeout.
func listAll[T any](ctx context.Context, c *Client, method, member string, read func(entry json.RawMessage) T) ([]T, error) {
	return limited(ctx, c, method, func(ctx context.Context) ([]T, error) {
		all := []T{}
		if err := c.eachPage(ctx, method, member, func(entry json.RawMessage) { all = append(all, read(entry)) }); err != nil {
			return nil, err
		}
		return all, nil
	})
}

// eachPage requests a list page by page, and calls add with each entry.
func (c *Client) eachPage(ctx context.Context, method, member string, add func(entry json.RawMessage)) error {
	var params json.RawMessage
	last := ""
	for page := 0; ; page++ {
		raw, err := c.request(ctx, method, params)
		if err != nil {
			return err
		}
		entries, next, err := readPage(raw, member)
		if err != nil {
			return c.conn.unreachable(fmt.Sprintf("the answer to %s is not one: %v", method, err), err)
		}
		for _, entry := range entries {
			add(entry)
		}
		if next == "" {
			return nil
		}
		if next == last || page == maxPages {
			return c.conn.unreachable(fmt.Sprintf("%s does not end: page %d refers to %q again", method, page+1, last), nil)
		}
		last = next
		if params, err = json.Marshal(map[string]string{"cursor": last}); err != nil {
			return err
		}
	}
}

// readPage reads one result of a list. What is wrong with a single entry is no error, see [Tool.Problems].
func readPage(raw json.RawMessage, member string) (entries []json.RawMessage, next string, err error) {
	members, twice, err := strictjson.Members(raw) // what is twice within an entry concerns that entry only
	if err != nil {
		return nil, "", err
	}
	for _, name := range []string{member, "nextCursor"} {
		if slices.Contains(twice, name) {
			return nil, "", fmt.Errorf("member %q occurs twice", name)
		}
	}
	if text, ok := members["nextCursor"]; ok {
		if err := strictjson.Decode(text, &next); err != nil {
			return nil, "", fmt.Errorf("%q is %s, not a string", "nextCursor", strictjson.Kind(text))
		}
	}
	if text, ok := members[member]; ok {
		if err := json.Unmarshal(text, &entries); err != nil {
			return nil, "", fmt.Errorf("%q is %s, not an array", member, strictjson.Kind(text))
		}
	}
	return entries, next, nil
}
