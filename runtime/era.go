package runtime

import (
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// chooseVersion sets the revision of the request. A request that names one in its _meta is modern, whatever else
// happened on the connection. Any other has the revision that initialize has negotiated, or is initialize itself.
func (r *request) chooseVersion(method []byte) *wireError {
	if r.params.Meta.ProtocolVersion != nil {
		return r.chooseModern()
	}
	if r.stateless {
		if string(method) == methodInitialize {
			return r.noHandshake()
		}
		return misaddressed("params._meta lacks " + wire.MetaProtocolVersion)
	}
	r.version = r.session.agreed()
	if r.version == wire.NoVersion {
		if name := string(method); name != methodInitialize && name != methodPing {
			return invalidParams("params._meta lacks " + wire.MetaProtocolVersion + " and " + wire.MetaClientCapabilities +
				", and there was no initialize request before")
		}
		r.version = wire.LatestLegacy // until initialize sets another one
	}
	return nil
}

// chooseModern checks the _meta of a modern request, in the order in which clients expect errors.
func (r *request) chooseModern() *wireError {
	meta := &r.params.Meta
	if jsonscan.KindOf(meta.ProtocolVersion) != jsonscan.String {
		return misaddressed("params._meta." + wire.MetaProtocolVersion + " must be a string")
	}
	name := jsonscan.Unquote(meta.ProtocolVersion)
	asked := wire.ParseVersion(name)
	if !asked.Has(wire.PerRequest) {
		return r.unsupportedVersion(asked, string(name))
	}
	if jsonscan.KindOf(meta.ClientCapabilities) != jsonscan.Object {
		return misaddressed("params._meta." + wire.MetaClientCapabilities + " must be an object")
	}
	if raw := meta.LogLevel; raw != nil && wire.ParseLogLevel(raw) == wire.NoLogLevel {
		return invalidParams("params._meta." + wire.MetaLogLevel + " is no log level")
	}
	r.version = asked
	return nil
}

// noHandshake refuses an initialize where only modern requests are served. The error lists the modern revisions, so a
// client that supports both kinds can continue with one.
func (r *request) noHandshake() *wireError {
	var asked []byte
	wire.Members(r.params.Raw, func(name string, value []byte) {
		if name == "protocolVersion" && jsonscan.KindOf(value) == jsonscan.String {
			asked = jsonscan.Unquote(value)
		}
	})
	return r.unsupportedVersion(wire.LatestLegacy, string(asked))
}

// checkParams checks the params in general: what holds for every method.
func (r *request) checkParams() *wireError {
	p := r.params
	if p.Kind != jsonscan.Invalid && p.Kind != jsonscan.Object {
		return invalidParams("params must be an object")
	}
	if p.Twice != "" {
		return invalidParams(p.Twice + " stands in params twice")
	}
	if p.Meta.Kind != jsonscan.Invalid && p.Meta.Kind != jsonscan.Object {
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
