package reflectschema

import (
	"reflect"

	structtag "github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// TagDescription returns the description in a struct tag, and the key of the tag that contains it: doc,
// jsonschema_description or jsonschema. Both are "" if there is none. It does not report mistakes in the tag; [Compile]
// does.
func TagDescription(tag reflect.StructTag) (text, key string) {
	pairs, _ := structtag.Split(tag)
	read := structtag.Parse(pairs)
	if read.Description == "" {
		return "", ""
	}
	for _, p := range pairs {
		if p.Text == read.From {
			return read.Description, p.Key
		}
	}
	return read.Description, "jsonschema" // its keyword description
}
