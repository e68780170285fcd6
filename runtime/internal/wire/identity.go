package wire

import (
	"fmt"
	"path"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
)

// The name and version of a server if neither the program nor its build information has them.
const (
	unnamed     = "mcp-server"
	unversioned = "0.0.0-dev"
)

// Identity is the identity that a server sends to clients, serverInfo in the protocol.
type Identity struct {
	Name, Version, Title    string
	Description, WebsiteURL string
	Icons                   []mcptool.Icon
}

// SafeIcons returns the valid icons, and an error for each of the others.
func SafeIcons(icons []mcptool.Icon) (safe []mcptool.Icon, mistakes []error) {
	for i, icon := range icons {
		if err := internals.CheckIcon(icon); err != nil {
			mistakes = append(mistakes, fmt.Errorf("Server.Icons: element %d: %s", i, JoinLines(err.Error())))
			continue
		}
		safe = append(safe, icon)
	}
	return safe, mistakes
}

// FromBuild sets an empty name and version from the build information.
func (id *Identity) FromBuild() {
	if id.Name != "" && id.Version != "" {
		return
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	if id.Name == "" {
		id.Name = programName(info)
	}
	if id.Version == "" {
		id.Version = programVersion(info)
	}
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// programName returns the last element of the main package's path that is not a major version. If the program was built
// from a list of files, which has no package path, it uses the path of the module.
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

// programVersion returns the version of the main module without the "v".
func programVersion(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return strings.TrimPrefix(v, "v")
	}
	return unversioned
}

// Append appends the identity as an Implementation object of revision v.
func (id *Identity) Append(dst []byte, v Version) []byte {
	dst = append(dst, '{')
	dst = AppendText(dst, "name", id.Name)
	dst = AppendText(dst, "version", id.Version)
	if v.Has(Titles) {
		dst = AppendOptional(dst, "title", id.Title)
	}
	if v.Has(ServerDetails) {
		dst = AppendOptional(dst, "description", id.Description)
		dst = AppendOptional(dst, "websiteUrl", id.WebsiteURL)
	}
	return append(appendIcons(dst, id.Icons, v), '}')
}

// ReadClientInfo reads an Implementation object, and reports whether it has a name and a version. Texts are cut to
// [envelope.IDLimit] bytes.
func ReadClientInfo(raw []byte) (info mcptool.ClientInfo, ok bool) {
	var name, version bool
	Members(raw, func(member string, value []byte) {
		if rawjson.KindOf(value) != rawjson.String {
			return
		}
		text := Cut(string(rawjson.Unquote(value)), envelope.IDLimit)
		switch member {
		case "name":
			info.Name, name = text, true
		case "version":
			info.Version, version = text, true
		case "title":
			info.Title = text
		}
	})
	return info, name && version
}
