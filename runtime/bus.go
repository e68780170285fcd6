package runtime

import (
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/private"
)

// BusProvider connects a server to its other instances, see [Server.Bus]. New of package runtime/bus returns the only
// implementation. It is in another package so that a server without a Bus does not link the code that uses it.
type BusProvider interface {
	// Connect is for this package; programs cannot call it.
	Connect(key private.Key, receive func(notify.Notice), log *slog.Logger) notify.Bus
}
