package runtime

import (
	"context"
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

// stored returns the origin of a task in the store; hello is nil if its client is a modern one.
func (c *core) stored(hello *handshake) *origin {
	o := &origin{core: c, parents: parents{ctx: context.Background()}, peer: nobody{}}
	o.hello.Store(hello)
	return o
}
