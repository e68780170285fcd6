package mcptool

import "time"

// Content is one block of what a tool answers: [Text], [Image], [Audio],
// [ResourceLink] or [EmbeddedResource]. The set is closed, because the protocol
// closes it. Blocks are checked when the func returns them; one that breaks a
// rule written at its type is an [*OutputError].
type Content interface {
	// finish checks the block and returns it as a plain value, fit to send.
	finish(*findings) Content
}

// Text is prose, code or data for the model to read. U+FFFD is sent in the place of what is not UTF-8, and
// of characters that nobody sees and that change how the text around them reads: control
// characters but tabs and ends of lines, marks that turn the direction of text, Unicode tags. What must
// arrive byte for byte is the Blob of an [EmbeddedResource], or a part of a structured result.
type Text struct {
	Text        string
	Annotations *Annotations
	Meta        map[string]any
}

// Image is a picture. Data holds the file as it is, not base64, and is not
// empty; MIMEType is required and starts with "image/".
type Image struct {
	Data        []byte
	MIMEType    string
	Annotations *Annotations
	Meta        map[string]any
}

// Audio is a recording. Data holds the file as it is, not base64, and is not
// empty; MIMEType is required and starts with "audio/". Clients of revision
// 2024-11-05 know no audio and get the same bytes as an embedded resource.
type Audio struct {
	Data        []byte
	MIMEType    string
	Annotations *Annotations
	Meta        map[string]any
}

// ResourceLink points at something the client may fetch. URI and Name are
// required; URI is absolute, and https only when the client can fetch it without
// the server's help, and without a step ".." in its path otherwise. Size is in bytes, nil when unknown. Clients older than
// revision 2025-06-18 get the link as text.
type ResourceLink struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string
	Size        *int64
	Icons       []Icon
	Annotations *Annotations
	Meta        map[string]any
}

// EmbeddedResource carries the content of a resource itself. URI is required,
// absolute and without a step ".." in its path. A Blob that is not nil makes it binary, and Text must then be empty;
// otherwise it is text, which may be empty: an empty file is still a file. A server of tools
// alone has no resources that a client could read again by their URI; where that
// matters, give a [ResourceLink] with an https URI, or [Text].
type EmbeddedResource struct {
	URI         string
	MIMEType    string
	Text        string
	Blob        []byte
	Annotations *Annotations
	Meta        map[string]any
}

// Annotations tell a client how to treat a block; it need not follow them.
type Annotations struct {
	// Audience names who the block is for: "user", "assistant", or both. Empty says nothing.
	Audience []string
	// Priority runs from 0, optional, to 1, required. Nil says nothing.
	Priority *float64
	// LastModified is when the resource behind the block changed. Zero says nothing.
	// It is left out for clients older than revision 2025-06-18.
	LastModified time.Time
}
