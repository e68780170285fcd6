package main

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// kinds maps extensions to MIME types. Unlike mime.TypeByExtension, it is the
// same on every machine.
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

// kindOf returns the MIME type of a file. The contents take precedence over the
// name, since a client must be able to render the declared type. If data is
// empty, only the name counts.
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
		return byName // only MP3 files that start with a tag are detected
	case strings.HasPrefix(sniffed, "text/"):
		return "application/octet-stream" // it does not look like text
	}
	return sniffed
}

// isText reports whether files of the kind are returned as text. SVG is: models
// cannot view it as an image, but can read it.
func isText(kind string) bool {
	return strings.HasPrefix(kind, "text/") || kind == "application/json" || kind == "image/svg+xml"
}

func looksLikeText(data []byte) bool {
	return utf8.Valid(data) && !bytes.ContainsRune(data, 0)
}
