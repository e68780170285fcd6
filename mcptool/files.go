package mcptool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/mediatype"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// Files returns a resource that serves a tree of files, to be added to a registry with [Registry.Add]. The prefix
// is the beginning of their URIs, up to and including a slash: with "docs://", the file guide/intro.md is
// docs://guide/intro.md. A name outside of ASCII is percent-encoded in the URI.
//
// The list has all regular files, in pages, with name, media type, size and time of the last modification; files and
// directories whose names begin with a dot are neither listed nor read. The media type is derived from the extension; if
// that is unknown, the list has none, and the contents are text/plain if they are UTF-8 and application/octet-stream
// otherwise. Text in UTF-8 is sent as text, anything else as a blob. A client that reads a directory gets the list of its
// entries as text, one name on a line. The request fails if the file is larger than the limit of the server. A completion
// of a path sends at most 100 names. Directories are read for each request, one at a time.
//
// Only files in the tree can be read: a URI with "..", an absolute path, a backslash or an encoded slash is not found.
// If fsys is of [os.DirFS] or implements [fs.ReadLinkFS], symbolic links are followed only to files inside of the tree
// that are not hidden. Because a link may be replaced between the check and the use, use [os.Root.FS] if others can
// write to the tree.
//
// The options are the same as for [NewResource], except URI, MIMEType and Size. The default of the name is the prefix.
// Mistakes are reported when the resource is added to a registry.
func Files(fsys fs.FS, uriPrefix string, opts ...ResourceOption) *Resource {
	f := &fileTree{fsys: fsys, reading: make(chan struct{}, 1)}
	location := callerLocation()
	var given definition
	apply(&given, opts, ResourceOption.applyToResource)
	own := []ResourceOption{URI(uriPrefix + "{+path}"), Name(uriPrefix)}
	if given.isSet(&given.Name) {
		own = own[:1]
	}
	own = append(own, ListWith(f.list), Complete("path", f.complete))
	read := erase(func(ctx context.Context, in fileIn) ([]ResourceContents, error) { return f.read(ctx, in.Path) })
	r, mistakes := defineResource(read, append(own, opts...), location)
	if fsys == nil {
		mistakes = append(mistakes, Mistake{Tool: uriPrefix, Reason: "the file system is nil", Fix: "pass an fs.FS, such as an embed.FS or that of os.OpenRoot"})
	}
	if !strings.HasSuffix(uriPrefix, "/") {
		mistakes = append(mistakes, Mistake{Tool: uriPrefix, Reason: fmt.Sprintf("the prefix %q does not end with a slash", uriPrefix), Fix: "end it with a slash, such as docs://"})
	}
	if given.isSet(&given.mimeType) {
		mistakes = append(mistakes, Mistake{Tool: uriPrefix, Reason: "the option MIMEType is set, and each file has its own media type", Fix: "remove the option"})
	}
	f.template, r.mistakes = r.uri, mistakes
	if r.runner.invoke == nil { // so that the registry reports the mistakes, not an empty resource
		r.runner.invoke = func(_ context.Context, _, dst []byte) ([]byte, *Result, error) { return dst, nil, errNoResource }
	}
	return r
}

// fileIn has the variable of the template, the path of a file.
type fileIn struct {
	Path string `json:"path" jsonschema:"maxLength=4096" doc:"Path of the file in the tree, with slashes"`
}

// fileTree serves the files of a file system.
type fileTree struct {
	fsys     fs.FS
	template *uritemplate.Template // nil if the prefix is a mistake
	reading  chan struct{}         // holds a value while a directory is read
	last     directory             // the last one that was read; who reads one may use it
}

// maxFilesPerPage is how many files are listed on a page of [ListWith].
const maxFilesPerPage = 500

// linkSize is the approximate memory of a list entry without its texts, in bytes.
const linkSize = 512

// errPageFull ends a walk when a page is complete.
var errPageFull = errors.New("the page is full")

// list lists the files whose names come after the one in the cursor.
func (f *fileTree) list(ctx context.Context, cursor string) (page []ResourceLink, next string, err error) {
	err = f.walk(ctx, ".", cursor, func(name string) error {
		link, ok := f.link(name)
		if !ok {
			return nil
		}
		if len(page) == maxFilesPerPage {
			next = page[len(page)-1].Name
			return errPageFull
		}
		if err := reserve(ctx, linkSize+len(link.URI)+len(name)); err != nil {
			return err
		}
		page = append(page, link)
		return nil
	})
	if err != nil && !errors.Is(err, errPageFull) {
		return nil, "", err
	}
	return page, next, nil
}

// directory is the list of a directory, as it was at some time.
type directory struct {
	name  string
	names []string // sorted; names of directories end with a slash
	bytes int      // memory of names
	read  time.Time
}

// readDir returns the sorted names in a directory that lists contain. Names of directories end with a slash. The caller
// must not modify the slice. It reads one directory at a time, because the entries take much memory before the names
// count for the caller. Requests that wait meanwhile for the same directory share the next list.
func (f *fileTree) readDir(ctx context.Context, dir string) ([]string, error) {
	asked := time.Now()
	select {
	case f.reading <- struct{}{}:
		defer func() { <-f.reading }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if f.last.name != dir || f.last.read.Before(asked) {
		read, err := f.listDir(dir)
		if err != nil {
			return nil, err
		}
		f.last = read
	}
	return f.last.names, reserve(ctx, f.last.bytes)
}

// perName is the memory of a string without its text, in bytes.
const perName = 16

// listDir reads a directory.
func (f *fileTree) listDir(dir string) (d directory, err error) {
	d.name, d.read = dir, time.Now()
	entries, err := fs.ReadDir(f.fsys, dir)
	for _, e := range entries {
		name := e.Name()
		if !isListed(name) {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		d.names = append(d.names, name)
		d.bytes += perName + len(name)
	}
	return d, err
}

// walk calls visit for the files in a directory and those below that come after a path, relative to the directory, in the
// order of [fs.WalkDir]. A path of "" comes before all of them. The files include symbolic links.
func (f *fileTree) walk(ctx context.Context, dir, after string, visit func(name string) error) error {
	names, err := f.readDir(ctx, dir)
	switch {
	case dir != "." && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)):
		return nil // the directory was removed meanwhile, or may not be read
	case err != nil:
		return err
	}
	first, rest, _ := strings.Cut(after, "/")
	begin := sort.Search(len(names), func(i int) bool { return strings.TrimSuffix(names[i], "/") >= first })
	for _, name := range names[begin:] {
		base, isDir := strings.CutSuffix(name, "/")
		isFirst := after != "" && base == first
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case isDir && isFirst:
			err = f.walk(ctx, path.Join(dir, base), rest, visit)
		case isDir:
			err = f.walk(ctx, path.Join(dir, base), "", visit)
		case !isFirst:
			err = visit(path.Join(dir, base))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isListed reports whether lists contain files of this name. A name with a line break is excluded because it would look
// like two names, and one with a backslash because no URI has it.
func isListed(base string) bool {
	return !isHidden(base) && utf8.ValidString(base) && !strings.ContainsFunc(base, unicode.IsControl) && !strings.Contains(base, `\`)
}

// isHidden reports whether files of this name are neither listed nor read.
func isHidden(base string) bool { return strings.HasPrefix(base, ".") }

// link returns the entry of a file in the list, and reports whether it has one: files that cannot be read, devices, and
// names that no URI can have, such as one with a backslash, are not listed.
func (f *fileTree) link(name string) (link ResourceLink, ok bool) {
	uri, err := f.template.Expand(map[string]string{"path": name})
	if err != nil {
		return link, false
	}
	resolved, err := f.resolve(name)
	if err != nil {
		return link, false
	}
	info, err := fs.Stat(f.fsys, resolved)
	if err != nil || !info.Mode().IsRegular() {
		return link, false
	}
	link = ResourceLink{URI: uri, Name: name, MIMEType: mediatype.Of(name), Size: new(info.Size())}
	if modified := info.ModTime(); !modified.IsZero() {
		link.Annotations = &Annotations{LastModified: modified.UTC().Truncate(time.Second)}
	}
	return link, true
}

// maxFound is the maximum number of suggestions, of which clients get the first 100.
const maxFound = 1000

// complete suggests the paths in the directory of prefix that begin with it.
func (f *fileTree) complete(ctx context.Context, prefix string, _ fileIn) ([]string, error) {
	before, typed := path.Split(prefix)
	dir := "."
	if before != "" {
		if dir = strings.TrimSuffix(before, "/"); !fs.ValidPath(dir) || slices.ContainsFunc(strings.Split(dir, "/"), isHidden) {
			return nil, nil
		}
	}
	resolved, err := f.resolve(dir)
	if err != nil {
		return nil, nil //nolint:nilerr // there is nothing to suggest
	}
	names, err := f.readDir(ctx, resolved)
	if err != nil {
		return nil, nil //nolint:nilerr // there is nothing to suggest
	}
	var found []string
	for _, name := range names {
		if !strings.HasPrefix(name, typed) {
			continue
		}
		if err := reserve(ctx, perName+len(before)+len(name)); err != nil {
			return nil, err
		}
		if found = append(found, before+strings.TrimSuffix(name, "/")); len(found) == maxFound {
			break
		}
	}
	return found, nil
}
