package client

import (
	"context"
	"fmt"
	"net/url"
)

// An sseConnection is a connection over HTTP with SSE, the transport of revision 2024-11-05. The client posts messages
// to a URL chosen by the server, and receives all messages in one stream.
type sseConnection struct {
	*httpConnection // to the URL for posting messages
	pending
}

// openSSE opens the stream of a session, which lasts until close.
func openSSE(ctx context.Context, t Target, o Options, in inbox) (*sseConnection, error) {
	s := &sseConnection{httpConnection: openHTTP(t, o, in)}
	isInTime := context.AfterFunc(ctx, s.stop)
	events, err := s.open(t.URL)
	if !isInTime() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = s.close() //nolint:contextcheck // independent of ctx; the open error is more useful
		return nil, err
	}
	s.work.Go(func() { s.read(events) })
	return s, nil
}

// open opens the stream and reads the URL for posting messages.
func (s *sseConnection) open(at string) (*events, error) {
	body, err := s.resume(s.ctx, "")
	if err != nil {
		return nil, err
	}
	context.AfterFunc(s.ctx, func() { _ = body.Close() })
	stream := newEvents(body)
	first, err := stream.next()
	if err != nil {
		return nil, s.unreachable("its stream has no event: "+err.Error(), err)
	}
	if first.name != "endpoint" {
		return nil, s.unreachable(fmt.Sprintf("its stream begins with the event %q, not with endpoint: it does not speak the transport of revision 2024-11-05", first.name), nil)
	}
	base, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	endpoint, err := base.Parse(string(first.data))
	if err != nil || endpoint.Scheme != base.Scheme || endpoint.Host != base.Host {
		return nil, s.unreachable("it names an endpoint on another host", err)
	}
	s.url = endpoint.String()
	return stream, nil
}

// read dispatches messages until the stream ends.
func (s *sseConnection) read(stream *events) {
	for {
		message, err := stream.nextMessage()
		if err != nil {
			s.fail("its stream has ended: "+err.Error(), err)
			return
		}
		id, kind := kindOf(message)
		s.pending.mu.Lock()
		isTaken := s.deliver(id, message)
		s.pending.mu.Unlock()
		if !isTaken {
			s.inbox(kind, message)
		}
	}
}

// fail fails all waiting requests.
func (s *sseConnection) fail(what string, err error) {
	s.pending.mu.Lock()
	defer s.pending.mu.Unlock()
	s.failAll(s.unreachable(what, err))
}

func (s *sseConnection) attend() {} // all messages come in one stream

func (s *sseConnection) exchange(ctx context.Context, r *request) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return s.pending.exchange(ctx, r, func() error {
		defer context.AfterFunc(s.ctx, cancel)() //nolint:contextcheck // the end of the connection, not of the request
		return s.send(ctx, r.method, r.body)
	}, s.lostError)
}

// lostError returns the error for a request of method after the connection is lost.
func (s *sseConnection) lostError(method string) error {
	s.pending.mu.Lock()
	defer s.pending.mu.Unlock()
	lost := *s.lost
	lost.What += "; " + method + " was not answered"
	return &lost
}

// close ends the stream, and with it the session.
func (s *sseConnection) close() error {
	s.fail("the connection was closed", nil)
	return s.httpConnection.close()
}
