package stdio_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// want reads the next line and checks its prefix.
func (s *session) want(t *testing.T, text string) {
	t.Helper()
	if line, err := s.answers.ReadString('\n'); err != nil || !strings.HasPrefix(line, text) {
		t.Fatalf("got  %s, %v\nwant %s", line, err, text)
	}
}

// TestPings: the client answers one ping but not the next two, and the session ends.
func TestPings(t *testing.T) {
	t.Parallel()
	t.Run("T-PING-02", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := &runtime.Server{Tools: newRegistry(t), Pings: runtime.Pings{Every: time.Minute, Timeout: 10 * time.Second, Failures: 2}}
			s := startServer(t.Context(), srv)
			go s.write(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+
				"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+call(2, "sleep", `{"millis":6000000}`))
			s.want(t, `{"jsonrpc":"2.0","id":1,"result":{`)
			s.want(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			s.write(t, `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n")
			answered := time.Now()
			s.want(t, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
			s.want(t, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
			rest, _ := io.ReadAll(s.answers)
			if err := <-s.done; err != nil {
				t.Error(err)
			}
			if took := s.ended.Sub(answered); took != 2*time.Minute+10*time.Second {
				t.Errorf("the session ended after %v, want 2m10s", took)
			}
			if readAnswers(t, string(rest))[2].text() == "slept" {
				t.Errorf("the call was not cancelled: %s", rest)
			}
		})
	})
}
