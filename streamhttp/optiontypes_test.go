package streamhttp_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestOptionTypes checks that the options for the server of Serve do not fit NewHandler, and that all others fit both.
func TestOptionTypes(t *testing.T) {
	t.Parallel()
	forHandler := reflect.TypeFor[streamhttp.Option]()
	for name, option := range map[string]streamhttp.ServeOption{
		"Grace": streamhttp.Grace(0), "ShutdownDelay": streamhttp.ShutdownDelay(0),
		"ReadyDetails": streamhttp.ReadyDetails(nil), "HTTPServer": streamhttp.HTTPServer(nil),
	} {
		if reflect.TypeOf(option).Implements(forHandler) {
			t.Errorf("NewHandler accepts %s, which has no effect on a handler", name)
		}
	}
	// This compiles only if each is an option of both.
	for _, option := range []streamhttp.Option{
		streamhttp.AllowHosts(), streamhttp.AllowOrigins(), streamhttp.KeepAlive(time.Second), streamhttp.NoListening(), streamhttp.Poll(0, 0),
		streamhttp.Replay(0), streamhttp.RequireSessions(), streamhttp.SessionIdle(0), streamhttp.Sessions(0), streamhttp.StaticTokens(nil),
		streamhttp.Streams(0), &streamhttp.Protection{},
	} {
		_ = streamhttp.ServeOption(option)
	}
}
