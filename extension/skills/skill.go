package skills

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"strconv"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/mediatype"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
)

// skill is a skill in the form in which it is served.
type skill struct {
	path        string // of its directory, in URIs
	head        frontmatter
	manifest    *file
	files       []*file
	directories []string        // paths, in URIs, of its directory and all directories below
	entry       json.RawMessage // its entry in skills/list and skills/get
}

// served returns the path in URIs of a file or directory of the skill, whose directory in the tree is dir.
func (s *skill) served(name, dir string) string {
	if dir == "." {
		return path.Join(s.path, name)
	}
	return name
}

// uri returns the URI of the skill, which is the URI of its SKILL.md.
func (s *skill) uri() string { return s.manifest.uri() }

// encode sets the entry.
func (s *skill) encode() {
	dst := rawjson.AppendString(rawjson.AppendName([]byte{'{'}, "uri"), s.uri())
	dst = append(rawjson.AppendName(dst, "frontmatter"), s.head.json...)
	dst = append(rawjson.AppendName(dst, "resources"), '[')
	for _, f := range s.files {
		dst = rawjson.AppendString(rawjson.AppendName(append(rawjson.AppendComma(dst), '{'), "uri"), f.uri())
		dst = rawjson.AppendString(rawjson.AppendName(dst, "digest"), f.digest)
		dst = append(strconv.AppendInt(rawjson.AppendName(dst, "size"), int64(f.size), 10), '}')
	}
	s.entry = append(dst, "]}"...)
}

// file is a file of one or more skills.
type file struct {
	path     string // in URIs
	resource *mcptool.Resource
	digest   string // of the contents that clients read, in the form of entries
	size     int
	entry    json.RawMessage // its entry in resources/directory/read
}

func (f *file) uri() string { return f.resource.URI() }

// errSingle rejects options that apply to a single resource.
var errSingle = &mcptool.RegisterError{Mistakes: []mcptool.Mistake{{Reason: "Title, Icons and Meta describe a single resource, but these options apply to every file", Fix: "leave them out"}}}

// newFile returns a file with these options in addition to the options of a skill file.
func newFile(name string, data []byte, label, description string, opts []mcptool.ResourceOption) (*file, error) {
	contents := contentsOf(name, data)
	own := []mcptool.ResourceOption{
		mcptool.Name(label), mcptool.URI(uriOf(name)), mcptool.MIMEType(contents.MIMEType), mcptool.Size(int64(len(data))), mcptool.Verbatim(true),
	}
	if description != "" {
		own = append(own, mcptool.Description(description))
	}
	read := func(context.Context, struct{}) (mcptool.ResourceContents, error) { return contents, nil }
	resource, err := mcptool.NewResource(read, append(own, opts...)...)
	if err != nil {
		return nil, err
	}
	if info := resource.Info(); info.Title != "" || info.Icons != nil || info.Meta != nil {
		return nil, errSingle
	}
	sum := sha256.Sum256(data)
	f := &file{path: name, resource: resource, digest: "sha256:" + hex.EncodeToString(sum[:]), size: len(data)}
	f.entry = entryOf(resource)
	return f, nil
}

// contentsOf returns the contents that clients read: exactly the bytes of the file, as text if possible.
func contentsOf(name string, data []byte) mcptool.ResourceContents {
	mediaType := mediatype.Of(name)
	isText := utf8.Valid(data) && !bytes.ContainsRune(data, 0)
	switch {
	case mediaType == "" && isText:
		mediaType = "text/plain"
	case mediaType == "":
		mediaType = "application/octet-stream"
	}
	if isText && mediatype.IsText(mediaType) {
		return mcptool.ResourceContents{MIMEType: mediaType, Text: string(data)}
	}
	return mcptool.ResourceContents{MIMEType: mediaType, Blob: append([]byte{}, data...)}
}
