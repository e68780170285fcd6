package bus_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/bus"
)

// TestNewNil: New(nil) connects a server to nothing, and no call of a nil Bus is attempted and logged.
func TestNewNil(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	srv := &runtime.Server{
		Name: "docs", Version: "1.0.0", Tools: new(mcptool.Registry), Bus: bus.New(nil),
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}
	if err := srv.Check(); err != nil {
		t.Fatal(err)
	}
	srv.Tools.ResourceListChanged()
	if err := srv.Shutdown(t.Context()); err != nil { // after it, nothing is being published
		t.Error(err)
	}
	if log.Len() > 0 {
		t.Errorf("the log is not empty: %s", log.String())
	}
}
