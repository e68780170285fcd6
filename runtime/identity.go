package runtime

import (
	"log/slog"
	"path"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/mcptool"
)

// What a server is called when neither its author nor the build says.
const (
	unnamed     = "mcp-server"
	unversioned = "0.0.0-dev"
)

// identity is who a server says it is.
type identity struct {
	name, version, title    string
	description, websiteURL string
	icons                   []mcptool.Icon
}

// safeIcons returns the icons that clients take. The others are mistakes of the author, which the log is told.
func safeIcons(icons []mcptool.Icon, logger *slog.Logger) (safe []mcptool.Icon) {
	for i, icon := range icons {
		if err := contents.CheckIcon(icon); err != nil {
			logger.Error("icon of the server left out", slog.Int("index", i), slog.String("reason", joinLines(err.Error())))
			continue
		}
		safe = append(safe, icon)
	}
	return safe
}

// newIdentity returns the identity of s, told from the build where s is silent.
func newIdentity(s *Server) identity {
	id := identity{
		name: s.Name, version: s.Version, title: s.Title,
		description: s.Description, websiteURL: s.WebsiteURL, icons: s.Icons,
	}
	if id.name != "" && id.version != "" {
		return id
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	if id.name == "" {
		id.name = programName(info)
	}
	if id.version == "" {
		id.version = programVersion(info)
	}
	return id
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// programName is the last element of the main package's path that is not a major
// version. A program run from a list of files has no path of its own; then the module's
// is taken.
func programName(info *debug.BuildInfo) string {
	for _, p := range []string{info.Path, info.Main.Path} {
		if p == "command-line-arguments" {
			continue
		}
		if majorVersion.MatchString(path.Base(p)) {
			p = path.Dir(p)
		}
		if base := path.Base(p); base != "." && base != "/" {
			return base
		}
	}
	return unnamed
}

// programVersion is the version of the main module, without the v.
func programVersion(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return strings.TrimPrefix(v, "v")
	}
	return unversioned
}

// append appends the identity as an Implementation object of revision v.
func (id *identity) append(dst []byte, v version) []byte {
	dst = append(dst, '{')
	dst = appendText(dst, "name", id.name)
	dst = appendText(dst, "version", id.version)
	if v.has(titles) {
		dst = appendOptional(dst, "title", id.title)
	}
	if v.has(serverDetails) {
		dst = appendOptional(dst, "description", id.description)
		dst = appendOptional(dst, "websiteUrl", id.websiteURL)
	}
	return append(appendIcons(dst, id.icons, v), '}')
}

// appendText appends a member that is a string.
func appendText(dst []byte, name, text string) []byte {
	return jsonwrite.String(jsonwrite.Name(dst, name), text)
}

// appendOptional appends a member that is a string, unless it is empty.
func appendOptional(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	return appendText(dst, name, text)
}
