package mcptool

import (
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// truncateMark is the mcp tag of a list in a result that may be cut from its end.
const truncateMark = "truncate"

// checkTruncate returns why a field cannot have its mcp tag, and the fix; "" if it is a list that may be cut.
func checkTruncate(f private.TaggedField) (reason, fix string) {
	switch {
	case f.Tag != truncateMark && suggest.Nearest(f.Tag, []string{truncateMark}) != "":
		return fmt.Sprintf("%q has no meaning on this field", f.Tag), "write " + truncateMark
	case f.Tag != truncateMark:
		return "the mcp tag of a tool is only allowed on a blank field", "write it on a field _ struct{} of the argument struct"
	case f.IsInput:
		return "only results are truncated, and this is an argument", "remove the tag; maxItems limits what a client may send"
	case !f.IsList:
		return fmt.Sprintf("only lists are truncated, and %s is not one", f.Type), "remove the tag, or write it on a slice"
	case f.MinItems > 0 && f.MinItems == f.MaxItems:
		return fmt.Sprintf("a list of exactly %d elements cannot be shorter", f.MinItems), "remove the tag, or lower minItems"
	}
	return "", ""
}

// findLists finds the lists in results of the type that may be cut, and notes mistakes in fields with the tag.
func (d *definition) findLists(compiled *reflectschema.Type, t reflect.Type) {
	shorten, err := schemas.Shortener(compiled, checkTruncate)
	if err != nil {
		d.typeMistakes(err, "", t)
		return
	}
	d.shorten = shorten
}
