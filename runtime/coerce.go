package runtime

import "strings"

// coercion is a call that is asked about arguments of a wrong type, see [callctx.Coercion].
type coercion call

// Coerces implements [callctx.Coercion].
func (c *coercion) Coerces() bool { return c.session.coerce && (*call)(c).isTool() }

// Record implements [callctx.Coercion]: it records the locations for the audit. If the tool calls another one, the arguments
// of that one do not count.
func (c *coercion) Record(tool string, locations []string) {
	if c.tool != nil && c.tool.Name() == tool && c.session.isAudited() {
		text := strings.Join(locations, ", ")
		(*call)(c).needExtras().coerced.Store(&text)
	}
}

// recorded returns the recorded locations, "" if there are none.
func (c *coercion) recorded() string {
	if x := (*call)(c).extras(); x != nil {
		if text := x.coerced.Load(); text != nil {
			return *text
		}
	}
	return ""
}
