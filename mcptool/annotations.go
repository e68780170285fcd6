package mcptool

import (
	"fmt"
	"time"
)

// Annotations are hints about a content block. A client may ignore them.
type Annotations struct {
	// Audience lists the intended readers of the block. Empty means unset.
	Audience []Role
	// Priority ranges from 0 (optional) to 1 (required). Nil means unset.
	Priority *float64
	// LastModified is when the content of the block was last modified. Zero means unset. It is not sent to clients
	// older than revision 2025-06-18.
	LastModified time.Time
}

func (a *Annotations) check(fs *findings) {
	for i, who := range a.Audience {
		if who != RoleUser && who != RoleAssistant {
			fs.add(fmt.Sprintf("audience[%d]", i), fmt.Sprintf("%q is not a role of the protocol", who), `write "user" or "assistant"`)
		}
	}
	// The negated condition also rejects NaN.
	if p := a.Priority; p != nil && !(*p >= 0 && *p <= 1) {
		fs.add("priority", fmt.Sprintf("%v is not from 0 to 1", *p), "0 is optional, 1 is required")
	}
	if year := a.LastModified.UTC().Year(); !a.LastModified.IsZero() && (year < 0 || year > 9999) {
		fs.add("lastModified", fmt.Sprintf("year %d cannot be written in RFC 3339", year), "")
	}
}

// Role is the author of a [Message].
type Role string

// The roles of the protocol.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)
