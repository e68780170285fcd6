package mcptool_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestIcons(t *testing.T) {
	t.Parallel()
	icons := []mcptool.Icon{
		{Src: "https://example.com/a.png", MIMEType: "image/png", Sizes: []string{"48x48", "96x96"}, Theme: "light"},
		{Src: "HTTPS://example.com/a.svg", Sizes: []string{"any"}, Theme: "dark"},
		{Src: pngURI},
	}
	tool := mustNew(t, done, mcptool.Name("n"), mcptool.Icons(icons...))
	if diff := cmp.Diff(icons, tool.Info().Icons); diff != "" {
		t.Errorf("icons changed (-want +got):\n%s", diff)
	}
	icons[0].Sizes[0] = "changed"
	tool.Info().Icons[0].Src = "changed"
	if got := tool.Info().Icons[0]; got.Src == "changed" || got.Sizes[0] == "changed" {
		t.Errorf("the icons of a tool can be changed by the caller: %+v", got)
	}
}

func TestIconMistakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason string
		icon   mcptool.Icon
		want   string
	}{
		{"no source", mcptool.Icon{}, `icons[0].src`},
		{"T-ICON-02 plain http", mcptool.Icon{Src: "http://example.com/a.png"}, "clients refuse it; serve it over https:"},
		{"T-ICON-02 a script", mcptool.Icon{Src: "javascript:alert(1)"}, "is neither an https: nor a data: URI"},
		{"T-ICON-02 a file", mcptool.Icon{Src: "file:///a.png"}, "is neither an https: nor a data: URI"},
		{"T-ICON-02 a path", mcptool.Icon{Src: "a.png"}, "is neither an https: nor a data: URI"},
		{"no host", mcptool.Icon{Src: "https:a.png"}, "has no host"},
		{"a space", mcptool.Icon{Src: "https://example.com/a b.png"}, "contains ' '"},
		{"data without a comma", mcptool.Icon{Src: "data:image/png;base64"}, "has no comma before its data"},
		{"a bad media type", mcptool.Icon{Src: pngURI, MIMEType: "png"}, `icons[0].mimeType`},
		{"T-ICON-01 a single number", mcptool.Icon{Src: pngURI, Sizes: []string{"any", "48"}}, `icons[0].sizes[1]`},
		{"zero width", mcptool.Icon{Src: pngURI, Sizes: []string{"0x48"}}, `"0x48" is not a size`},
		{"T-ICON-01 a list in a string", mcptool.Icon{Src: pngURI, Sizes: []string{"48x48 96x96"}}, `is not a size`},
		{"T-ICON-01 an unknown theme", mcptool.Icon{Src: pngURI, Theme: "blue"}, `icons[0].theme): "blue" is not a theme`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			tool, err := mcptool.New(done, mcptool.Name("n"), mcptool.Icons(test.icon))
			wantMistakes(t, registerError(t, tool, err), test.want)
		})
	}
}

// TestIconCheck: all mistakes in an icon are reported in one error.
func TestIconCheck(t *testing.T) {
	t.Parallel()
	if err := internals.CheckIcon(mcptool.Icon{Src: pngURI, Sizes: []string{"48x48"}}); err != nil {
		t.Error(err)
	}
	err := internals.CheckIcon(mcptool.Icon{Src: "javascript:alert(1)", Theme: "blue"})
	if err == nil || !strings.Contains(err.Error(), `src: "javascript:alert(1)" is neither`) || !strings.Contains(err.Error(), `theme: "blue" is not a theme`) {
		t.Errorf("got %v", err)
	}
}
