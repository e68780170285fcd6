package stdio

import (
	"io"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
)

// TestSourceRules checks that the source meets the rules of [engine.Source].
func TestSourceRules(t *testing.T) {
	t.Parallel()
	enginetest.TestSource(t, func(_ testing.TB, in io.Reader, limit int, session engine.Session) engine.Source {
		return &source{newLineReader(in, limit), session, t.Context()}
	})
}
