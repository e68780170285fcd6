package runtime

import (
	"context"
	"sort"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Page returns one page of a list, for the answer of a [Method] that has pages as the lists of the protocol do. The
// items must be sorted by their keys, which must be unique. Cursor is the member cursor of the params: nil for the
// first page, and otherwise the nextCursor of the previous page. Next is the cursor of the next page; "" if this one is
// the last.
//
// A page has at most [Limits.ToolsPerPage] items of the server that answers the request in ctx, or 1000 without one,
// and at most half of [Limits.MaxResultBytes], but always at least one item. A cursor refers to a key: if items are
// added or removed between two requests, no other item is skipped or sent twice.
//
// The error is an [*Error] with [CodeInvalidParams] for a cursor that Page has not returned, including "", or the error
// of encoding an item as JSON.
func Page[T any](ctx context.Context, items []T, key func(T) string, cursor *string) (page []T, next string, err error) {
	limits := limitsOf(ctx)
	if cursor != nil {
		after, ok := wire.ReadCursor(rawjson.AppendString(nil, *cursor))
		if !ok {
			return nil, "", &Error{Code: CodeInvalidParams, Message: errBadCursor.Message}
		}
		items = items[sort.Search(len(items), func(i int) bool { return key(items[i]) > after }):]
	}
	size := 0
	for i, item := range items {
		raw, err := schemas.AppendValue(ctx, nil, item, false)
		if err != nil {
			return nil, "", err
		}
		if size += len(raw); i > 0 && (i == limits.ToolsPerPage || size > limits.MaxResultBytes/2) {
			return page, wire.WriteCursor(key(items[i-1])), nil
		}
		page = append(page, item)
	}
	return page, "", nil
}

// limitsOf returns the limits of the server that answers the request in ctx; without a server the default limits.
func limitsOf(ctx context.Context) *limits {
	if c := callOf(ctx); c != nil {
		return &c.from.limits
	}
	return &limits{defaultLimits, defaultFixedLimits}
}
