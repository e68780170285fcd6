package mediatype_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/mediatype"
)

// FuzzSniff compares Sniff with http.DetectContentType.
func FuzzSniff(f *testing.F) {
	for _, seed := range []string{
		"", "text", "\x00", "a\x1bb", "\x0b", " \n<!doctype html>", "<p>", "<P", "<a href", "<abbr>", "<!-- x", "<?xml version", "\t<?xml",
		"%PDF-1.7", "%!PS-Adobe-3", "\xfe\xff\x00a", "\xff\xfea\x00", "\xff\xfea", "\xef\xbb\xbfa", "\xef\xbb\xbf", "\x00\x00\x01\x00", "\x00\x00\x02\x00", "BM",
		"GIF87a", "GIF89a", "RIFF\x01\x02\x03\x04WEBPVP8", "RIFF????WEBP", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff\xe0", "FORM\x00\x00\x00\x00AIFF", "ID3\x04", "OggS\x00",
		"MThd\x00\x00\x00\x06", "RIFF\x00\x00\x00\x00AVI LIST", "RIFF\x00\x00\x00\x00WAVE", "\x1aE\xdf\xa3",
		strings.Repeat("\x01", 34) + "LP", "\x00\x01\x00\x00", "OTTO", "ttcf", "wOFF", "wOF2", "\x1f\x8b\x08", "PK\x03\x04", "Rar!\x1a\x07\x00",
		"Rar!\x1a\x07\x01\x00", "\x00asm", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp41isom", "\x00\x00\x00\x14ftypisom\x00\x00\x00\x00mp41",
		"\x00\x00\x00\x10ftypisommp42", "\x00\x00\x00\x18ftyp", "\x00\x00\x00\x00ftypmp42", "\x00\x00\x00\x0aftypmp42mp42", strings.Repeat("a", 512) + "\x00",
		strings.Repeat("a", 511) + "\x00", strings.Repeat(" ", 512) + "<p>", "M\xd0\x00\x00", "\xff\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := mediatype.Sniff(data), http.DetectContentType(data); got != want {
			t.Errorf("%q: %q, net/http says %q", data, got, want)
		}
	})
}
