package runtime

import (
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/mcptool"
)

// wraps are the tools that have been called, with the server's middleware around them. What middleware keeps for
// a tool lives as long as that is served, also when others come and go.
type wraps struct {
	middleware []mcptool.Middleware

	mu     sync.Mutex
	byTool map[*mcptool.Tool]*mcptool.Tool
}

// of returns the tool as it is to be called.
func (w *wraps) of(t *mcptool.Tool) *mcptool.Tool {
	if len(w.middleware) == 0 {
		return t
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	wrapped := w.byTool[t]
	if wrapped == nil {
		wrapped = t.Wrap(w.middleware...)
		w.byTool[t] = wrapped
	}
	return wrapped
}

// keep forgets all but these tools.
func (w *wraps) keep(tools []*mcptool.Tool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for t := range w.byTool {
		if !slices.Contains(tools, t) {
			delete(w.byTool, t)
		}
	}
}
