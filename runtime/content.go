package runtime

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/mcptool"
)

// appendBlock appends a content block in a form that revision v has. The blocks are
// closed unions: a client may refuse a whole result for one kind it does not know.
// The number n of the block makes up a name where the form wants one.
func appendBlock(dst []byte, block mcptool.Content, v version, n int) []byte {
	switch b := block.(type) {
	case mcptool.Text:
		return appendTextBlock(dst, b, v)
	case mcptool.Image:
		return appendMedia(dst, "image", b, v)
	case mcptool.Audio:
		if !v.has(audioBlocks) {
			return appendBlock(dst, audioAsResource(b, n), v, n)
		}
		return appendMedia(dst, "audio", mcptool.Image(b), v)
	case mcptool.ResourceLink:
		if !v.has(resourceLinks) {
			return appendTextBlock(dst, linkAsText(b), v)
		}
		return appendLink(dst, b, v)
	case mcptool.EmbeddedResource:
		return appendResource(dst, b, v)
	default:
		return dst // mcptool closes the set, and leaves no pointers and no nil in results
	}
}

// openBlock appends the start of a block.
func openBlock(dst []byte, kind string) []byte {
	return appendText(append(jsonwrite.Comma(dst), '{'), "type", kind)
}

// closeBlock appends what all blocks end with.
func closeBlock(dst []byte, a *mcptool.Annotations, meta map[string]any, v version) []byte {
	return append(appendMeta(appendAnnotations(dst, a, v), meta, v), '}')
}

func appendTextBlock(dst []byte, b mcptool.Text, v version) []byte {
	return closeBlock(appendSaid(openBlock(dst, "text"), "text", b.Text), b.Annotations, b.Meta, v)
}

// appendMedia appends a picture, or a recording, which has the same members.
func appendMedia(dst []byte, kind string, b mcptool.Image, v version) []byte {
	dst = appendBase64(openBlock(dst, kind), "data", b.Data)
	return closeBlock(appendText(dst, "mimeType", b.MIMEType), b.Annotations, b.Meta, v)
}

func appendLink(dst []byte, b mcptool.ResourceLink, v version) []byte {
	dst = appendText(openBlock(dst, "resource_link"), "uri", b.URI)
	dst = appendSaid(dst, "name", b.Name)
	dst = appendSaidOptional(dst, "title", b.Title)
	dst = appendSaidOptional(dst, "description", b.Description)
	dst = appendOptional(dst, "mimeType", b.MIMEType)
	if b.Size != nil {
		dst = strconv.AppendInt(jsonwrite.Name(dst, "size"), *b.Size, 10)
	}
	return closeBlock(appendIcons(dst, b.Icons, v), b.Annotations, b.Meta, v)
}

func appendResource(dst []byte, b mcptool.EmbeddedResource, v version) []byte {
	dst = append(jsonwrite.Name(openBlock(dst, "resource"), "resource"), '{')
	dst = appendText(dst, "uri", b.URI)
	dst = appendOptional(dst, "mimeType", b.MIMEType)
	if b.Blob != nil {
		dst = appendBase64(dst, "blob", b.Blob)
	} else {
		dst = appendSaid(dst, "text", b.Text)
	}
	return closeBlock(append(dst, '}'), b.Annotations, b.Meta, v)
}

// appendBase64 appends a member that is binary data.
func appendBase64(dst []byte, name string, data []byte) []byte {
	dst = append(jsonwrite.Name(dst, name), '"')
	return append(base64.StdEncoding.AppendEncode(dst, data), '"')
}

// appendAnnotations appends the annotations of a block, if there is anything in
// them that v has.
func appendAnnotations(dst []byte, a *mcptool.Annotations, v version) []byte {
	if a == nil {
		return dst
	}
	start := len(dst)
	dst = append(jsonwrite.Name(dst, "annotations"), '{')
	empty := len(dst)
	if len(a.Audience) > 0 {
		dst = appendStrings(jsonwrite.Name(dst, "audience"), a.Audience)
	}
	if a.Priority != nil {
		dst = jsonwrite.Float(jsonwrite.Name(dst, "priority"), *a.Priority)
	}
	if !a.LastModified.IsZero() && v.has(lastModified) {
		dst = appendText(dst, "lastModified", a.LastModified.UTC().Format(time.RFC3339))
	}
	if len(dst) == empty {
		return dst[:start]
	}
	return append(dst, '}')
}

// audioAsResourceLimit is the largest recording that is sent as a resource to clients
// that know no audio. They can only store it, or put it before a model as text.
const audioAsResourceLimit = 1 << 20

// audioAsResource is a recording for clients that know no audio: the same bytes as an embedded
// resource, or a line of text when they are many.
func audioAsResource(b mcptool.Audio, n int) mcptool.Content {
	if len(b.Data) > audioAsResourceLimit {
		text := fmt.Sprintf("[A recording of type %s and %d bytes was left out: this client's protocol has no audio.]", b.MIMEType, len(b.Data))
		return mcptool.Text{Text: text, Annotations: b.Annotations, Meta: b.Meta}
	}
	return mcptool.EmbeddedResource{
		URI:      "attachment:audio/" + strconv.Itoa(n+1),
		MIMEType: b.MIMEType, Blob: b.Data, Annotations: b.Annotations, Meta: b.Meta,
	}
}

// linkAsText is a link for clients that know no links.
func linkAsText(b mcptool.ResourceLink) mcptool.Text {
	text := b.Name + ": " + b.URI
	var facts []string
	if b.MIMEType != "" {
		facts = append(facts, b.MIMEType)
	}
	if b.Size != nil {
		facts = append(facts, strconv.FormatInt(*b.Size, 10)+" bytes")
	}
	if len(facts) > 0 {
		text += " (" + strings.Join(facts, ", ") + ")"
	}
	if b.Description != "" {
		text += "\n" + b.Description
	}
	return mcptool.Text{Text: text, Annotations: b.Annotations, Meta: b.Meta}
}
