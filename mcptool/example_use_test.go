package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Cached returns the earlier result for the same arguments. It is called once for each tool, so each tool has a cache of
// its own. (A cache for production is bounded, expires, and separates callers.)
func Cached(next mcptool.Handler) mcptool.Handler {
	var cache sync.Map // arguments -> *mcptool.Result
	return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
		if kept, ok := cache.Load(string(args)); ok {
			return kept.(*mcptool.Result), nil
		}
		res, err := next(ctx, args)
		if err == nil && !res.IsError {
			cache.Store(string(args), res)
		}
		return res, err
	}
}

var errBusy = errors.New("the line is busy")

// Retried calls the tool again while it fails with a temporary error.
func Retried(times int) mcptool.Middleware {
	return func(next mcptool.Handler) mcptool.Handler {
		return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			for range times {
				res, err := next(ctx, args)
				if !errors.Is(err, errBusy) {
					return res, err
				}
			}
			return next(ctx, args)
		}
	}
}

type LookupIn struct {
	Word string `json:"word"`
}

type LookupOut struct {
	Meaning string `json:"meaning"`
}

// The first middleware is outermost, so cached results skip the others.
func ExampleUse() {
	calls := 0
	lookup := func(_ context.Context, in LookupIn) (LookupOut, error) {
		if calls++; calls%2 == 1 {
			return LookupOut{}, fmt.Errorf("looking up %s: %w", in.Word, errBusy)
		}
		return LookupOut{Meaning: "the meaning of " + in.Word}, nil
	}
	tool, err := mcptool.New(lookup, mcptool.Name("lookup"), mcptool.Use(Cached, Retried(2)))
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		res, err := tool.Call(context.Background(), []byte(`{"word":"life"}`))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s after %d calls\n", res.Structured, calls)
	}
	// Output:
	// {"meaning":"the meaning of life"} after 2 calls
	// {"meaning":"the meaning of life"} after 2 calls
	// {"meaning":"the meaning of life"} after 2 calls
}
