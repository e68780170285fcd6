package main

import (
	"cmp"
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// saveFlag writes the parts of a result that are files. Commands embed it.
type saveFlag struct {
	Save string `help:"Write the images, audio and resources of the result to this file, byte by byte; several to FILE-1, FILE-2 and so on, or into a directory if it ends with /. - is stdout, for one." placeholder:"FILE" short:"o" predictor:"file"`
}

// check returns an error if the flag cannot be used here.
func (s *saveFlag) check(con *console, asJSON bool) error {
	switch {
	case asJSON && s.Save != "":
		return usageError("--json prints the result, and --save writes its parts; leave out one of them")
	case s.Save == "-" && con.outTerminal:
		return usageError("--save - writes bytes as they are, which is not for a terminal; redirect stdout, or name a file")
	default:
		return nil
	}
}

// filesOf returns the parts of a result that are files: images, audio, other data, and embedded resources.
func filesOf(r *client.Result) []client.Contents {
	var files []client.Contents
	for i := range r.Content {
		c := &r.Content[i]
		file := client.Contents{URI: cmp.Or(c.URI, c.Type), MIMEType: c.MIMEType}
		switch {
		case c.Data != "":
			file.Blob = &c.Data
		case c.Type == "resource":
			file.Text = &c.Text
		default:
			continue
		}
		files = append(files, file)
	}
	return files
}

// write writes files and reports their sizes. It decodes all of them before it writes one.
func (s *saveFlag) write(con *console, files []client.Contents) error {
	if s.Save == "-" && len(files) != 1 {
		return noError("there are %s, and --save - writes one to stdout; name a file or a directory", count(len(files), "file"))
	}
	if len(files) == 0 {
		return noError("the result has no image, audio or resource, so nothing is saved")
	}
	contents := make([][]byte, len(files))
	for i := range files {
		var err error
		if contents[i], err = files[i].Bytes(); err != nil {
			return noError("%w; nothing is saved", err)
		}
	}
	if s.Save == "-" {
		_, err := con.raw.Write(contents[0])
		return err
	}
	for i, data := range contents {
		path := s.path(i, files)
		done := "saved"
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			done = "replaced"
		}
		if err := writeFile(path, data); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(con.err, "%s %s %s\n", done, path, described(files[i].URI, files[i].MIMEType, bytesize.Text(int64(len(data))))) // best effort
	}
	return nil
}

// path returns where file i of several is written. Names are not taken from the server, which could replace other files.
func (s *saveFlag) path(i int, files []client.Contents) string {
	number := strconv.Itoa(i + 1)
	info, err := os.Stat(s.Save)
	switch {
	case err == nil && info.IsDir(), os.IsPathSeparator(s.Save[len(s.Save)-1]):
		return filepath.Join(s.Save, number+extension(files[i]))
	case len(files) == 1:
		return s.Save
	default:
		ext := filepath.Ext(s.Save)
		return strings.TrimSuffix(s.Save, ext) + "-" + number + ext
	}
}

// extensions are the extensions for MIME types.
var extensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg",
	"audio/wav": ".wav", "audio/x-wav": ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "video/mp4": ".mp4",
	"application/pdf": ".pdf", "application/json": ".json", "application/zip": ".zip", "text/html": ".html", "text/csv": ".csv", "text/markdown": ".md",
}

// extension returns an extension for the MIME type of a file; .txt for other texts, and .bin for other data.
func extension(file client.Contents) string {
	kind, _, _ := mime.ParseMediaType(file.MIMEType)
	switch ext := extensions[kind]; {
	case ext != "":
		return ext
	case file.Text != nil:
		return ".txt"
	default:
		return ".bin"
	}
}
