package lint

import (
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A Sample is the result of a sample call of a tool.
type Sample struct {
	Tool      string
	Arguments json.RawMessage
	Result    *client.Result
}

// results checks the sizes of results. Clients show their model the texts or the structured content, so the larger one counts.
// Images and other bytes do not count.
func (c *checker) results(all []Sample) {
	for _, s := range all {
		texts := 0
		for i := range s.Result.Content {
			texts += len(s.Result.Content[i].Text)
		}
		if tokens := Tokens(max(texts, len(s.Result.StructuredContent))); tokens > MaxResult {
			c.add("large-result", s.Tool, "result", fmt.Sprintf("about %d tokens for the arguments %s", tokens, short(string(s.Arguments))))
		}
	}
}
