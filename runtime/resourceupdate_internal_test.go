package runtime

import (
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

// TestUpdateBeforeAcknowledgement: an update between the beginning of a subscription and its acknowledgement is sent after
// that.
func TestUpdateBeforeAcknowledgement(t *testing.T) {
	t.Parallel()
	t.Run("T-CHG-05 RES-12", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := notesServer(t)
			out := &counter{updates: make(chan string, 10)}
			s := srv.Open(t.Context(), out)
			l := &listen{exchange: exchange{from: &s.origin, to: s}, session: s, key: "1", id: []byte("1")}
			l.resources = l.existing([]string{"notes://a"}, func() *resourceReader { return (&request{from: &s.origin, params: &envelope.Params{}}).reader() })
			if err := l.begin(); err != nil || len(l.resources) != 1 {
				t.Fatal(err, l.resources)
			}
			s.subscribers.join(s)
			srv.Tools.ResourceUpdated("notes://a")
			synctest.Wait()
			if len(out.updates) > 0 {
				t.Errorf("sent before the acknowledgement: %s", <-out.updates)
			}
			s.mu.Lock()
			l.acknowledged = true
			s.mu.Unlock()
			s.notifyChange()
			synctest.Wait()
			if len(out.updates) != 1 {
				t.Errorf("%d notifications after it, want 1", len(out.updates))
			}
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	})
}
