package reflectschema

import (
	"cmp"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// idleReason says why a keyword of a schema has no effect, whatever the dialect; "" if it may have one.
func idleReason(d *jsondoc.Value, k jsondoc.Keyword) string {
	if given := d.Get("type"); given != nil && k.SaysNothingElsewhere() {
		types := given.Types()
		if types != 0 && types&k.About == 0 {
			return "which says nothing about the type " + cmp.Or(given.Text(), strings.Join(given.Texts(), " or "))
		}
	}
	if k.Beside != "" && d.Get(k.Beside) == nil {
		return "which means nothing without " + k.Beside
	}
	return ""
}
