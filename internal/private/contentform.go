package private

// ContentForm has the members that a revision supports in all types of content.
type ContentForm struct {
	Revision     string
	Meta         bool // _meta
	Icons        bool
	LastModified bool // in annotations
}
