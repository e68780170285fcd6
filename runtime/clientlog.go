package runtime

import "github.com/mcptool-go/mcptool/runtime/internal/wire"

// ClientLog selects the clients that get the records of [mcptool.Logger] as notifications/message. For other clients
// the server does not declare the logging capability, and they cannot set a level. The zero value is [ClientLogLegacy].
//
// A client of a revision up to 2025-11-25 gets records of level info and above, until it sets another level with
// logging/setLevel. A client of a later revision gets records of the level that a request names in its _meta, and
// above, for that request only; without a level it gets none.
type ClientLog uint8

// The values of [ClientLog].
const (
	// ClientLogLegacy selects the clients of revisions up to 2025-11-25. It is the default, because revision 2026-07-28
	// deprecates logging to clients.
	ClientLogLegacy ClientLog = iota
	// ClientLogAll selects all clients.
	ClientLogAll
	// ClientLogNone selects no clients.
	ClientLogNone
)

// reaches reports whether clients of revision v may get log records.
func (l ClientLog) reaches(v wire.Version) bool {
	switch l {
	case ClientLogAll:
		return true
	case ClientLogNone:
		return false
	default:
		return !v.Has(wire.PerRequest)
	}
}
