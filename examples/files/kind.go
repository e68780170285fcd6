package main

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// kinds are the MIME types of names. A table of ours answers the same on every
// machine, which mime.TypeByExtension does not.
var kinds = map[string]string{
	".csv":  "text/csv",
	".gif":  "image/gif",
	".go":   "text/x-go",
	".htm":  "text/html",
	".html": "text/html",
	".jpeg": "image/jpeg",
	".jpg":  "image/jpeg",
	".json": "application/json",
	".md":   "text/markdown",
	".mp3":  "audio/mpeg",
	".oga":  "audio/ogg",
	".ogg":  "audio/ogg",
	".pdf":  "application/pdf",
	".png":  "image/png",
	".svg":  "image/svg+xml",
	".txt":  "text/plain",
	".wav":  "audio/wav",
	".webp": "image/webp",
	".xml":  "text/xml",
	".yaml": "text/yaml",
	".yml":  "text/yaml",
}

// kindOf returns the MIME type of a file. What the bytes say wins over the name:
// a client that shows what it is told is an image had better be given one. With
// no bytes at hand the name is all there is.
func kindOf(name string, data []byte) string {
	byName := kinds[strings.ToLower(filepath.Ext(name))]
	if len(data) == 0 {
		return byName
	}
	if looksLikeText(data) {
		if isText(byName) {
			return byName
		}
		return "text/plain"
	}
	sniffed, _, _ := strings.Cut(http.DetectContentType(data), ";")
	switch {
	case sniffed == "audio/wave":
		return "audio/wav"
	case sniffed == "application/ogg" && byName == "audio/ogg":
		return byName
	case sniffed == "application/octet-stream" && byName == "audio/mpeg":
		return byName // only MP3 files that begin with a tag are recognised
	case strings.HasPrefix(sniffed, "text/"):
		return "application/octet-stream" // it did not look like text to us
	}
	return sniffed
}

// isText reports whether files of the kind are read as text. SVG is: models
// cannot look at it as an image, but read it well.
func isText(kind string) bool {
	return strings.HasPrefix(kind, "text/") || kind == "application/json" || kind == "image/svg+xml"
}

func looksLikeText(data []byte) bool {
	return utf8.Valid(data) && !bytes.ContainsRune(data, 0)
}
