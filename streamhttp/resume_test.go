package streamhttp_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestResume: after the connection breaks, the call continues, and the client can resume its stream, more than once.
func TestResume(t *testing.T) {
	t.Parallel()
	t.Run("T-HTTPL-21 T-HTTPL-25 T-CANC-08", resume)
}

func resume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := serve(t, fixtureServer(t, nil)).begin("2025-11-25")
		ctx, leave := context.WithCancel(t.Context())
		stream := eventsOf(client.send(ctx, reporting("1", "1000")))
		primed := stream.want(t, "")
		first := stream.want(t, `"progress":1`)
		leave()
		synctest.Wait()

		waiting := eventsOf(client.listen(t.Context(), first.id))
		waiting.want(t, "")
		waiting.want(t, `"progress":2`)
		waiting.want(t, `"id":1,"result":{`)
		waiting.wantEnd(t)

		again := eventsOf(client.listen(t.Context(), primed.id))
		again.want(t, "")
		again.want(t, `"progress":1`)
		again.want(t, `"progress":2`)
		last := again.want(t, `"id":1,"result":{`)
		again.wantEnd(t)

		if response := client.listen(t.Context(), last.id); response.status != http.StatusNoContent || bodyOf(t, response) != "" {
			t.Errorf("after the last event: status %d, want 204", response.status)
		}

		other := client.begin("2025-11-25")
		if response := other.listen(t.Context(), first.id); response.status != http.StatusBadRequest {
			t.Errorf("event of another session: status %d, want 400", response.status)
		}
	})
}

// TestResumeCancelled: a client that resumes the stream of a cancelled call gets 204, so it stops. After an
// empty stream, both official clients would reconnect and listen twice.
func TestResumeCancelled(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-06-18", "2025-11-25"} {
		synctest.Test(t, func(t *testing.T) {
			client := serve(t, fixtureServer(t, nil)).begin(revision)
			stream := eventsOf(client.send(t.Context(), reporting("1", "1000")))
			if revision == "2025-11-25" {
				stream.want(t, "")
			}
			first := stream.want(t, `"progress":1`)
			client.send(t.Context(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			stream.wantEnd(t)
			if response := client.listen(t.Context(), first.id); response.status != http.StatusNoContent || bodyOf(t, response) != "" {
				t.Errorf("%s: status %d, want 204", revision, response.status)
			}
			time.Sleep(3 * time.Second) // for the tool, which ignores the cancellation
		})
	}
}
