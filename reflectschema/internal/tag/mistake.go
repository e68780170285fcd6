package tag

// A Mistake is what an author has to correct in a tag or a type, without its location.
type Mistake struct {
	Tag    string
	Reason string
	Fix    string
	near   *Keyword // the keyword that was probably meant, nil if none
}
