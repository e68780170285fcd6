package runtime

import (
	"encoding/json"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// handshake is the content of a legacy client's initialize.
type handshake struct {
	version wire.Version
	client  mcptool.ClientInfo

	capabilities []byte // JSON object: the capabilities of the client
	sessionID    string // see [mcptool.CallInfo]; "" without a session
}

// keptClient is the part of the client's handshake that is stored in [task.Durable].
type keptClient struct {
	Info         mcptool.ClientInfo `json:"info"`
	Capabilities json.RawMessage    `json:"capabilities,omitempty"`
}
