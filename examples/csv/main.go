// Command csv lets a model query CSV files without reading them. It has one tool, analyze_csv, for
// the files of one directory. The result has statistics as typed output, and a link to the file as
// content. The descriptions are doc comments, which go generate writes into comments_gen.go.
//
//	go run ./examples/csv -dir examples/csv/data
//
// The figures in data/planets.csv are from NASA's Planetary Fact Sheet.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

//go:generate go run ../../bench comments

// AnalyzeIn names a file.
type AnalyzeIn struct {
	_ struct{} `mcp:"name=analyze_csv,title=CSV analysis,readOnly,idempotent,openWorld=false"`
	// The file, below the server's data directory, e.g. planets.csv
	Path string `json:"path" jsonschema:"minLength=1,maxLength=1000"`
}

// library is the directory of readable files.
type library struct {
	root *os.Root // rejects "..", absolute paths and symbolic links that lead out of the directory
	dir  string
}

func openLibrary(dir string) (*library, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	return &library{root, dir}, err
}

// AnalyzeCSV describes the columns of a CSV file with a header line: the type of each, and count,
// sum, average, minimum and maximum of the numeric ones.
func (l *library) AnalyzeCSV(ctx context.Context, in AnalyzeIn) (*mcptool.Result, error) {
	file, info, err := l.open(in.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // read-only
	analysis, err := analyze(ctx, file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path, err)
	}
	link := mcptool.ResourceLink{
		URI:      fileURI(filepath.Join(l.dir, in.Path)),
		Name:     filepath.ToSlash(in.Path),
		MIMEType: "text/csv",
		Size:     new(info.Size()),
	}
	return &mcptool.Result{Structured: analysis, Content: []mcptool.Content{link}}, nil
}

func (l *library) open(path string) (*os.File, fs.FileInfo, error) {
	info, err := l.root.Stat(path)
	switch {
	case err != nil:
		return nil, nil, l.pathError(path, err)
	case !info.Mode().IsRegular(): // a named pipe would never end
		return nil, nil, fmt.Errorf("%q is no file; there are: %s", path, l.names())
	}
	file, err := l.root.Open(path)
	if err != nil {
		return nil, nil, l.pathError(path, err)
	}
	return file, info, nil
}

// pathError explains to the model why a path cannot be opened. The errors of package os name system calls.
func (l *library) pathError(path string, err error) error {
	var cause *fs.PathError
	switch {
	case !filepath.IsLocal(path):
		return fmt.Errorf("%q is not below the server's data directory; there are: %s", path, l.names())
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("there is no file %q; there are: %s", path, l.names())
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the server may not open %q", path)
	case errors.As(err, &cause):
		return fmt.Errorf("%q cannot be opened: %w", path, cause.Err)
	default:
		return err
	}
}

// names lists the available files, as a hint for a model that guessed a name.
func (l *library) names() string {
	names, err := fs.Glob(l.root.FS(), "*.csv")
	if err != nil || len(names) == 0 {
		return "none at the top of the data directory"
	}
	return strings.Join(names[:min(len(names), 20)], ", ")
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a Windows drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func main() {
	dir := flag.String("dir", ".", "directory of the CSV files")
	flag.Parse()
	files, err := openLibrary(*dir)
	if err != nil {
		log.Fatal(err)
	}
	mcptool.Register(files.AnalyzeCSV, mcptool.OutputType[Analysis]())
	stdio.Main(nil)
}
