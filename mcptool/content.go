package mcptool

import "time"

// Content is one content block of a result: a [Text], [Image], [Audio], [ResourceLink] or [EmbeddedResource], or a
// pointer to one. Other packages cannot implement it, since the protocol defines these types only. Blocks are checked
// when the func returns them; a block that breaks a rule of its type causes an [*OutputError]. Clients of a revision
// that does not have the type get a replacement, which the documentation of the type describes.
type Content interface {
	// A content type implements three methods: its checks, its JSON form, and its replacement for clients that do not
	// support it. TestContentChecked, and TestContentSent in package runtime, cover all types.

	// finish checks the block and returns a copy that can be sent: a value, not a pointer.
	finish(*findings) Content
	// write appends the block in its own JSON form.
	write(blockWriter) []byte
	// older returns the replacement for the nth block of a list for clients of the revision; nil if they support the
	// block.
	older(revision string, n int) Content
}

// Annotations are hints about a content block. A client may ignore them.
type Annotations struct {
	// Audience lists the intended readers of the block: "user", "assistant", or both. Empty means unset.
	Audience []string
	// Priority ranges from 0 (optional) to 1 (required). Nil means unset.
	Priority *float64
	// LastModified is when the content of the block was last modified. Zero means unset. It is not sent to clients
	// older than revision 2025-06-18.
	LastModified time.Time
}
