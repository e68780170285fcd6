package wire

import (
	"encoding/base64"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
)

// AppendResource appends a resource in the form of resources/list for revision v, or a template in the form of
// resources/templates/list.
func AppendResource(dst []byte, r *mcptool.Resource, v Version) []byte {
	uri, link := "uri", r.Link()
	if internals.IsTemplate(r) {
		uri = "uriTemplate"
	}
	return internals.AppendLink(dst, uri, &link, &contentForms[v], nil)
}

// AppendLink appends a resource that the list function of a template has returned, in the form of resources/list for
// revision v.
func AppendLink(dst []byte, link *mcptool.ResourceLink, v Version, redactor Redactor) []byte {
	return internals.AppendLink(dst, "uri", link, &contentForms[v], redactor)
}

// AppendContents appends a part of the contents of a resource, as the next element of a list. Text is neither redacted
// nor sanitized, because clients may compare it with digests.
func AppendContents(dst []byte, c *mcptool.ResourceContents, v Version) []byte {
	dst = AppendText(append(rawjson.AppendComma(dst), '{'), "uri", c.URI)
	dst = AppendOptional(dst, "mimeType", c.MIMEType)
	if c.Blob != nil {
		dst = rawjson.Grow(rawjson.AppendName(dst, "blob"), base64.StdEncoding.EncodedLen(len(c.Blob))+len(`""`))
		dst = append(base64.StdEncoding.AppendEncode(append(dst, '"'), c.Blob), '"')
	} else {
		dst = AppendText(dst, "text", c.Text)
	}
	return append(appendMeta(dst, c.Meta, v), '}')
}

// AppendJSONContents appends contents whose text is value, JSON as the encoders of this module write it. uri and
// mimeType are JSON strings.
func AppendJSONContents(dst, uri, mimeType, value []byte) []byte {
	dst = append(rawjson.AppendName(append(rawjson.AppendComma(dst), '{'), "uri"), uri...)
	dst = append(rawjson.AppendName(dst, "mimeType"), mimeType...)
	return append(rawjson.AppendQuoted(rawjson.AppendName(dst, "text"), value), '}')
}
