package runtime

import (
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
)

// The members of _meta that the protocol defines and we send.
const (
	metaServerInfo     = envelope.MetaPrefix + "serverInfo"
	metaSubscriptionID = envelope.MetaPrefix + "subscriptionId"
)

// appendMeta appends the _meta of a tool, if it has one and v has it there.
func appendMeta(dst []byte, meta map[string]any, v version) []byte {
	if len(meta) == 0 || !v.has(innerMeta) {
		return dst
	}
	dst = append(jsonwrite.Name(dst, "_meta"), '{')
	return append(jsonwrite.RawMembers(dst, meta), '}')
}
