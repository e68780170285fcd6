package mediatype

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// sniffed is how many bytes [Sniff] looks at.
const sniffed = 512

// Sniff returns the media type of contents by their first 512 bytes, as http.DetectContentType does and the MIME Sniffing
// Standard says (https://mimesniff.spec.whatwg.org, sections 6 and 7.1): application/octet-stream if they are none that is
// known. It is here because package net/http would add two megabytes to each program, also to those that serve no HTTP.
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

// whiteSpace is what may precede the first tag of HTML and XML.
const whiteSpace = "\t\n\f\r "

// signature is bytes by which contents of a media type can be recognized.
type signature struct {
	begin     string // what the contents begin with; a ? stands for any byte
	mediaType string
}

// signatures contain no question marks of their own.
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

// isHTML reports whether a text begins with one of the tags that HTML begins with.
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

// isMP4 reports whether contents begin with a box that says that they are MP4.
func isMP4(data []byte) bool {
	if len(data) < 12 {
		return false
	}
	size := int64(binary.BigEndian.Uint32(data))
	if size > int64(len(data)) || size%4 != 0 || string(data[4:8]) != "ftyp" {
		return false
	}
	for at := int64(8); at < size; at += 4 {
		if at != 12 && bytes.HasPrefix(data[at:], []byte("mp4")) { // there is a version at 12
			return true
		}
	}
	return false
}

// isBinary reports whether text has no such character.
func isBinary(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\f' && c != '\r' && c != '\x1b'
}
