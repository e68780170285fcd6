package mcptool

import (
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// finishBlock checks the members that all types of blocks have, and returns the encoded _meta.
func finishBlock(fs *findings, a *Annotations, meta map[string]any) map[string]any {
	if a != nil {
		fs.within("annotations", func() { a.check(fs) })
	}
	return encodeMeta(fs, meta)
}

// checkMedia checks the data and the media type of an image or a recording.
func checkMedia(fs *findings, data []byte, mimeType, prefix, example string) {
	if len(data) == 0 {
		fs.add("data", "it is empty", "return the bytes of the file")
	}
	switch {
	case mimeType == "":
		fs.add("mimeType", "it is required", "set MIMEType, for example to "+example)
	case !strings.HasPrefix(strings.ToLower(mimeType), prefix):
		fs.add("mimeType", fmt.Sprintf("%q does not start with %q", mimeType, prefix), "for other files use EmbeddedResource")
	default:
		checkMIMEType(fs, mimeType)
	}
}

// checkMIMEType checks an optional media type: type, slash, subtype.
func checkMIMEType(fs *findings, mimeType string) {
	if mimeType == "" {
		return
	}
	media, _, err := mime.ParseMediaType(mimeType)
	if kind, sub, ok := strings.Cut(media, "/"); err != nil || !ok || kind == "" || sub == "" {
		fs.add("mimeType", fmt.Sprintf("%q is not a media type", mimeType), "write type/subtype, such as text/csv")
	}
}

// checkURI checks that uri is absolute and valid according to RFC 3986. [url.Parse] alone accepts spaces and letters
// outside ASCII.
func checkURI(fs *findings, name, uri string) {
	if uri == "" {
		fs.add(name, "it is required", "set an absolute URI, such as https://example.com/a or file:///a")
		return
	}
	if bad := strings.IndexFunc(uri, isForeignToURIs); bad >= 0 {
		r, _ := utf8.DecodeRuneInString(uri[bad:])
		fs.add(name, fmt.Sprintf("%q contains %q, which is not allowed in a URI", uri, r), "escape it, for example with (&url.URL{Scheme: …, Path: …}).String()")
		return
	}
	switch parsed, err := parseURI(uri); {
	case err != nil:
		fs.add(name, fmt.Sprintf("%q is not a URI", uri), "")
	case parsed.Scheme == "":
		fs.add(name, fmt.Sprintf("%q is not absolute", uri), "start it with a scheme, such as https: or file:")
	case parsed.Host == "" && (parsed.Scheme == "https" || parsed.Scheme == "http"):
		fs.add(name, fmt.Sprintf("%q has no host", uri), "write https://example.com/…")
	case climbs(parsed):
		fs.add(name, fmt.Sprintf("the path of %q contains \"..\"", uri), "clean the path and check where it leads, for example with path.Clean and os.Root")
	}
}

// isForeignToURIs reports whether RFC 3986 excludes a character from URIs. [url.Parse] accepts some of these.
func isForeignToURIs(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r)
}

// parseURI parses a URI. A URI of a file, such as docs://my%20notes/a.md, may have any name in the place of the host:
// RFC 3986 allows a name with escapes there (section 3.2.2), and [url.Parse] does not. Names in http and https URIs
// must be valid hosts.
func parseURI(uri string) (*url.URL, error) {
	parsed, err := url.Parse(uri)
	scheme, rest, hasHost := strings.Cut(uri, "://")
	if err == nil || !hasHost || strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https") || strings.ContainsAny(rest, "[]") {
		return parsed, err
	}
	return url.Parse(scheme + ":///" + rest)
}

// climbs reports whether a path has a segment "..", plain or percent-encoded. Such a URI refers to something outside
// the directory that it appears to name, most likely because the path comes unchecked from the model. In http and https
// URIs ".." is allowed: the web server resolves it.
func climbs(u *url.URL) bool {
	if u.Scheme == "https" || u.Scheme == "http" {
		return false
	}
	path := u.Path
	if unescaped, err := url.PathUnescape(u.Opaque); path == "" && err == nil {
		path = unescaped
	}
	return slices.Contains(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

// checkUTF8 rejects names that a JSON string cannot represent.
func checkUTF8(fs *findings, name, value string) {
	if !utf8.ValidString(value) {
		fs.add(name, fmt.Sprintf("%q is not UTF-8", value), "convert it, for example with strings.ToValidUTF8")
	}
}
