package stdio

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
)

// TestWriterRules checks that the writer meets the rules of [engine.Conn].
func TestWriterRules(t *testing.T) {
	t.Parallel()
	enginetest.TestConn(t, enginetest.Kind{}, func(testing.TB) enginetest.Client[engine.Conn] {
		c := new(lineClient)
		return enginetest.Client[engine.Conn]{Writer: newWriter(c), Received: c.received, Leave: c.leave}
	})
}

// lineClient is an output whose reader keeps the lines until it leaves.
type lineClient struct {
	mu      sync.Mutex
	text    bytes.Buffer
	hasLeft bool
}

func (c *lineClient) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hasLeft {
		return 0, io.ErrClosedPipe
	}
	return c.text.Write(p)
}

func (c *lineClient) received() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := slices.Collect(strings.Lines(c.text.String()))
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\n")
	}
	return lines
}

func (c *lineClient) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hasLeft = true
}
