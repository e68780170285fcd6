// Command files shows every kind of content that a tool can return: text, images, sound, embedded resources and links,
// all from the files of one directory.
//
//	go run ./examples/files -dir ~/Pictures
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

const maxListed = 200

// ListIn names a directory.
type ListIn struct {
	_    struct{} `mcp:"name=list_files,title=List files,readOnly,idempotent,openWorld=false" doc:"Link to the files of a directory, 200 at most"`
	Path string   `json:"path" jsonschema:"default=.,minLength=1,maxLength=1000" doc:"The directory, below the server's own"`
}

// ReadIn names a file.
type ReadIn struct {
	_    struct{} `mcp:"name=read_file,title=Read a file,readOnly,idempotent,openWorld=false" doc:"Look at a picture, listen to a recording, read a text, or get the bytes of any other file"`
	Path string   `json:"path" jsonschema:"minLength=1,maxLength=1000" doc:"The file, below the server's directory, as list_files names it"`
	As   string   `json:"as" jsonschema:"enum=content,enum=resource,enum=link,default=content" doc:"content: as text, image or audio; resource: the file with its address; link: the address only"`
}

// shelf is the directory of readable files.
type shelf struct {
	root *os.Root // rejects "..", absolute paths and symbolic links that lead out of the directory
	dir  string
	most int64 // maximum size of content to return, in bytes
}

func openShelf(dir string, most int64) (*shelf, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	return &shelf{root, dir, most}, err
}

// ListFiles returns links, so that the client decides what to fetch.
func (s *shelf) ListFiles(ctx context.Context, in ListIn) ([]mcptool.ResourceLink, error) {
	dir, err := s.root.Open(in.Path)
	if err != nil {
		return nil, pathError(in.Path, "directory", err)
	}
	defer dir.Close() //nolint:errcheck // read-only
	entries, err := dir.ReadDir(maxListed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, pathError(in.Path, "directory", err)
	}
	var links []mcptool.ResourceLink
	for _, entry := range entries {
		path := filepath.Join(in.Path, entry.Name())
		if info, err := s.root.Stat(path); err == nil && info.Mode().IsRegular() {
			links = append(links, s.link(path, info))
		}
	}
	slices.SortFunc(links, func(a, b mcptool.ResourceLink) int { return strings.Compare(a.Name, b.Name) })
	return links, ctx.Err()
}

// ReadFile returns the requested kind of content, by default the one that fits the file.
func (s *shelf) ReadFile(_ context.Context, in ReadIn) ([]mcptool.Content, error) {
	info, err := s.root.Stat(in.Path)
	if err != nil {
		return nil, pathError(in.Path, "file", err)
	}
	if !info.Mode().IsRegular() { // a directory, or a named pipe, which would never end
		return nil, fmt.Errorf("%q is no file", in.Path)
	}
	link := s.link(in.Path, info)
	if in.As == "link" {
		return []mcptool.Content{link}, nil
	}
	if info.Size() > s.most {
		why := fmt.Sprintf("The file has %d bytes; more than %d are not sent. Here is its address.", info.Size(), s.most)
		return []mcptool.Content{mcptool.Text{Text: why}, link}, nil
	}
	data, err := s.read(in.Path)
	if err != nil {
		return nil, err
	}
	if in.As == "resource" {
		return []mcptool.Content{resource(link.URI, data, kindOf(in.Path, data))}, nil
	}
	return []mcptool.Content{content(link.URI, data, kindOf(in.Path, data))}, nil
}

// read reads a file, which may have grown since Stat.
func (s *shelf) read(path string) ([]byte, error) {
	file, err := s.root.Open(path)
	if err != nil {
		return nil, pathError(path, "file", err)
	}
	defer file.Close() //nolint:errcheck // read-only
	data, err := io.ReadAll(io.LimitReader(file, s.most+1))
	if err == nil && int64(len(data)) > s.most {
		err = fmt.Errorf("%q grows while it is read; ask for a link", path)
	}
	return data, err
}

// pathError explains to the model why a path cannot be opened. The errors of package os name system calls, and the
// directory of the server.
func pathError(path, kind string, err error) error {
	var cause *fs.PathError
	switch {
	case !filepath.IsLocal(path):
		return fmt.Errorf("%q is not below the server's directory; name a %s as list_files does", path, kind)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("there is no %s %q; list_files shows what there is", kind, path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the server may not open %q", path)
	case errors.As(err, &cause):
		return fmt.Errorf("%q cannot be opened: %w", path, cause.Err)
	default:
		return err
	}
}

func content(uri string, data []byte, kind string) mcptool.Content {
	switch {
	case len(data) == 0 || isText(kind):
		return mcptool.Text{Text: string(data)}
	case strings.HasPrefix(kind, "image/"):
		return mcptool.Image{Data: data, MIMEType: kind}
	case strings.HasPrefix(kind, "audio/"):
		return mcptool.Audio{Data: data, MIMEType: kind}
	default:
		return resource(uri, data, kind)
	}
}

func resource(uri string, data []byte, kind string) mcptool.EmbeddedResource {
	if isText(kind) {
		return mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: uri, MIMEType: kind, Text: string(data)}}
	}
	return mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: uri, MIMEType: kind, Blob: data}}
}

func (s *shelf) link(path string, info fs.FileInfo) mcptool.ResourceLink {
	return mcptool.ResourceLink{
		URI:         fileURI(filepath.Join(s.dir, path)),
		Name:        filepath.ToSlash(filepath.Clean(path)),
		MIMEType:    kindOf(path, nil),
		Size:        new(info.Size()),
		Annotations: &mcptool.Annotations{LastModified: info.ModTime()},
	}
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a Windows drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func main() {
	dir := flag.String("dir", ".", "directory of the files")
	most := flag.Int64("max", 4<<20, "largest file sent with its content, in bytes")
	flag.Parse()
	files, err := openShelf(*dir, *most)
	if err != nil {
		log.Fatal(err)
	}
	mcptool.Register(files.ListFiles)
	mcptool.Register(files.ReadFile)
	stdio.Main(nil)
}
