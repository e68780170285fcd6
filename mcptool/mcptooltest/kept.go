package mcptooltest

import "encoding/json"

// resultsKey is the key of the extension results in the _meta of results that it has cut.
const resultsKey = "io.github.mcptool-go/results"

// keptResult describes a result that was cut, and is kept complete.
type keptResult struct {
	Handle string // "" if the result was not cut, or could not be kept
	Cut    []struct{ Path string }
}

// kept returns what is kept of a result.
func (a *answer) kept() (k keptResult) {
	if a.result == nil || json.Unmarshal(a.result.Meta[resultsKey], &k) != nil {
		return keptResult{}
	}
	return k
}

const wantKept = "the part of the result, which was cut and has this handle"
