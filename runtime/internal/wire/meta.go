package wire

import (
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
)

// The members of _meta that the protocol defines and package runtime sends.
const (
	metaServerInfo     = envelope.MetaPrefix + "serverInfo"
	MetaSubscriptionID = envelope.MetaPrefix + "subscriptionId"
)

// The members of _meta that make a request modern.
const (
	MetaProtocolVersion    = envelope.MetaPrefix + "protocolVersion"
	MetaClientCapabilities = envelope.MetaPrefix + "clientCapabilities"
	MetaClientInfo         = envelope.MetaPrefix + "clientInfo"
	MetaLogLevel           = envelope.MetaPrefix + "logLevel"
)

// appendMeta appends the _meta of a tool, if it has one and v has it there.
func appendMeta(dst []byte, meta map[string]any, v Version) []byte {
	if len(meta) == 0 || !v.Has(InnerMeta) {
		return dst
	}
	dst = append(jsonwrite.Name(dst, "_meta"), '{')
	return append(jsonwrite.RawMembers(dst, meta), '}')
}
