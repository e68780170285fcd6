package streamhttp

import (
	"context"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/mcpheader"
	"github.com/mcptool-go/mcptool/runtime"
)

// maxDeleted is the maximum number of deleted ids, which take about 1 MB. Beyond it, a random one is forgotten: only its
// client could use it.
const maxDeleted = 10_000

// errClosed is the error of a session that is opened during a shutdown.
var errClosed = errors.New("the server is shutting down")

// sessions is the table of the sessions of a handler.
type sessions struct {
	*shared
	limit *admission.Share

	mu      sync.Mutex
	byID    map[string]*session
	deleted map[[sha256.Size]byte]struct{} // digests of ids that clients have deleted, and that must not be resumed
}

// open begins a session of a caller, with the current request as its only user, or returns the session with this
// id if there is one. A resumed session has a func for its handshake. The calls of the session are cancelled when ctx
// ends. Beyond a limit it ends the session of the caller that has been idle for longest. The error text is for users.
//
// The session is opened before the lock of all sessions is taken, and has its handshake after that, because both call
// code of the author: log handlers, observers, stores.
func (t *sessions) open(ctx context.Context, id string, access *runtime.Access, replay *replayLog, greet func(engine.Session)) (*session, error) {
	if access.Claims != nil { // each request has its own
		without := *access
		without.Claims = nil
		access = &without
	}
	s := &session{
		id:     id,
		access: access, replay: replay, waiting: make(chan struct{}, maxWaiting),
		scopes: access.Scopes, users: 1, greeted: make(chan struct{}),
	}
	defer close(s.greeted)
	replay.memory = &engine.Reservation{Memory: t.memory, Caller: transport.Caller(access)}
	ctx, s.leave = context.WithCancelCause(ctx)
	s.engine = transport.Open(ctx, t.srv, replay)
	other, replaced, err := t.insert(s)
	if replaced != nil {
		replaced.abort(errReplaced)
	}
	switch {
	case err != nil:
		s.abort(err)
		return nil, err
	case other != nil: // another request has just resumed it
		s.abort(errReplaced)
		return other, nil
	}
	context.AfterFunc(s.engine.Context(), func() { t.expire(s, false, context.Cause(s.engine.Context())) }) //nolint:contextcheck // it ends with the context, and inherits nothing
	if greet != nil {
		greet(s.engine)
	}
	return s, nil
}

// insert adds a session to the table. It returns another session with the same id if there is one, or the session that
// was removed in its place and must be ended.
func (t *sessions) insert(s *session) (other, replaced *session, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if other, ok := t.findLocked(s.id, s.access); ok {
		return other, nil, nil
	}
	if replaced, err = t.makeRoom(s.id, transport.Caller(s.access)); err == nil {
		t.byID[s.id] = s
	}
	return nil, replaced, err
}

// resume continues a session that has ended here, or that another process has begun, unless its client has
// deleted it. HTTP is the major version of HTTP, and values has those of the request.
func (t *sessions) resume(values context.Context, id string, access *runtime.Access, http int) (*session, error) {
	by := &engine.Message{Access: (*engine.Access)(access), Values: values, NoListening: t.config.noListening, HTTP: uint8(http)} //nolint:gosec // one digit
	greet := transport.Resume(t.srv, by, id)                                                                                      //nolint:contextcheck // the session outlives the request, of which it only has the values
	if greet == nil {
		return nil, errDeleted
	}
	replay := newReplayLog(max(t.config.replay, 0))
	// The ids of events that the client has read before must not refer to others.
	first := 1 + rand.IntN(1<<30) //nolint:gosec // not a secret
	replay.next, replay.general.last, replay.general.written = first, first, first
	return t.open(context.Background(), id, access, replay, greet) //nolint:contextcheck // as above
}

// rename changes the id of a session.
func (t *sessions) rename(s *session, id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[s.id] == s { // the server is not shutting down
		delete(t.byID, s.id)
		t.byID[id] = s
	}
	s.id = id
}

// makeRoom counts one more session of a caller, with this id. If it had to remove a session from the table, it returns
// that; the caller, which holds t.mu, must end it after releasing the lock.
func (t *sessions) makeRoom(id string, caller admission.Caller) (replaced *session, err error) {
	if t.life.stopping.Err() != nil {
		return nil, errClosed
	}
	if _, deleted := t.deleted[sha256.Sum256([]byte(id))]; deleted {
		return nil, errDeleted
	}
	err = t.limit.Take(caller, 1, admission.Within)
	if err == nil {
		return nil, nil //nolint:nilnil // there is room
	}
	for _, s := range t.byID {
		if transport.Caller(s.access) == caller && s.users == 0 && (replaced == nil || s.idleSince.Before(replaced.idleSince)) {
			replaced = s
		}
	}
	if replaced == nil {
		return nil, limitError(t.limit, err, "sessions")
	}
	t.drop(replaced)
	return replaced, t.limit.Take(caller, 1, admission.Within)
}

// drop removes a session that is in the table. The caller holds t.mu.
func (t *sessions) drop(s *session) {
	delete(t.byID, s.id)
	t.limit.Give(transport.Caller(s.access), 1)
	if s.timer != nil {
		s.timer.Stop()
	}
}

// of returns the session of the request, and counts the request as one of its users until release.
func (t *sessions) of(q *request) (*session, *httpError) {
	id, err := mcpheader.Single(q.r.Header, headerSession)
	if err != nil {
		return nil, &httpError{
			status: http.StatusBadRequest, code: codeInvalidParams, id: q.id(),
			text: "the header " + headerSession + " " + err.Error() + ", and params._meta lacks io.modelcontextprotocol/protocolVersion: begin with initialize",
		}
	}
	s, ok := t.find(id, q.caller.access)
	if !ok {
		if t.life.stopping.Err() != nil {
			return nil, unavailable(q.id(), errClosed.Error())
		}
		switch s, err = t.resume(q.r.Context(), id, q.caller.access, q.r.ProtoMajor); {
		case errors.Is(err, errDeleted):
			return nil, newError(http.StatusNotFound, "unknown or expired session: begin a new one with initialize").about(q.id())
		case err != nil:
			return nil, tooMany(q.id(), err)
		}
	}
	<-s.greeted // net/http also ends the context of a request whose client has closed only its half of the connection
	// The revision of the session is the one that initialize has negotiated. Some clients send another one.
	if _, problem := namedRevision(q.r.Header, t.supported); problem != "" {
		agreed := s.engine.ProtocolVersion()
		t.release(s)
		return nil, newError(http.StatusBadRequest, problem+"; the revision of the session is "+agreed).about(q.id())
	}
	return s, nil
}

// has reports whether a session with this id belongs to the caller.
func (t *sessions) has(id string, access *runtime.Access) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.byID[id]
	return ok && s.isOf(access)
}

// find returns the session with this id, with one more user. Only its owner can find it. If this request has scopes
// that earlier requests did not have, the general stream ends, because it must not get messages that it causes: its
// client has to reconnect.
func (t *sessions) find(id string, access *runtime.Access) (*session, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.findLocked(id, access)
}

func (t *sessions) findLocked(id string, access *runtime.Access) (*session, bool) {
	s, ok := t.byID[id]
	if !ok || !s.isOf(access) {
		return nil, false
	}
	if !includes(s.scopes, access.Scopes) {
		s.scopes = union(s.scopes, access.Scopes)
		s.replay.leaveGeneral()
	}
	s.users++
	if s.timer != nil {
		s.timer.Stop()
	}
	return s, true
}

// mayStream refuses a stream of a session to a request that lacks scopes of earlier requests: the stream may contain
// messages that those have caused, such as their results, and notifications of resources that they have subscribed to.
func (t *sessions) mayStream(q *request, s *session) *httpError {
	t.mu.Lock()
	scopes := s.scopes
	t.mu.Unlock()
	if includes(q.caller.access.Scopes, scopes) {
		return nil
	}
	const text = "the streams of the session need all scopes that its requests had"
	if p := q.caller.protection; p != nil {
		return p.refuse(http.StatusForbidden, codeInsufficientScope, text, union(p.required, scopes))
	}
	return newError(http.StatusForbidden, text)
}

// noteDeleted prevents that the session with this id is resumed.
func (t *sessions) noteDeleted(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for digest := range t.deleted {
		if len(t.deleted) < maxDeleted {
			break
		}
		delete(t.deleted, digest)
	}
	t.deleted[sha256.Sum256([]byte(id))] = struct{}{}
}

// release removes one user. A session without users expires after [SessionIdle], and its questions end before that.
func (t *sessions) release(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.users--; s.users > 0 || t.byID[s.id] != s {
		return
	}
	s.idleSince = time.Now()
	after := clientGone
	if t.config.idle > 0 {
		after = min(after, t.config.idle)
	}
	if s.timer == nil {
		s.timer = time.AfterFunc(after, func() { t.unused(s) })
	} else {
		s.timer.Reset(after)
	}
}

// clientGone is the time without a request of the client after which its session fails open requests to the client.
// Clients that reconnect do so within seconds.
const clientGone = time.Minute

// unused is called while a session has no users, whenever clientGone has passed, since its calls may ask later, and when
// the session expires.
func (t *sessions) unused(s *session) {
	t.mu.Lock()
	left := t.config.idle - time.Since(s.idleSince)
	isIdle, isExpired := t.byID[s.id] == s && s.users == 0, t.config.idle > 0 && left <= 0
	if isIdle && !isExpired {
		after := clientGone
		if t.config.idle > 0 {
			after = min(after, left)
		}
		s.timer.Reset(after)
	}
	t.mu.Unlock()
	switch {
	case !isIdle:
	case isExpired:
		t.expire(s, true, errIdle)
	default:
		s.engine.FailRequests()
	}
}

// expire ends a session with the cause why. If unused is set, it does so only if the session has no users.
func (t *sessions) expire(s *session, unused bool, why error) {
	if t.remove(s, unused) {
		s.abort(why)
	}
}

// remove removes a session from the table and reports whether it did. If unused is set, it does so only if the session
// has no users.
func (t *sessions) remove(s *session, unused bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[s.id] != s || unused && s.users > 0 {
		return false
	}
	t.drop(s)
	return true
}

// closeAll removes all sessions and returns them. It is called after the end of stopping, so no session can be opened.
func (t *sessions) closeAll() []*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]*session, 0, len(t.byID))
	for _, s := range t.byID {
		all = append(all, s)
		t.drop(s)
	}
	return all
}
