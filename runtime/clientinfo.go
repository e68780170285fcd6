package runtime

import (
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/mcptool"
)

// readClientInfo reads an Implementation object; it reports whether name and
// version were there.
func readClientInfo(raw []byte) (info mcptool.ClientInfo, ok bool) {
	var name, version bool
	members(raw, func(member string, value []byte) {
		if jsonscan.KindOf(value) != jsonscan.String {
			return
		}
		text := cut(string(jsonscan.Unquote(value)), envelope.IDLimit)
		switch member {
		case "name":
			info.Name, name = text, true
		case "version":
			info.Version, version = text, true
		case "title":
			info.Title = text
		}
	})
	return info, name && version
}
