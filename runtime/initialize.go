package runtime

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/internal/capability"
	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// greeter answers the requests in which clients ask what the server offers.
type greeter struct {
	*core
	lists *lists
}

// initialize answers the handshake of legacy revisions. If the client requests a revision that is not supported, or one
// without a handshake, the server offers the newest revision with a handshake.
func (g greeter) initialize(r *request, dst []byte) ([]byte, *wireError) {
	asked, capabilities := rawjson.Lookup(r.params.Raw, "protocolVersion"), rawjson.Lookup(r.params.Raw, "capabilities")
	client, named := wire.ReadClientInfo(rawjson.Lookup(r.params.Raw, "clientInfo"))
	switch {
	case rawjson.KindOf(asked) != rawjson.String:
		return dst, invalidParams("params.protocolVersion must be a string")
	case rawjson.KindOf(capabilities) != rawjson.Object:
		return dst, invalidParams("params.capabilities must be an object")
	case len(capabilities) > capabilitiesLimit:
		return dst, invalidParams(fmt.Sprintf("params.capabilities is larger than %d bytes", capabilitiesLimit))
	case !named:
		return dst, invalidParams("params.clientInfo must be an object with a name and a version")
	}
	versions := r.from.revisions.Within(wire.LegacyVersions) // not empty, see chooseVersion
	if r.version = wire.ParseVersion(rawjson.Unquote(asked)); !slices.Contains(versions, r.version) {
		r.version = versions[0]
	}
	lists := g.notices.Offered()
	if !r.lacksSession() {
		h := handshake{version: r.version, client: client, capabilities: bytes.Clone(capabilities), sessionID: rand.Text()}
		if err := sessionOf(r.from).greet(h, beginning{by: r.access, values: r.values, noListening: r.noListening, op: r.op}); err != nil {
			return dst, err
		}
	}
	dst = rawjson.AppendString(rawjson.AppendName(append(dst, '{'), "protocolVersion"), r.version.String())
	dst = g.appendCapabilities(rawjson.AppendName(dst, "capabilities"), r, lists)
	dst = append(rawjson.AppendName(dst, "serverInfo"), g.serverInfo[r.version]...)
	dst = wire.AppendOptional(dst, "instructions", g.instructions)
	return g.serverInfo.AppendTail(dst, wire.Complete, r.version, nil), nil
}

// capabilitiesLimit is the maximum size of a capabilities object that a session keeps, in bytes. The memory of a
// session in SECURITY.md includes it. Typical ones are one line.
const capabilitiesLimit = 4 << 10

// discover answers server/discover, which modern clients call instead of initialize. The answer does not depend on
// earlier messages.
func (g greeter) discover(r *request, dst []byte) ([]byte, *wireError) {
	dst = wire.AppendVersions(rawjson.AppendName(append(dst, '{'), "supportedVersions"), g.revisions.Within(wire.AllVersions))
	dst = g.appendCapabilities(rawjson.AppendName(dst, "capabilities"), r, g.notices.Offered())
	dst = wire.AppendOptional(dst, "instructions", g.instructions)
	dst = g.lists.catalog().appendCacheHint(dst, r.from, r.version)
	return g.serverInfo.AppendTail(dst, wire.Complete, r.version, nil), nil
}

// appendCapabilities appends the capabilities of this server with these lists, for the revision and the sender of the
// request. If the request has no session, capabilities that need one are left out.
func (g greeter) appendCapabilities(dst []byte, r *request, lists notify.Set) []byte {
	v := r.version
	all := []string{"tools"}
	if !r.lacksSession() {
		all = append(all, g.taskCapabilities(v, r.access)...)
		if g.clientLog.reaches(v) {
			all = append(all, "logging")
		}
	}
	listens := !r.noListening && !r.lacksSession()
	for l, offered := range lists {
		name := notify.List(l).String()
		if offered {
			all = append(all, name)
		}
		if offered && listens {
			all = append(all, name+".listChanged")
		}
	}
	if lists[notify.Resources] && listens {
		all = append(all, "resources.subscribe")
	}
	if v.Has(wire.Completions) && (completions{&g.lists.prompts, &g.lists.resources}).areOffered(v) {
		all = append(all, "completions")
	}
	for _, p := range g.extensions.methods.capabilities {
		if p.span.Includes(v) {
			all = append(all, p.capability)
		}
	}
	extensions, settings := g.extensionCapabilities(v)
	return capability.AppendValues(dst, settings, append(all, extensions...)...)
}

// taskCapabilities returns the capabilities of this server that concern tasks, for clients of revision v.
// Unauthenticated callers cannot list tasks.
func (g greeter) taskCapabilities(v wire.Version, a *Access) []string {
	switch {
	case !g.lists.offersTasks(v), v.Has(wire.PerRequest): // an extension instead, see extensionCapabilities
		return nil
	case a.owner().Principal != "":
		return []string{"tasks.list", "tasks.cancel", "tasks.requests.tools.call"}
	default:
		return []string{"tasks.cancel", "tasks.requests.tools.call"}
	}
}

// ping answers ping.
func ping(r *request, dst []byte) ([]byte, *wireError) {
	return r.from.serverInfo.AppendTail(append(dst, '{'), wire.Complete, r.version, nil), nil
}

// extensionCapabilities returns the paths of the extensions that the server declares to clients of revision v, and their
// settings if they have any: the extensions of the server, tasks, and the extensions attached to tools.
func (g greeter) extensionCapabilities(v wire.Version) (paths []string, settings map[string][]byte) {
	if g.lists.offersTasks(v) && v.Has(wire.PerRequest) {
		paths = append(paths, extensionPath+tasksExtension)
	}
	settings = map[string][]byte{}
	for _, d := range g.extensions.declared {
		if d.span.Includes(v) {
			paths = append(paths, extensionPath+d.id)
			settings[extensionPath+d.id] = d.settings
		}
	}
	for _, id := range g.lists.catalog().attached {
		if path := extensionPath + id; !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths, settings
}

// setLogLevel answers logging/setLevel.
func setLogLevel(r *request, dst []byte) ([]byte, *wireError) {
	level := wire.ParseLogLevel(rawjson.Lookup(r.params.Raw, "level"))
	if level == wire.NoLogLevel {
		return dst, invalidParams("params.level must be one of debug, info, notice, warning, error, critical, alert, emergency")
	}
	r.from.logLevel.Store(int32(level))
	return r.from.serverInfo.AppendTail(append(dst, '{'), wire.Complete, r.version, nil), nil
}
