package reflectschema

import (
	"fmt"
	"reflect"
)

// checkNull refuses the value null on a field that may be null, where it would be the text "null".
func (t *fieldTag) checkNull(seg segment, n *node) *fault {
	k, bare := seg.keyword, n.bare()
	if k.form != formValue || seg.value != "null" || n.kind != kindPointer && !t.has("nullable") {
		return nil
	}
	target := bare
	if shape := shapeOf(bare); k.name == "default" && (shape == onSlice || shape == onArray) && bare.elem != nil {
		target = bare.elem
	}
	if value, f := parseGoValue(seg.value, target); f != nil || string(value) != `"null"` {
		return nil
	}
	made := &fault{tag: seg.text, reason: fmt.Sprintf(`the %s would be the text "null"`, k.name)}
	switch {
	case k.name != "default":
		made.fix = "drop it: nullable lets null through beside every other keyword"
	case n.goType.Kind() == reflect.Pointer:
		made.fix = fmt.Sprintf("drop it: %s is nil when it is absent", n.goType)
	default:
		made.fix = fmt.Sprintf("write optional instead: %s is nil when it is absent", n.goType)
	}
	return made
}
