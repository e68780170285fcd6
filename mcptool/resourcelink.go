package mcptool

import (
	"fmt"
	"strconv"
	"strings"
)

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
	w = w.open("resource_link").token("uri", c.URI).prose("name", c.Name).optionalProse("title", c.Title).optionalProse("description", c.Description)
	return w.optionalToken("mimeType", c.MIMEType).size("size", c.Size).icons(c.Icons).close(c.Annotations, c.Meta)
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
