package runtime

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// setRevisions sets the supported revisions. An unknown name is a mistake.
func (c *core) setRevisions(names []string) {
	for v := wire.V20241105; v <= wire.Latest; v++ {
		c.revisions[v] = len(names) == 0
	}
	for _, name := range names {
		v := wire.ParseVersion(name)
		if v == wire.NoVersion {
			err := fmt.Errorf("Server.Revisions: unknown revision %q", name)
			c.log.Error("revision is not supported", slog.Any("error", err))
			c.revisionMistakes = errors.Join(c.revisionMistakes, err)
			continue
		}
		c.revisions[v] = true
	}
}

// SupportedRevisions returns the protocol revisions that the server supports, the newest first: see [Server.Revisions].
func (s *Server) SupportedRevisions() (names []string) {
	for _, v := range s.core().revisions.Within(wire.AllVersions) {
		names = append(names, v.String())
	}
	return names
}

// chooseVersion sets the revision of the request. A request with a revision in its _meta is modern, independent of
// earlier messages. Other requests have the revision that initialize has negotiated, or are initialize itself.
func (r *request) chooseVersion(method []byte) *wireError {
	if r.params.Meta.ProtocolVersion != nil {
		return r.chooseModern()
	}
	if string(method) == methodInitialize && (r.stateless || len(r.from.revisions.Within(wire.LegacyVersions)) == 0) {
		return r.noHandshake()
	}
	if r.stateless {
		return noVersion()
	}
	r.version = r.from.agreed()
	if r.version == wire.NoVersion {
		if name := string(method); name != methodInitialize && name != methodPing {
			return invalidParams("params._meta lacks " + wire.MetaProtocolVersion + " and " + wire.MetaClientCapabilities +
				", and there was no initialize request before")
		}
		r.version = wire.LatestLegacy // until initialize sets another one
	}
	return nil
}

// lacksSession reports whether the request is of a legacy revision without a session: see [Message.Revision].
func (r *request) lacksSession() bool {
	return r.from.session == nil && !r.version.Has(wire.PerRequest)
}

// chooseModern checks the _meta of a modern request, in the order in which clients expect errors.
func (r *request) chooseModern() *wireError {
	meta := &r.params.Meta
	if rawjson.KindOf(meta.ProtocolVersion) != rawjson.String {
		return misaddressed("params._meta." + wire.MetaProtocolVersion + " must be a string")
	}
	name := rawjson.Unquote(meta.ProtocolVersion)
	asked := wire.ParseVersion(name)
	if !asked.Has(wire.PerRequest) || !r.from.revisions[asked] {
		return r.unsupportedVersion(asked, string(name))
	}
	if rawjson.KindOf(meta.ClientCapabilities) != rawjson.Object {
		return misaddressed("params._meta." + wire.MetaClientCapabilities + " must be an object")
	}
	if raw := meta.LogLevel; raw != nil && wire.ParseLogLevel(raw) == wire.NoLogLevel {
		return invalidParams("params._meta." + wire.MetaLogLevel + " is no log level")
	}
	r.version = asked
	return nil
}

// noVersion refuses a request that must have a revision in its _meta.
func noVersion() *wireError {
	return misaddressed("params._meta lacks " + wire.MetaProtocolVersion)
}

// noHandshake refuses an initialize if only modern requests are served. The error lists the modern revisions, so a
// client that supports both kinds can continue with one of them.
func (r *request) noHandshake() *wireError {
	var asked []byte
	wire.Members(r.params.Raw, func(name string, value []byte) {
		if name == "protocolVersion" && rawjson.KindOf(value) == rawjson.String {
			asked = rawjson.Unquote(value)
		}
	})
	return r.unsupportedVersion(wire.LatestLegacy, string(asked))
}

// checkParams checks the rules for the params of every method.
func (r *request) checkParams() *wireError {
	p := r.params
	if p.Kind != rawjson.Invalid && p.Kind != rawjson.Object {
		return invalidParams("params must be an object")
	}
	if p.Twice != "" {
		return invalidParams(p.Twice + " stands in params twice")
	}
	if p.Meta.Kind != rawjson.Invalid && p.Meta.Kind != rawjson.Object {
		return invalidParams("params._meta must be an object")
	}
	if t := p.Meta.ProgressToken; t != nil && !envelope.ValidID(t) {
		return invalidParams("params._meta.progressToken must be a string or an integer")
	}
	return nil
}

// HasHandshake reports whether protocolVersion is a supported revision in which a connection begins with the request
// initialize: "2024-11-05" to "2025-11-25". In later supported revisions each request names its revision; for these,
// and for unknown ones, it returns false.
func HasHandshake(protocolVersion string) bool {
	v := wire.ParseVersion(protocolVersion)
	return v != wire.NoVersion && !v.Has(wire.PerRequest)
}
