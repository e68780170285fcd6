package taskserver

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/tasks"
)

// sessionCall is a call of a session.
type sessionCall struct {
	taskengine.Call // nil: a writer needs only the methods below

	conn    engine.Writer
	waiting *respond.Out // of the tasks/result that waits for the task; nil if none waits
}

func (c sessionCall) Send(msg []byte) (lost bool)    { return c.conn.Notify(msg) != nil }
func (c sessionCall) Waiting(id string) *respond.Out { return c.waiting }

// TestWriterRules checks that the writer of a task meets the rules of [engine.Writer], wherever its messages are sent.
func TestWriterRules(t *testing.T) {
	t.Parallel()
	for name, waiting := range map[string]func(conn engine.Writer) *respond.Out{
		"no tasks/result": func(engine.Writer) *respond.Out { return nil },
		"a tasks/result that waits": func(conn engine.Writer) *respond.Out {
			out := new(respond.Out)
			out.To = conn
			return out
		},
		"a tasks/result that has been answered": func(conn engine.Writer) *respond.Out {
			out := new(respond.Out)
			out.To = conn
			out.Close()
			return out
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			enginetest.TestWriter(t, enginetest.Kind{DropsResponses: true}, func(tb testing.TB) enginetest.Client[engine.Writer] {
				tb.Helper()
				m := enginetest.Memory()
				return m.With(writer{runner: &runner{call: sessionCall{conn: m.Writer, waiting: waiting(m.Writer)}, task: new(tasks.Run)}})
			})
		})
	}
}
