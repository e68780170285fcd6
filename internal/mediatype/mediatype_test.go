package mediatype_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/mediatype"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"SKILL.md": "text/markdown", "a/B.MD": "text/markdown", "a.ts": "text/plain", "a.json": "application/json", "a.png": "image/png", "a.zip": "application/zip",
		"": "", "none": "", "a.neverheardof": "", ".md": "text/markdown",
	} {
		if got := mediatype.Of(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestIsText(t *testing.T) {
	t.Parallel()
	for mediaType, want := range map[string]bool{
		"text/plain": true, "text/html; charset=utf-8": true, "application/json": true, "application/ld+json": true, "image/svg+xml": true,
		"application/yaml": true, "image/png": false, "application/octet-stream": false, "": false, "text": true, "a b": false, "application/x+zip": false,
	} {
		if got := mediatype.IsText(mediaType); got != want {
			t.Errorf("%q: %v, want %v", mediaType, got, want)
		}
	}
}
