package runtime

import (
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
)

// contents has the form of each type of content, which package mcptool knows.
var contents = private.Take[private.Content[mcptool.Content, mcptool.Icon]]()

// contentForms are what each revision has of content. The blocks are closed unions: a client may refuse a whole result
// for one type that it does not know.
var contentForms = func() (forms [latest + 1]private.ContentForm) {
	for v := range forms {
		v := version(v)
		forms[v] = private.ContentForm{Revision: v.String(), Meta: v.has(innerMeta), Icons: v.has(icons), LastModified: v.has(lastModified)}
	}
	return forms
}()

// appendBlock appends the nth content block of a list in a form that revision v has, without what is secret.
func (c *core) appendBlock(dst []byte, block mcptool.Content, v version, n int) []byte {
	var redact func(string) string
	if c.redact != nil {
		redact = c.redacted
	}
	return contents.Append(dst, block, &contentForms[v], redact, n)
}
