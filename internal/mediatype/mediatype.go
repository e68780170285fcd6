// Package mediatype determines the media types of files by their names.
package mediatype

import (
	"cmp"
	"mime"
	"path"
	"slices"
	"strings"
)

const (
	plain = "text/plain"
	json  = "application/json"
)

// texts maps the extensions of text files to media types. It takes precedence over package mime, whose types depend on
// the system and are sometimes wrong: on most systems .ts is a video.
var texts = map[string]string{
	".md": "text/markdown", ".markdown": "text/markdown", ".txt": plain, ".csv": "text/csv", ".tsv": "text/tab-separated-values",
	".json": json, ".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml", ".sql": "application/sql",
	".go": plain, ".ts": plain, ".tsx": plain, ".py": plain, ".rs": plain, ".sh": plain, ".java": plain, ".c": plain,
	".h": plain, ".log": plain, ".ini": plain, ".proto": plain,
}

// others maps the extensions of common files that package mime does not know on a system without a list of media types.
var others = map[string]string{
	".bmp": "image/bmp", ".ico": "image/vnd.microsoft.icon", ".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".mid": "audio/midi",
	".mp4": "video/mp4", ".webm": "video/webm", ".avi": "video/x-msvideo", ".ttf": "font/ttf", ".otf": "font/otf", ".woff": "font/woff",
	".woff2": "font/woff2", ".gz": "application/gzip", ".zip": "application/zip",
}

// Of returns the media type of a file by the extension of its name, "" if it is unknown.
func Of(name string) string {
	ext := strings.ToLower(path.Ext(name))
	return cmp.Or(texts[ext], mime.TypeByExtension(ext), others[ext])
}

// IsText reports whether contents of this media type are text, which includes JSON, XML, source code and SVG. It
// reports false for an invalid media type.
func IsText(mediaType string) bool {
	media, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return false
	}
	kind, sub, _ := strings.Cut(media, "/")
	_, suffix, _ := strings.Cut(sub, "+")
	applications := []string{"json", "xml", "yaml", "toml", "javascript", "ecmascript", "x-sh", "sql", "graphql", "x-ndjson"}
	return kind == "text" || kind == "application" && (slices.Contains(applications, sub) || slices.Contains(applications, suffix)) || media == "image/svg+xml"
}
