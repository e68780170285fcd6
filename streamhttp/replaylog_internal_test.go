package streamhttp

import (
	"fmt"
	"testing"
)

// TestUnreadNotifications: without a reader, the general stream keeps at most maxUnsent messages, even if a slow reader
// left more unread.
func TestUnreadNotifications(t *testing.T) {
	t.Parallel()
	l := newReplayLog(1 << 10)
	s, r := l.listen()
	for i := range 3 * maxUnsent {
		_ = l.Notify(fmt.Appendf(nil, `{"n":%d}`, i))
	}
	s.leave(r)
	if n := len(s.unread()); n > maxUnsent {
		t.Errorf("%d messages kept after the reader left, want at most %d", n, maxUnsent)
	}
	for i := range 1000 {
		_ = l.Notify(fmt.Appendf(nil, `{"m":%d}`, i))
	}
	if n := len(s.unread()); n != maxUnsent || l.size > 4<<10 {
		t.Errorf("%d messages kept, %d bytes; want %d messages", n, l.size, maxUnsent)
	}
}

// TestLongAnswerIsKept: a response larger than the limit is kept for a client that resumes its stream, even if other
// messages follow.
func TestLongAnswerIsKept(t *testing.T) {
	t.Parallel()
	l := newReplayLog(1 << 10)
	s, r := l.begin()
	s.leave(r)
	s.end(make([]byte, 2<<10))
	_ = l.Notify([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
	if _, _, err := l.resume(eventID{s.id, 0}); err != nil {
		t.Error(err)
	}
}
