package mcptool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/mediatype"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// Files returns a resource that serves a tree of files, to be added to a registry with [Registry.AddResources]. The prefix
// is the beginning of their URIs, up to and including a slash: with "docs://", the file guide/intro.md is
// docs://guide/intro.md. A name outside of ASCII is percent-encoded in the URI.
//
// The list has all regular files, in pages, with name, media type, size and time of the last modification; files and
// directories whose names begin with a dot are neither listed nor read. The media type is derived from the extension,
// or if that is unknown from the first 512 bytes. Text in UTF-8 is sent as text, anything else as a blob. A client that
// reads a directory gets the list of its entries as text, one name on a line. The request fails if the file is larger
// than the server's limit or cannot be opened within 10 seconds. A completion of a path finds at most 1000 names, of
// which the first 100 are sent.
//
// A directory is read once for all requests that need it at the same time. The list of its names is used again until the
// modification time of the directory changes; if fsys has no such times, it is read again for later requests. The lists of
// a tree take at most 16 MiB.
//
// Only files in the tree can be read: a URI with "..", an absolute path, a backslash or an encoded slash is not found.
// If fsys is of [os.DirFS] or implements [fs.ReadLinkFS], symbolic links are followed only to files inside of the tree
// that are not hidden. Because a link may be replaced between the check and the use, use [os.Root.FS] if others can
// write to the tree.
//
// The options are the same as for [NewResource], except URI, MIMEType and Size. The default of the name is the prefix.
// Mistakes are reported when the resource is added to a registry.
func Files(fsys fs.FS, uriPrefix string, opts ...Option) *Resource {
	f := &fileTree{fsys: fsys, opening: make(chan struct{}, maxOpening)}
	f.dirs = newDirectories(fsys, f.shows)
	location := callerLocation()
	var given definition
	given.apply(opts)
	own := []Option{URI(uriPrefix + "{+path}"), Name(uriPrefix)}
	if given.name.isSet() {
		own = own[:1]
	}
	own = append(own, ListWith(f.list), Complete("path", f.complete))
	read := erase(func(ctx context.Context, in fileIn) ([]Contents, error) { return f.read(ctx, in.Path) })
	r, mistakes := defineResource(read, append(own, opts...), location)
	if fsys == nil {
		mistakes = append(mistakes, Mistake{Tool: uriPrefix, Reason: "the file system is nil", Fix: "pass an fs.FS, such as an embed.FS or that of os.OpenRoot"})
	}
	if !strings.HasSuffix(uriPrefix, "/") {
		mistakes = append(mistakes, Mistake{Tool: uriPrefix, Reason: fmt.Sprintf("the prefix %q does not end with a slash", uriPrefix), Fix: "end it with a slash, such as docs://"})
	}
	if given.mimeType.isSet() {
		mistakes = append(mistakes, Mistake{Tool: uriPrefix, Reason: "the option MIMEType is set, and each file has a media type of its own", Fix: "remove the option"})
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
	dirs     *directories
	template *uritemplate.Template // nil if the prefix is a mistake
	opening  chan struct{}         // holds a value for each file that is being opened
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
		info, err := f.stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil //nolint:nilerr // files that cannot be read, and devices, are not listed
		}
		uri, ok := f.uri(name)
		if !ok {
			return nil
		}
		if len(page) == maxFilesPerPage {
			next = page[len(page)-1].Name
			return errPageFull
		}
		if err := reserve(ctx, linkSize+len(uri)+len(name)); err != nil {
			return err
		}
		page = append(page, fileLink(uri, name, info))
		return nil
	})
	if err != nil && !errors.Is(err, errPageFull) {
		return nil, "", err
	}
	return page, next, nil
}

// walk calls visit for the files in a directory and those below that come after a path, relative to the directory, in the
// order of [fs.WalkDir]. A path of "" comes before all of them. The files include symbolic links.
func (f *fileTree) walk(ctx context.Context, dir, after string, visit func(name string) error) error {
	names, err := f.dirs.list(ctx, dir)
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

// shows reports whether lists contain files of this name. A name with a line break is excluded because it would look
// like two names.
func (f *fileTree) shows(base string) bool {
	_, ok := f.uri(base)
	return ok && !isHidden(base)
}

// isHidden reports whether files of this name are neither listed nor read.
func isHidden(base string) bool { return strings.HasPrefix(base, ".") }

// fileLink returns the entry of a file in the list.
func fileLink(uri, name string, info fs.FileInfo) ResourceLink {
	size := info.Size()
	link := ResourceLink{URI: uri, Name: name, MIMEType: mediatype.Of(name), Size: &size}
	if modified := info.ModTime(); !modified.IsZero() {
		link.Annotations = &Annotations{LastModified: modified.UTC().Truncate(time.Second)}
	}
	return link
}

// uri returns the URI of a file, and reports whether it has one: a name with a backslash, for example, has none.
func (f *fileTree) uri(name string) (uri string, ok bool) {
	uri, err := f.template.Expand(func(string) (string, bool) { return name, true })
	return uri, err == nil
}

// stat describes a file, after checking that it is in the tree.
func (f *fileTree) stat(name string) (fs.FileInfo, error) {
	resolved, err := f.resolve(name)
	if err != nil {
		return nil, err
	}
	return fs.Stat(f.fsys, resolved)
}

// maxLinks is the maximum number of symbolic links on the way to a file.
const maxLinks = 40

// resolve follows the symbolic links in a name, as far as the file system shows them, and fails where one leads out of the
// tree or to a hidden file.
func (f *fileTree) resolve(name string) (string, error) {
	links, ok := f.fsys.(fs.ReadLinkFS)
	if !ok {
		return name, nil
	}
	rest, resolved := strings.Split(name, "/"), "."
	for followed := 0; len(rest) > 0; {
		next := path.Join(resolved, rest[0])
		rest = rest[1:]
		if !fs.ValidPath(next) || next != "." && isHidden(path.Base(next)) {
			return "", fs.ErrNotExist
		}
		info, err := links.Lstat(next)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			resolved = next
			continue
		}
		target, err := links.ReadLink(next)
		if followed++; err != nil || followed > maxLinks || path.IsAbs(target) || strings.Contains(target, `\`) {
			return "", fs.ErrNotExist
		}
		rest = append(strings.Split(path.Clean(target), "/"), rest...)
	}
	return resolved, nil
}

// read reads a file or a directory.
func (f *fileTree) read(ctx context.Context, name string) ([]Contents, error) {
	name = strings.TrimSuffix(name, "/")
	if !fs.ValidPath(name) || slices.ContainsFunc(strings.Split(name, "/"), isHidden) {
		return nil, ErrResourceNotFound
	}
	resolved, err := f.resolve(name)
	if err != nil {
		return nil, notFound(err)
	}
	// Check before opening, because opening a named pipe blocks.
	if info, err := fs.Stat(f.fsys, resolved); err != nil {
		return nil, notFound(err)
	} else if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, ErrResourceNotFound
	}
	file, err := f.open(ctx, resolved)
	if err != nil {
		return nil, notFound(err)
	}
	defer func() { _ = file.Close() }() // only read, so no data is lost
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, notFound(err)
	case info.IsDir():
		return f.directory(ctx, resolved)
	case !info.Mode().IsRegular():
		return nil, ErrResourceNotFound
	}
	data, err := readAtMost(ctx, file, info.Size())
	if err != nil {
		return nil, err
	}
	return []Contents{fileContents(name, data)}, nil
}

const (
	// maxOpening is the maximum number of files of a tree that are opened at the same time, including opens that block.
	maxOpening = 64
	// openTimeout is how long opening a file may take.
	openTimeout = 10 * time.Second
)

var errOpenTimeout = fmt.Errorf("the file could not be opened within %s", openTimeout)

// open opens a file on another goroutine: [fs.FS] has no non-blocking open, and if a named pipe has just replaced the
// file, opening blocks until a process writes to it. A file that is opened after the timeout is closed.
func (f *fileTree) open(ctx context.Context, name string) (fs.File, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, openTimeout, errOpenTimeout)
	defer cancel()
	select {
	case f.opening <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	type opened struct {
		file fs.File
		err  error
	}
	done := make(chan opened)
	go func() {
		var o opened
		defer func() {
			if v := recover(); v != nil {
				o.err = &PanicError{Tool: name, Value: v, Stack: debug.Stack()}
			}
			<-f.opening
			select {
			case done <- o:
			case <-ctx.Done():
				if o.file != nil {
					_ = o.file.Close() // only read, so no data is lost
				}
			}
		}()
		o.file, o.err = f.fsys.Open(name)
	}()
	select {
	case o := <-done:
		return o.file, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// notFound returns the error for a file that cannot be opened. Clients do not learn that a file exists but may not be
// read. Names that no file can have, or that lead through a file or out of the tree, are also not found.
func notFound(err error) error {
	for _, why := range []error{fs.ErrNotExist, fs.ErrPermission, fs.ErrInvalid, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ELOOP, syscall.EINVAL} {
		if errors.Is(err, why) {
			return ErrResourceNotFound
		}
	}
	return err
}

// fileContents returns the contents of a file: text if it is UTF-8 and its media type is a text type, and a blob
// otherwise.
func fileContents(name string, data []byte) Contents {
	mimeType := mediatype.Of(name) // as in the list
	text := utf8.Valid(data) && !bytes.ContainsRune(data, 0)
	if mimeType == "" {
		if mimeType = mediatype.Sniff(data); text && mimeType == mimeBytes {
			mimeType = mimeText
		}
	}
	if text && mediatype.IsText(mimeType) {
		return Contents{MIMEType: mimeType, Text: string(data)}
	}
	if data == nil {
		data = []byte{}
	}
	return Contents{MIMEType: mimeType, Blob: data}
}

// directory returns the names in a directory as text, one on a line. Names of directories end with a slash.
func (f *fileTree) directory(ctx context.Context, name string) ([]Contents, error) {
	names, err := f.dirs.list(ctx, name)
	if err != nil {
		return nil, notFound(err)
	}
	size := 0
	for _, name := range names {
		size += len(name) + len("\n")
	}
	if err := reserve(ctx, size); err != nil {
		return nil, err
	}
	var text strings.Builder
	text.Grow(size)
	for _, name := range names {
		text.WriteString(name)
		text.WriteString("\n")
	}
	return []Contents{{MIMEType: mimeText, Text: text.String()}}, nil
}

// maxSuggestions is how many paths a completion has at most; the first [maxCompletions] are sent.
const maxSuggestions = 10 * maxCompletions

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
	names, err := f.dirs.list(ctx, resolved)
	if err != nil {
		return nil, nil //nolint:nilerr // there is nothing to suggest
	}
	var found []string
	for _, name := range names {
		if len(found) < maxSuggestions && strings.HasPrefix(name, typed) {
			found = append(found, path.Join(dir, name))
		}
	}
	return found, nil
}
