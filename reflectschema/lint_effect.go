package reflectschema

import (
	"cmp"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// effectTypes are the types that a keyword says something about; of values of other types all meet it. Those
// that are not here are about every type, or close an object or array, which does no harm elsewhere.
var effectTypes = func() map[string]jsondoc.Types {
	all := map[string]jsondoc.Types{}
	for types, names := range map[jsondoc.Types]string{
		jsondoc.TypeString: "minLength maxLength pattern",
		jsondoc.TypeNumber: "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
		jsondoc.TypeArray:  "items prefixItems minItems maxItems uniqueItems contains minContains maxContains",
		jsondoc.TypeObject: "properties patternProperties required propertyNames minProperties maxProperties dependentRequired dependentSchemas",
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] = types
		}
	}
	return all
}()

// dependsOn are keywords that mean something only beside another one.
var dependsOn = map[string]string{"then": "if", "else": "if", "minContains": "contains", "maxContains": "contains"}

// idleReason says why a keyword of a schema has no effect, whatever the dialect; "" if it may have one.
func idleReason(d *jsondoc.Value, keyword string) string {
	if about := effectTypes[keyword]; about != 0 && d.Get("type") != nil {
		given := d.Get("type")
		types := given.Types()
		if types != 0 && types&about == 0 {
			return "which says nothing about the type " + cmp.Or(given.Text(), strings.Join(given.Texts(), " or "))
		}
	}
	if other := dependsOn[keyword]; other != "" && d.Get(other) == nil {
		return "which means nothing without " + other
	}
	return ""
}
