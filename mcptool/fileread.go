package mcptool

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/mediatype"
)

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
func (f *fileTree) read(ctx context.Context, name string) ([]ResourceContents, error) {
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
	file, err := f.fsys.Open(resolved)
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
	return fileContents(ctx, name, data)
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
func fileContents(ctx context.Context, name string, data []byte) ([]ResourceContents, error) {
	mimeType := mediatype.Of(name) // as in the list
	text := utf8.Valid(data) && !bytes.ContainsRune(data, 0)
	switch {
	case mimeType == "" && text:
		mimeType = "text/plain; charset=utf-8"
	case mimeType == "":
		mimeType = mimeBytes
	}
	if text && mediatype.IsText(mimeType) {
		return textContents(ctx, mimeType, data)
	}
	return []ResourceContents{{MIMEType: mimeType, Blob: notNil(data)}}, nil
}

// directory returns the names in a directory as text, one on a line. Names of directories end with a slash.
func (f *fileTree) directory(ctx context.Context, name string) ([]ResourceContents, error) {
	names, err := f.readDir(ctx, name)
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
	var text strings.Builder // strings.Join would need a copy of names, which other requests use
	text.Grow(size)
	for _, name := range names {
		text.WriteString(name)
		text.WriteByte('\n')
	}
	return []ResourceContents{{MIMEType: mimeText, Text: text.String()}}, nil
}
