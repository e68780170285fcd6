package mcptool

import (
	"fmt"
	"regexp"
	"strings"
)

// Icon is a picture that a client may show for a tool or a resource link. Use PNG or JPEG, which every client that
// shows icons supports. Icons are not sent to clients older than revision 2025-11-25.
type Icon struct {
	// Src is an https: or data: URI, preferably on the server's own origin. It is required.
	Src string
	// MIMEType overrides the media type that the source declares. "" means unset.
	MIMEType string
	// Sizes lists the sizes in pixels that the picture is made for, such as "48x48", or is "any" for a scalable
	// picture. Empty means unset.
	Sizes []string
	// Theme is the kind of background that the picture is made for: "light", "dark", or "" for both.
	Theme string
}

func (icon Icon) check(fs *findings) {
	scheme, rest, _ := strings.Cut(icon.Src, ":")
	switch strings.ToLower(scheme) {
	case "https":
		checkURI(fs, "src", icon.Src)
	case "data":
		if !strings.Contains(rest, ",") {
			fs.add("src", "the data: URI has no comma before its data", "write data:image/png;base64,…")
		}
		checkURI(fs, "src", icon.Src)
	case "http":
		fs.add("src", fmt.Sprintf("%q is not safe to load, and clients refuse it", icon.Src), "serve it over https:, or embed it as a data: URI")
	default:
		fs.add("src", fmt.Sprintf("%q is neither an https: nor a data: URI", icon.Src), "clients load icons from no other source")
	}
	checkMIMEType(fs, icon.MIMEType)
	for i, size := range icon.Sizes {
		if !iconSize.MatchString(size) {
			fs.add(fmt.Sprintf("sizes[%d]", i), fmt.Sprintf("%q is not a size", size), `write "48x48", or "any" for a picture that scales`)
		}
	}
	switch icon.Theme {
	case "", "light", "dark":
	default:
		fs.add("theme", fmt.Sprintf("%q is not a theme", icon.Theme), `write "light", "dark" or nothing`)
	}
}

var iconSize = regexp.MustCompile(`^([1-9][0-9]{0,4}x[1-9][0-9]{0,4}|any)$`)

// checkIcons checks icons below the path "icons".
func checkIcons(fs *findings, icons []Icon) {
	each(fs, "icons", icons, func(icon Icon) { icon.check(fs) })
}
