package mcptool

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Content is one content block of a result: a [Text], [Image], [Audio], [ResourceLink] or [EmbeddedResource], or a
// pointer to one. Other packages cannot implement it, since the protocol defines these types only. Blocks are checked
// when the func returns them; a block that breaks a rule of its type causes an [*OutputError]. Clients of a revision
// that does not have the type get a replacement, which the documentation of the type describes.
type Content interface {
	// A content type implements three methods: its checks, its JSON form, and its replacement for clients that do not
	// support it. TestContentChecked, and TestContentSent in package runtime, cover all types.

	// finish checks the block and returns a copy that can be sent: a value, not a pointer.
	finish(*findings) Content
	// write appends the block in its own JSON form.
	write(blockWriter) []byte
	// older returns the replacement for the nth block of a list for clients of the revision; nil if they support the
	// block.
	older(revision string, n int) Content
}

// contentTypes has a zero value of each type of content.
var contentTypes = []Content{Text{}, Image{}, Audio{}, ResourceLink{}, EmbeddedResource{}}

// Text is prose, code or data for the model to read. Terminal sequences, such as colours, are removed, and of a line that
// is overwritten after "\r", such as progress, the last state is kept. U+FFFD replaces invalid UTF-8 and invisible
// characters that change how the surrounding text reads: control characters except tabs and line ends, bidirectional
// marks except in text from right to left, Unicode tags.
type Text struct {
	Text string
	// Verbatim sends the text as it is, except that U+FFFD replaces invalid UTF-8 and that a server may redact it. Set
	// it only for text from a trusted source: invisible characters may hide instructions from people, and terminal
	// sequences may change what a client displays. For data that is not UTF-8, use the Blob of an [EmbeddedResource].
	Verbatim    bool
	Annotations *Annotations
	Meta        map[string]any
}

func (c Text) finish(fs *findings) Content {
	c.Text = strings.ToValidUTF8(c.Text, "\ufffd")
	c.Meta = finishBlock(fs, c.Annotations, c.Meta)
	return c
}

func (c Text) write(w blockWriter) []byte {
	write := blockWriter.prose
	if c.Verbatim {
		write = blockWriter.verbatim
	}
	return write(w.open("text"), "text", c.Text).close(c.Annotations, c.Meta)
}

func (Text) older(string, int) Content { return nil }

// Image is a picture. Data is the content of the file, not encoded as base64, and must not be empty. MIMEType is
// required and starts with "image/".
type Image struct {
	Data        []byte
	MIMEType    string
	Annotations *Annotations
	Meta        map[string]any
}

func (c Image) finish(fs *findings) Content {
	checkMedia(fs, c.Data, c.MIMEType, "image/", "image/png")
	c.Meta = finishBlock(fs, c.Annotations, c.Meta)
	return c
}

func (c Image) write(w blockWriter) []byte {
	return w.open("image").binary("data", c.Data).token("mimeType", c.MIMEType).close(c.Annotations, c.Meta)
}

func (Image) older(string, int) Content { return nil }

// Audio is a recording. Data is the content of the file, not encoded as base64, and must not be empty. MIMEType is
// required and starts with "audio/". Clients of revision 2024-11-05 do not support audio: they get the same data as an
// [EmbeddedResource], or if it is larger than 1 MiB a line of [Text] that describes it.
type Audio struct {
	Data        []byte
	MIMEType    string
	Annotations *Annotations
	Meta        map[string]any
}

func (c Audio) finish(fs *findings) Content {
	checkMedia(fs, c.Data, c.MIMEType, "audio/", "audio/wav")
	c.Meta = finishBlock(fs, c.Annotations, c.Meta)
	return c
}

func (c Audio) write(w blockWriter) []byte {
	return w.open("audio").binary("data", c.Data).token("mimeType", c.MIMEType).close(c.Annotations, c.Meta)
}

// audioAsResourceLimit is the largest recording that is sent as a resource to clients
// that have no audio. They can only store it, or put it before a model as text.
const audioAsResourceLimit = 1 << 20

func (c Audio) older(revision string, n int) Content {
	switch {
	case revision >= "2025-03-26":
		return nil
	case len(c.Data) > audioAsResourceLimit:
		text := fmt.Sprintf("[A recording of type %s and %d bytes was left out: this client's protocol has no audio.]", c.MIMEType, len(c.Data))
		return Text{Text: text, Annotations: c.Annotations, Meta: c.Meta}
	default:
		return EmbeddedResource{Resource: ResourceContents{URI: "attachment:audio/" + strconv.Itoa(n+1), MIMEType: c.MIMEType, Blob: c.Data}, Annotations: c.Annotations, Meta: c.Meta}
	}
}

// EmbeddedResource contains the content of a resource. Its URI is required and absolute; unless it is an http or https
// URI, its path must not contain "..". The client has the content, so the URI need not belong to a [Resource] of the
// server, although the protocol recommends it. On a server that has no resources a client cannot read the URI later; if
// it must be able to, return a [ResourceLink] with an https URI instead. Its Text is changed like that of [Text].
type EmbeddedResource struct {
	Resource    ResourceContents
	Annotations *Annotations
	Meta        map[string]any
}

func (c EmbeddedResource) finish(fs *findings) Content {
	r := &c.Resource
	fs.within("resource", func() {
		checkURI(fs, "uri", r.URI)
		checkMIMEType(fs, r.MIMEType)
		if r.Text != "" && r.Blob != nil {
			fs.add("", "a resource must be text or a blob, not both", "set one of Text and Blob")
		}
		r.Meta = finishBlock(fs, nil, r.Meta)
	})
	r.Text = strings.ToValidUTF8(r.Text, "\ufffd")
	c.Meta = finishBlock(fs, c.Annotations, c.Meta)
	return c
}

func (c EmbeddedResource) write(w blockWriter) []byte {
	w = w.open("resource")
	w.dst = append(rawjson.AppendName(w.dst, "resource"), '{')
	r := &c.Resource
	w = w.token("uri", r.URI).optionalToken("mimeType", r.MIMEType)
	if r.Blob != nil {
		w = w.binary("blob", r.Blob)
	} else {
		w = w.prose("text", r.Text)
	}
	w.dst = w.close(nil, r.Meta)
	return w.close(c.Annotations, c.Meta)
}

func (EmbeddedResource) older(string, int) Content { return nil }

// ResourceLink refers to a resource that the client may read. URI and Name are required. URI is absolute: the URI of a
// [Resource] of the server, or an https URI that the client can fetch without the server. Unless the scheme is http or
// https, the path must not contain "..". Size is in bytes; nil means unknown. The other fields are optional. Clients
// older than revision 2025-06-18 get the link as [Text].
type ResourceLink struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string
	Size        *int64
	Icons       []Icon
	Annotations *Annotations
	Meta        map[string]any
}

func (c ResourceLink) finish(fs *findings) Content {
	checkURI(fs, "uri", c.URI)
	if c.Name == "" {
		fs.add("name", "it is required", "set Name, for example to the last element of the URI")
	}
	checkUTF8(fs, "name", c.Name)
	checkUTF8(fs, "title", c.Title)
	checkUTF8(fs, "description", c.Description)
	checkMIMEType(fs, c.MIMEType)
	if c.Size != nil && *c.Size < 0 {
		fs.add("size", fmt.Sprintf("%d is negative", *c.Size), "leave Size nil when it is unknown")
	}
	checkIcons(fs, c.Icons)
	c.Meta = finishBlock(fs, c.Annotations, c.Meta)
	return c
}

func (c ResourceLink) write(w blockWriter) []byte {
	return c.writeMembers(w.open("resource_link"), "uri")
}

// writeMembers writes the members that a link has in a result and in a list, and ends it. The uri is the name of the member
// for the URI. Older revisions have no titles in lists: the description is then the title, unless it is set.
func (c ResourceLink) writeMembers(w blockWriter, uri string) []byte {
	w = w.token(uri, c.URI).prose("name", c.Name)
	if w.form.Revision >= "2025-06-18" {
		w = w.optionalProse("title", c.Title)
	} else {
		c.Description = cmp.Or(c.Description, c.Title)
	}
	w = w.optionalProse("description", c.Description).optionalToken("mimeType", c.MIMEType)
	if c.Size != nil {
		w.dst = strconv.AppendInt(rawjson.AppendName(w.dst, "size"), *c.Size, 10)
	}
	if len(c.Icons) > 0 && w.form.Icons {
		w = w.icons(c.Icons)
	}
	return w.close(c.Annotations, c.Meta)
}

func (c ResourceLink) older(revision string, _ int) Content {
	if revision >= "2025-06-18" {
		return nil
	}
	text := c.Name + ": " + c.URI
	var facts []string
	if c.MIMEType != "" {
		facts = append(facts, c.MIMEType)
	}
	if c.Size != nil {
		facts = append(facts, strconv.FormatInt(*c.Size, 10)+" bytes")
	}
	if len(facts) > 0 {
		text += " (" + strings.Join(facts, ", ") + ")"
	}
	if c.Description != "" {
		text += "\n" + c.Description
	}
	return Text{Text: text, Annotations: c.Annotations, Meta: c.Meta}
}
