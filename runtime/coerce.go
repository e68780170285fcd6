package runtime

import "strings"

// coercion implements [callctx.Coercion] for a call.
type coercion call

// Coerces implements [callctx.Coercion].
func (c *coercion) Coerces() bool { return c.session.coerce && (*call)(c).isTool() }

// Record implements [callctx.Coercion]. It records the locations for the audit record, except for arguments of another
// tool that the tool calls.
func (c *coercion) Record(tool string, locations []string) {
	if c.tool != nil && c.tool.Name() == tool && c.session.isAudited() {
		text := strings.Join(locations, ", ")
		(*call)(c).needExtras().coerced.Store(&text)
	}
}

// recorded returns the recorded locations; "" if there are none.
func (c *coercion) recorded() string {
	if x := (*call)(c).extras(); x != nil {
		if text := x.coerced.Load(); text != nil {
			return *text
		}
	}
	return ""
}
