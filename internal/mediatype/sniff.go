package mediatype

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// sniffed is how many bytes [Sniff] examines.
const sniffed = 512

// Sniff determines the media type of contents from their first 512 bytes, like http.DetectContentType and the MIME
// Sniffing Standard (https://mimesniff.spec.whatwg.org, sections 6 and 7.1). Unknown binary contents are
// application/octet-stream. It does not use package net/http, which would add two megabytes to every program, including
// those without HTTP.
func Sniff(data []byte) string {
	data = data[:min(len(data), sniffed)]
	for _, s := range signatures {
		if s.matches(data) {
			return s.mediaType
		}
	}
	text := bytes.TrimLeft(data, whiteSpace)
	switch {
	case isHTML(text):
		return "text/html; charset=utf-8"
	case bytes.HasPrefix(text, []byte("<?xml")):
		return "text/xml; charset=utf-8"
	case isMP4(data):
		return "video/mp4"
	case bytes.ContainsFunc(data, isBinary):
		return "application/octet-stream"
	default:
		return "text/plain; charset=utf-8"
	}
}

// whiteSpace are the characters that may precede the first tag of HTML and XML.
const whiteSpace = "\t\n\f\r "

// signature is the prefix by which contents of a media type are recognized.
type signature struct {
	begin     string // the first bytes of the contents; a ? matches any byte
	mediaType string
}

// signatures can use ? as a wildcard because no signature contains a literal question mark.
var signatures = []signature{
	{"%PDF-", "application/pdf"},
	{"%!PS-Adobe-", "application/postscript"},
	{"\xfe\xff??", "text/plain; charset=utf-16be"},
	{"\xff\xfe??", "text/plain; charset=utf-16le"},
	{"\xef\xbb\xbf?", "text/plain; charset=utf-8"},

	{"\x00\x00\x01\x00", "image/x-icon"},
	{"\x00\x00\x02\x00", "image/x-icon"},
	{"BM", "image/bmp"},
	{"GIF87a", "image/gif"},
	{"GIF89a", "image/gif"},
	{"RIFF????WEBPVP", "image/webp"},
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},

	{"FORM????AIFF", "audio/aiff"},
	{"ID3", "audio/mpeg"},
	{"OggS\x00", "application/ogg"},
	{"MThd\x00\x00\x00\x06", "audio/midi"},
	{"RIFF????AVI ", "video/avi"},
	{"RIFF????WAVE", "audio/wave"},
	{"\x1a\x45\xdf\xa3", "video/webm"},

	{strings.Repeat("?", 34) + "LP", "application/vnd.ms-fontobject"},
	{"\x00\x01\x00\x00", "font/ttf"},
	{"OTTO", "font/otf"},
	{"ttcf", "font/collection"},
	{"wOFF", "font/woff"},
	{"wOF2", "font/woff2"},

	{"\x1f\x8b\x08", "application/x-gzip"},
	{"PK\x03\x04", "application/zip"},
	{"Rar!\x1a\x07\x00", "application/x-rar-compressed"},
	{"Rar!\x1a\x07\x01\x00", "application/x-rar-compressed"},
	{"\x00asm", "application/wasm"},
}

func (s signature) matches(data []byte) bool {
	if len(data) < len(s.begin) {
		return false
	}
	for i := range len(s.begin) {
		if c := s.begin[i]; c != '?' && c != data[i] {
			return false
		}
	}
	return true
}

// isHTML reports whether text begins with one of the tags by which the standard recognizes HTML.
func isHTML(text []byte) bool {
	for _, tag := range []string{
		"<!DOCTYPE HTML", "<HTML", "<HEAD", "<SCRIPT", "<IFRAME", "<H1", "<DIV", "<FONT", "<TABLE", "<A", "<STYLE", "<TITLE",
		"<B", "<BODY", "<BR", "<P", "<!--",
	} {
		if len(text) > len(tag) && strings.EqualFold(string(text[:len(tag)]), tag) && (text[len(tag)] == ' ' || text[len(tag)] == '>') {
			return true
		}
	}
	return false
}

// isMP4 reports whether contents begin with an ftyp box that has an MP4 brand.
func isMP4(data []byte) bool {
	if len(data) < 12 {
		return false
	}
	size := int64(binary.BigEndian.Uint32(data))
	if size > int64(len(data)) || size%4 != 0 || string(data[4:8]) != "ftyp" {
		return false
	}
	for at := int64(8); at < size; at += 4 {
		if at != 12 && bytes.HasPrefix(data[at:], []byte("mp4")) { // the four bytes at 12 are a version, not a brand
			return true
		}
	}
	return false
}

// isBinary reports whether c is a control character that text does not have.
func isBinary(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\f' && c != '\r' && c != '\x1b'
}
