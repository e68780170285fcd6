package mcptool

import "time"

// Content is one block of a result: a [Text], [Image], [Audio], [ResourceLink] or [EmbeddedResource]. The set is
// closed, because it is closed in the protocol. Blocks are checked when the func returns them; one that breaks a rule
// of its type is an [*OutputError]. Clients of a revision without the type get a replacement that its documentation
// describes.
type Content interface {
	// A type of content is a row of three: its rules, its form on the wire, and what it is for clients that lack it.
	// It has all of them or does not compile; TestContentTypes goes over all types.

	// finish checks the block and returns it as a plain value, fit to send.
	finish(*findings) Content
	// write appends the block in the form of its own type.
	write(blockWriter) []byte
	// older returns what clients of the revision get in place of the nth block of a list, nil if that is the block itself.
	older(revision string, n int) Content
}

// Annotations are hints to a client about a block; it may ignore them.
type Annotations struct {
	// Audience is who the block is for: "user", "assistant", or both. Empty means unset.
	Audience []string
	// Priority runs from 0, optional, to 1, required. Nil means unset.
	Priority *float64
	// LastModified is when the resource behind the block changed. Zero means unset.
	// It is left out for clients older than revision 2025-06-18.
	LastModified time.Time
}
