package runtime

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/seal"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

const (
	// sessionAge is how long after its beginning a session can be resumed: long enough for a client that stays open
	// over a weekend.
	sessionAge = 7 * 24 * time.Hour
	// maxSessionID is the maximum length of the id of a session that can be resumed. Proxies limit the size of
	// headers: nginx allows 4 KiB for all headers of a response.
	maxSessionID = 1 << 10
)

// sealedSession is the content of a session id: the handshake and the selection.
type sealedSession struct {
	Revision string `json:"revision"`
	ID       string `json:"id"` // see [mcptool.CallInfo]
	keptClient

	Select Selection `json:"select,omitzero"` // of the client
}

// sessionBinding binds a session id to the caller. The method is one that has no state (see stateBinding), so the state
// of a call cannot be used as a session id.
func sessionBinding(s *sealer, a *Access) seal.Binding {
	b := s.binding(a, methodInitialize)
	b.Transport = "http"
	return b
}

// SealSession returns an id from which every server with the same [Server.StateKeys] can resume a session of this
// caller, which Open has returned and which has had its handshake. It returns "" if the id would be too long.
func (transportAPI) SealSession(s *Server, opened engine.Session, a *Access) string {
	c, o := s.core(), &opened.(*session).origin //nolint:forcetypeassert,errcheck // the only implementation
	h, selected := o.hello.Load(), cmp.Or(o.selected.Load(), new(Selection))
	payload, err := json.Marshal(sealedSession{h.version.String(), h.sessionID, keptClient{h.client, h.capabilities}, *selected})
	if err != nil || seal.Size(len(payload)) > maxSessionID {
		return ""
	}
	return c.seal.Seal(sessionBinding(c.seal, a), time.Now().Add(sessionAge), payload)
}

// Resume returns a func that gives a session, which Open has returned, the handshake from an id of SealSession. It
// returns nil if the id has expired, was made for another caller or with an unknown key, or has a revision that is no
// longer supported. The client is notified that the lists have changed, because it may have missed changes. Of by, which
// describes the request that resumes the session, it uses Access, Values, NoListening and HTTP.
func (transportAPI) Resume(s *Server, by *engine.Message, id string) (greet func(engine.Session)) {
	c, a := s.core(), (*Access)(by.Access)
	if len(id) > maxSessionID {
		return nil
	}
	var kept sealedSession
	payload, err := c.seal.open(id, sessionBinding(c.seal, a))
	if err == nil {
		err = json.Unmarshal(payload, &kept)
	}
	h := handshake{version: wire.ParseVersion(kept.Revision), client: kept.Info, capabilities: kept.Capabilities, sessionID: kept.ID}
	if err != nil || !slices.Contains(c.revisions.Within(wire.LegacyVersions), h.version) {
		c.log.Debug("session not resumed", slog.String("protocol", kept.Revision), slog.Any("error", err))
		return nil
	}
	return func(opened engine.Session) {
		s := opened.(*session)         //nolint:forcetypeassert,errcheck // there is no other implementation
		s.selected.Store(&kept.Select) // also if it selects all: later requests do not count
		var request *observation
		if c.observes {
			request = &observation{from: &s.origin, Operation: observe.Operation{Transport: transportOf(by.HTTP)}}
			request.sentBy(a)
		}
		s.conn.SkipQuestions()
		_ = s.greet(h, beginning{by: a, values: by.Values, noListening: by.NoListening, op: request, resumed: true}) // the first handshake does not fail
		s.initialized()
	}
}
