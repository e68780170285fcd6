package respond_test

import (
	"errors"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
)

// TestCancelledWritten: the response to a request that was cancelled is dropped, and what waits for it does not wait any
// longer.
func TestCancelledWritten(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(*respond.Out, engine.End) error{
		"Respond": func(o *respond.Out, end engine.End) error { return o.Respond([]byte("{}"), end) },
		"Replace": func(o *respond.Out, end engine.End) error {
			return o.Replace(enginetest.Discard{}, []byte("{}"), end)
		},
	} {
		m := enginetest.Memory()
		var out respond.Out
		out.To = m.Writer
		if err := out.Cancel(func() {}); err != nil {
			t.Errorf("%s: Cancel returned %v", name, err)
		}
		calls := 0
		err := send(&out, engine.End{EndExtra: &engine.EndExtra{Written: func() { calls++ }}})
		if !errors.Is(err, respond.ErrOver) || calls != 1 || len(m.Received()) > 0 {
			t.Errorf("%s after Cancel: got %v, %d calls of Written and the messages %q; want ErrOver, 1 call and no message", name, err, calls, m.Received())
		}
	}
}
