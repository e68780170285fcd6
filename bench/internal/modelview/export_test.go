package modelview

import "slices"

// GeminiWaits is the argument that Gemini CLI adds to each tool.
const GeminiWaits = geminiWaits

// Rules returns all rules of the client, in the order in which they are applied.
func (c *Client) Rules() []Rule {
	rules := slices.Clone(c.Notes)
	for i := range c.steps {
		rules = append(rules, c.steps[i].Rule)
	}
	return rules
}
