package reflectschema

import (
	"regexp"
	"strings"

	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// checkPattern refuses a pattern that the two readers of it would take
// differently or not at all: Go's RE2 here, ECMAScript with the u flag in the
// validators of most clients.
func checkPattern(pattern string) *fault {
	if pattern == "" {
		return &fault{reason: "pattern has no value", fix: "write a regular expression, or drop the keyword"}
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return &fault{
			reason: strings.TrimPrefix(err.Error(), "error parsing regexp: "),
			fix:    `use RE2 syntax, in a tag with \\ for \ and \\, for a comma`,
		}
	}
	if d := rules.NotECMA(pattern); d != nil {
		return &fault{reason: d.Reason, fix: d.Fix}
	}
	return nil
}
