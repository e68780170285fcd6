package private

// Content are the funcs about content that servers need. C is mcptool.Content, I is mcptool.Icon, A is *mcptool.Annotations.
type Content[C, I, A any] struct {
	// Append appends a block, as the next element of a list, in the form that the clients of a revision know; what the
	// revision lacks is replaced by what it has. Words of the tool pass through redact, unless that is nil. The number n
	// of the block in its list makes up a name where the form wants one.
	Append func(dst []byte, block C, form *ContentForm, redact func(string) string, n int) []byte
	// Older returns what clients of the revision get in place of the nth block of a list, nil if that is the block itself.
	Older func(block C, revision string, n int) C
	// AppendIcons appends a list of icons.
	AppendIcons func(dst []byte, icons []I) []byte
	// AppendAnnotations appends the member annotations, if there is anything in them that the revision has. A nil A has
	// nothing.
	AppendAnnotations func(dst []byte, notes A, form *ContentForm) []byte
	// CheckIcon reports what is wrong with an icon, all of it, or nil if clients take it. Icons of tools and of content are
	// checked where they are given; the others are for a server to check.
	CheckIcon func(I) error
}

// ContentForm is what a revision has of the members that all types of content share.
type ContentForm struct {
	Revision     string
	Meta         bool // _meta
	Icons        bool
	LastModified bool // in annotations
}
