package mcptool

import "time"

// Content is one content block of a result: a [Text], [Image], [Audio], [ResourceLink] or [EmbeddedResource], or a
// pointer to one. Other packages cannot implement it, since the protocol defines these types only. Blocks are checked
// when the func returns them; a block that breaks a rule of its type causes an [*OutputError]. Clients of a revision
// that does not have the type get a replacement, which the documentation of the type describes.
type Content interface {
	// A type of content is a row of three: its rules, its form on the wire, and what it is for clients that lack it.
	// It has all of them or does not compile. TestContentChecked, and TestContentSent in package runtime, go over all types.

	// finish checks the block and returns it as a plain value, fit to send.
	finish(*findings) Content
	// write appends the block in the form of its own type.
	write(blockWriter) []byte
	// older returns what clients of the revision get in place of the nth block of a list, nil if that is the block itself.
	older(revision string, n int) Content
}

// Annotations are hints about a content block. A client may ignore them.
type Annotations struct {
	// Audience lists whom the block is for: "user", "assistant", or both. Empty means unset.
	Audience []string
	// Priority ranges from 0 (optional) to 1 (required). Nil means unset.
	Priority *float64
	// LastModified is when the content of the block was last modified. Zero means unset. It is not sent to clients
	// older than revision 2025-06-18.
	LastModified time.Time
}
