package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// list requests all pages of tools/list, and checks the number of tools. It does not
// decode pages of a thousand tools, to avoid measuring the driver: it counts input
// schemas, one per tool.
func (s *session) list(ctx context.Context, tools int) error {
	params, found := json.RawMessage("{}"), 0
	for {
		page, err := s.request(ctx, "tools/list", params)
		if err != nil {
			return err
		}
		found += bytes.Count(page, []byte(`"inputSchema":`))
		cursor, err := nextCursor(page)
		if err != nil {
			return err
		}
		if cursor == nil {
			break
		}
		params = json.RawMessage(`{"cursor":` + string(cursor) + `}`)
	}
	if found != tools {
		return fmt.Errorf("tools/list has %d tools, not %d", found, tools)
	}
	return nil
}

// nextCursor returns the cursor of a page as JSON; nil on the last one.
func nextCursor(page []byte) (json.RawMessage, error) {
	if !bytes.Contains(page, []byte(`"nextCursor":`)) {
		return nil, nil
	}
	var result struct{ NextCursor *json.RawMessage } // nil for null
	if err := json.Unmarshal(page, &result); err != nil || result.NextCursor == nil {
		return nil, err
	}
	return *result.NextCursor, nil
}
