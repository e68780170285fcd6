package tag

// A Mistake is an error in a tag or a type that its author can correct, without its location.
type Mistake struct {
	Tag    string
	Reason string
	Fix    string
	near   *Keyword // the keyword that was probably meant, nil if none
}
