package runtime

import (
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/setting"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// CacheHint is how long clients and intermediaries may cache a result, and whether they may share it. The zero value allows no caching.
type CacheHint struct {
	// TTL is how long the result may be cached; it is sent in milliseconds, rounded down. Zero means not at
	// all; a negative TTL is a mistake, which [Server.Check] returns.
	TTL time.Duration
	// Public allows one cached copy for all users. Set it only if all users get the same result. It has no effect on a
	// list while an item has scopes, a condition ([mcptool.VisibleIf]) or attachments ([mcptool.Attach]), and on the
	// list of resources while funcs list some of them ([mcptool.ListWith]).
	Public bool
}

// check returns an error if the hint of the field with this name has a mistake.
func (h CacheHint) check(name string) error {
	return setting.NotNegative(name+".TTL", h.TTL, "means no caching")
}

// append appends the hint as members of a result, if revision v has them.
func (h CacheHint) append(dst []byte, v wire.Version) []byte {
	if !v.Has(wire.PerRequest) {
		return dst
	}
	dst = strconv.AppendInt(rawjson.AppendName(dst, "ttlMs"), max(h.TTL.Milliseconds(), 0), 10)
	scope := "private"
	if h.Public {
		scope = "public"
	}
	return wire.AppendText(dst, "cacheScope", scope)
}
