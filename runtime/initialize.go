package runtime

import (
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/mcptool"
)

// initialize answers the handshake of the legacy era. A client that asks for a
// revision without a handshake, or for one we do not know, is offered the newest
// that has one.
func (r *request) initialize(dst []byte) ([]byte, *wireError) {
	var asked, capabilities, info []byte
	members(r.params.Raw, func(name string, value []byte) {
		switch name {
		case "protocolVersion":
			asked = value
		case "capabilities":
			capabilities = value
		case "clientInfo":
			info = value
		}
	})
	client, named := readClientInfo(info)
	switch {
	case jsonscan.KindOf(asked) != jsonscan.String:
		return dst, invalidParams("params.protocolVersion must be a string")
	case jsonscan.KindOf(capabilities) != jsonscan.Object:
		return dst, invalidParams("params.capabilities must be an object")
	case !named:
		return dst, invalidParams("params.clientInfo must be an object with a name and a version")
	}
	r.version = parseVersion(string(jsonscan.Unquote(asked)))
	if r.version == noVersion || r.version > latestLegacy {
		r.version = latestLegacy
	}
	if err := r.session.greet(handshake{version: r.version, client: client}); err != nil {
		return dst, err
	}
	dst = jsonwrite.String(jsonwrite.Name(append(dst, '{'), "protocolVersion"), r.version.String())
	c := r.session.core
	dst = c.appendCapabilities(jsonwrite.Name(dst, "capabilities"), r.version)
	dst = c.identity.append(jsonwrite.Name(dst, "serverInfo"), r.version)
	dst = appendOptional(dst, "instructions", c.instructions)
	return c.appendResultTail(dst, r.version, nil), nil
}

// greet records the handshake. There is one per session: what the client
// was promised by the first must hold.
func (s *Session) greet(h handshake) *wireError {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hello.version != noVersion {
		return invalidRequest("the session has been initialized already")
	}
	s.hello = h
	s.news.seen = s.tools.Generation()
	s.log.LogAttrs(s.ctx, slog.LevelInfo, "session begins", slog.String("client", h.client.Name),
		slog.String("client_version", h.client.Version), slog.String("protocol", h.version.String()))
	return nil
}

// initialized takes notifications/initialized: from here on the server may
// speak first.
func (s *Session) initialized() {
	s.mu.Lock()
	begins := s.hello.version != noVersion && !s.hello.confirmed && !s.closing
	s.hello.confirmed = s.hello.confirmed || begins
	s.mu.Unlock()
	if begins {
		s.watchers.join(s)
		s.announce() // of what changed since initialize
	}
}

// discover answers server/discover, the modern era's way to meet. It depends on
// nothing that happened on the connection.
func (r *request) discover(dst []byte) ([]byte, *wireError) {
	c := r.session.core
	dst = appendVersions(jsonwrite.Name(append(dst, '{'), "supportedVersions"), v20241105)
	dst = c.appendCapabilities(jsonwrite.Name(dst, "capabilities"), r.version)
	dst = appendOptional(dst, "instructions", c.instructions)
	dst = c.appendCacheHint(dst, r.version)
	return c.appendResultTail(dst, r.version, nil), nil
}

// ping answers ping.
func (r *request) ping(dst []byte) ([]byte, *wireError) {
	return r.session.appendResultTail(append(dst, '{'), r.version, nil), nil
}

// appendCapabilities appends what this server can do in revision v.
func (c *core) appendCapabilities(dst []byte, v version) []byte {
	dst = append(dst, `{"tools":{"listChanged":true}`...)
	if c.logsTo(v) {
		dst = append(dst, `,"logging":{}`...)
	}
	return append(dst, '}')
}

// readClientInfo reads an Implementation object; it reports whether name and
// version were there.
func readClientInfo(raw []byte) (info mcptool.ClientInfo, ok bool) {
	var name, version bool
	members(raw, func(member string, value []byte) {
		if jsonscan.KindOf(value) != jsonscan.String {
			return
		}
		text := cut(string(jsonscan.Unquote(value)), envelope.IDLimit)
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

// members calls fn with each member of raw, a valid JSON value. It does nothing when raw is not an object.
func members(raw []byte, fn func(name string, value []byte)) {
	if jsonscan.KindOf(raw) != jsonscan.Object {
		return
	}
	s := jsonscan.New(raw, 0)
	s.OpenObject()
	for name, ok := s.Member(); ok; name, ok = s.Member() {
		text := string(name)
		fn(text, s.Value())
	}
}
