package skills

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// directory is a directory in a skill or above one.
type directory struct {
	uri      string
	entry    json.RawMessage // its entry in the list of the parent directory
	skills   []*skill        // skills that contain it, or that are below it
	files    []*file
	inner    []*directory
	children []child // files and directories, by URI
}

// child is a file or directory in a directory.
type child struct {
	uri       string
	entry     json.RawMessage
	isVisible func(context.Context) bool
}

// directory returns the directory with a path. It creates the directory and its parents if necessary.
func (s *server) directory(name string) *directory {
	uri := uriOf(name)
	if d := s.directories[uri]; d != nil {
		return d
	}
	entry := rawjson.AppendString(rawjson.AppendName([]byte{'{'}, "uri"), uri)
	entry = rawjson.AppendString(rawjson.AppendName(entry, "name"), path.Base(name))
	d := &directory{uri: uri, entry: append(entry, `,"mimeType":"inode/directory"}`...)}
	s.directories[uri] = d
	if above := path.Dir(name); above != "." {
		p := s.directory(above)
		p.inner = append(p.inner, d)
	}
	return d
}

// of records that the directory is in the skill, or above it.
func (d *directory) of(k *skill) {
	if !slices.Contains(d.skills, k) {
		d.skills = append(d.skills, k)
	}
}

// finish collects and sorts the children.
func (d *directory) finish() {
	for _, f := range d.files {
		d.children = append(d.children, child{f.uri(), f.entry, func(ctx context.Context) bool { return runtime.IsVisible(ctx, f.resource) }})
	}
	for _, inner := range d.inner {
		d.children = append(d.children, child{inner.uri, inner.entry, inner.isVisible})
	}
	slices.SortFunc(d.children, func(a, b child) int { return strings.Compare(a.uri, b.uri) })
}

// isVisible reports whether the directory exists for the caller, which is the case if one of its skills does.
func (d *directory) isVisible(ctx context.Context) bool {
	return slices.ContainsFunc(d.skills, func(k *skill) bool { return k.isVisible(ctx) })
}

// isVisible reports whether the skill exists for the caller.
func (s *skill) isVisible(ctx context.Context) bool {
	return runtime.IsVisible(ctx, s.manifest.resource)
}

// entryOf returns the entry of a file for resources/directory/read, which is the same as for resources/list.
func entryOf(r *mcptool.Resource) json.RawMessage {
	link := r.Link()
	dst := rawjson.AppendString(rawjson.AppendName([]byte{'{'}, "uri"), link.URI)
	dst = rawjson.AppendString(rawjson.AppendName(dst, "name"), link.Name)
	if text := link.Description; text != "" {
		dst = rawjson.AppendString(rawjson.AppendName(dst, "description"), text)
	}
	dst = rawjson.AppendString(rawjson.AppendName(dst, "mimeType"), link.MIMEType)
	if size := link.Size; size != nil {
		dst = strconv.AppendInt(rawjson.AppendName(dst, "size"), *size, 10)
	}
	if notes := link.Annotations; notes != nil {
		dst = append(rawjson.AppendName(dst, "annotations"), '{')
		if len(notes.Audience) > 0 {
			dst = rawjson.AppendStrings(rawjson.AppendName(dst, "audience"), notes.Audience)
		}
		if notes.Priority != nil {
			dst = rawjson.AppendFloat(rawjson.AppendName(dst, "priority"), *notes.Priority)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

type (
	directoryIn struct {
		URI    *string `json:"uri,omitzero"`
		Cursor *string `json:"cursor,omitzero"`
	}
	directoryOut struct {
		Resources  []json.RawMessage `json:"resources"`
		NextCursor string            `json:"nextCursor,omitzero"`
	}
)

// readDirectory answers resources/directory/read.
func (s *server) readDirectory(ctx context.Context, in directoryIn) (directoryOut, error) {
	if in.URI == nil {
		return directoryOut{}, missingURI()
	}
	d := s.directories[*in.URI]
	if d == nil || !d.isVisible(ctx) {
		if f := s.files[*in.URI]; f != nil && runtime.IsVisible(ctx, f.resource) {
			return directoryOut{}, unknown(*in.URI, "%s is a file, not a directory; read it with resources/read")
		}
		return directoryOut{}, unknown(*in.URI, "unknown directory %s")
	}
	var entries []json.RawMessage
	for _, c := range d.children {
		if c.isVisible(ctx) {
			entries = append(entries, c.entry)
		}
	}
	page, next, err := runtime.Page(ctx, entries, uriIn, in.Cursor)
	return directoryOut{page, next}, err
}
