package wire

import (
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// The members of _meta that the protocol defines and package runtime sends.
const (
	metaServerInfo     = envelope.MetaPrefix + "serverInfo"
	MetaSubscriptionID = envelope.MetaPrefix + "subscriptionId"
)

// The members of _meta in which a client sends its revision and properties with each request; see [PerRequest].
const (
	MetaProtocolVersion    = envelope.MetaPrefix + "protocolVersion"
	MetaClientCapabilities = envelope.MetaPrefix + "clientCapabilities"
	MetaClientInfo         = envelope.MetaPrefix + "clientInfo"
	MetaLogLevel           = envelope.MetaPrefix + "logLevel"
)

// appendMeta appends the member _meta of something other than a result, unless meta is empty or revision v has no _meta
// there.
func appendMeta(dst []byte, meta map[string]any, v Version) []byte {
	if len(meta) == 0 || !v.Has(InnerMeta) {
		return dst
	}
	dst = append(rawjson.AppendName(dst, "_meta"), '{')
	return append(rawjson.AppendRawMembers(dst, meta), '}')
}
