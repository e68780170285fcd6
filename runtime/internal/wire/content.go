package wire

import (
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Functions of other packages that are not in their APIs.
var (
	internals = mcptool.Internal(private.Key{})
	schemas   = reflectschema.Internal(private.Key{})
)

// contentForms are the features of each revision that affect content. Content blocks are closed unions: a client may
// reject a whole result because of one unknown type.
var contentForms = func() (forms [Latest + 1]private.ContentForm) {
	for v := range forms {
		v := Version(v)
		forms[v] = private.ContentForm{Revision: v.String(), Meta: v.Has(InnerMeta), Icons: v.Has(Icons), LastModified: v.Has(LastModified)}
	}
	return forms
}()

// AppendBlock appends the nth content block of a list, in a form that revision v has. Its texts are redacted by r.
func AppendBlock(dst []byte, block mcptool.Content, v Version, r Redactor, n int) []byte {
	return internals.AppendContent(dst, block, &contentForms[v], r, n)
}
