package reflectschema

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// parseCount reads a number of characters, elements or members.
func parseCount(seg segment, n *node) (json.RawMessage, *fault) {
	count, err := strconv.ParseUint(seg.value, 10, 31)
	if err != nil || !isInteger().MatchString(seg.value) {
		return nil, &fault{reason: fmt.Sprintf("%q is not a count", seg.value), fix: "write a whole number from 0 to 2147483647"}
	}
	if shapeOf(n) == onBytes && count%4 != 0 {
		return nil, &fault{
			reason: fmt.Sprintf("no base64 text has %d characters: each 3 bytes, or what is left of them, are 4", count),
			fix:    fmt.Sprintf("write %s=%d for %s", seg.keyword.name, (count+2)/3*4, show.Plural(seg.value, "byte")),
		}
	}
	return json.RawMessage(seg.value), nil
}
