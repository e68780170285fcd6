package runtime_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// TestCheckClient: a client that is checked has to send something, and is pinged if its revision allows that.
func TestCheckClient(t *testing.T) {
	t.Parallel()
	const pong = `{"jsonrpc":"2.0","id":1,"result":{}}`
	for _, test := range []struct {
		name, reason string
		pings        runtime.Pings
		send         []string // after 29 s
		ends         bool
	}{
		{"T-PING-02 silent", "it was pinged", runtime.Pings{}, nil, true},
		{"T-PING-02 silent, with pings", "three pings would take longer", runtime.Pings{Every: time.Hour}, nil, true},
		{"T-PING-02 answers", "it is alive", runtime.Pings{}, []string{pong}, false},
		{"T-PING-02 answers with an error", "it is alive", runtime.Pings{}, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown"}}`}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t)
				srv.Pings = test.pings
				w := open(t, srv)
				w.handshake("2025-11-25")
				w.session.CheckClient("its process has ended", 30*time.Second)
				synctest.Wait()
				w.wantPing("1")
				pass(29 * time.Second)
				if err := w.ended(); err != nil {
					t.Fatalf("%s: the session ends early: %v", test.reason, err)
				}
				w.send(test.send...)
				pass(2 * time.Second)
				err := w.ended()
				if test.ends != errors.Is(err, runtime.ErrDisconnected) {
					t.Errorf("%s: the session ends with %v", test.reason, err)
				}
				if test.ends && !strings.Contains(err.Error(), "its process has ended, and the client has sent nothing for 30s") {
					t.Errorf("the cause is %v", err)
				}
			})
		})
	}
	t.Run("T-PING-02 full queue", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := serve(t, tool(t, "slow", anHour))
			srv.Limits.MaxConcurrentCalls, srv.Limits.MaxQueuedCalls = 1, 1
			w := open(t, srv)
			w.handshake("2025-11-25")
			go w.send(callNamed("1", "slow"), callNamed("2", "slow"), callNamed("3", "slow"), pong)
			synctest.Wait()
			w.session.CheckClient("its process has ended", 30*time.Second)
			pass(time.Hour - time.Minute)
			if err := w.ended(); err != nil {
				t.Errorf("its messages are not read: %v", err)
			}
			pass(3 * time.Hour)
			if err := w.ended(); err != nil {
				t.Errorf("it has answered: %v", err)
			}
		})
	})
	t.Run("T-PING-02 while the session is closed", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := serve(t)
			log := logged(srv, 0)
			w := open(t, srv)
			w.handshake("2025-11-25")
			w.session.CheckClient("its process has ended", 30*time.Second)
			if err := w.session.Close(t.Context()); err != nil {
				t.Error(err)
			}
			pass(time.Minute)
			if err := w.ended(); !errors.Is(err, runtime.ErrShutdown) || strings.Contains(log.String(), "does not answer") {
				t.Errorf("%v, %s", err, log)
			}
		})
	})
}
