package runtime

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
)

// The members of _meta that the protocol defines and we send.
const (
	metaServerInfo     = envelope.MetaPrefix + "serverInfo"
	metaSubscriptionID = envelope.MetaPrefix + "subscriptionId"
)

// appendMetaMembers appends the members of a _meta that a tool gave, in the
// order of their names. Package mcptool has checked the names and encoded the
// values; one that is not encoded is not sent.
func appendMetaMembers(dst []byte, meta map[string]any) []byte {
	if len(meta) == 0 {
		return dst
	}
	for _, name := range slices.Sorted(maps.Keys(meta)) {
		raw, ok := meta[name].(json.RawMessage)
		if !ok {
			continue
		}
		dst = append(jsonwrite.String(jsonwrite.Comma(dst), name), ':')
		dst = append(dst, raw...)
	}
	return dst
}

// appendMeta appends the _meta of a tool or block, if it has one and v has it there.
func appendMeta(dst []byte, meta map[string]any, v version) []byte {
	if len(meta) == 0 || !v.has(innerMeta) {
		return dst
	}
	dst = append(jsonwrite.Name(dst, "_meta"), '{')
	return append(appendMetaMembers(dst, meta), '}')
}
