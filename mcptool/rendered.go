package mcptool

// rendered is the result of a prompt or resource in the code that is shared with tools: the only block of a [Result].
// Its values are checked and ready to be sent. It is never sent as a content block itself.
type rendered struct {
	Prompt   *PromptResult
	contents []ResourceContents
	Links    []ResourceLink
	Next     string // cursor of the page after Links, "" if there is none

	Values []string // suggestions, the best first: at most 100
	Total  int      // number of suggestions before the cut to 100
}

func (r rendered) finish(*findings) Content { return r }
func (rendered) write(w blockWriter) []byte { return w.open("text").prose("text", "").close(nil, nil) }
func (rendered) older(string, int) Content  { return nil }
func (r rendered) result() (*Result, error) { return &Result{Content: []Content{r}}, nil }

// renderedIn returns the block that a result of a prompt or resource contains; zero if there is none.
func renderedIn(res *Result) (held rendered) {
	if res != nil && len(res.Content) == 1 {
		held, _ = res.Content[0].(rendered)
	}
	return held
}
