package runtime

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// What only servers need of package mcptool.
var calls = private.Take[private.Calls[*mcptool.Tool, *mcptool.Result, mcptool.Middleware]]()

// toolState is a tool, or a custom method, and what package runtime has found out about it. That of a tool is kept with
// the catalog, until the tools change.
type toolState struct {
	tool   *mcptool.Tool // with the server's middleware around it; nil for a method
	method *Method       // nil for a tool
	row    *method       // of the request that runs it
	pace   *pace
	size   size
	forms  [wire.Latest + 1]outputForm // how each revision sees its structured result
	limits *toolLimits                 // nil if it has none
}

// state returns the state of the tool.
func (cat *catalog) state(t *mcptool.Tool) *toolState {
	kept, ok := cat.states.Load(t)
	if !ok {
		s := &toolState{row: toolsCall, tool: cat.wrapped.of(t), pace: newPace(), limits: cat.limits.of(t)}
		for v := range s.forms {
			s.forms[v], _ = cat.output(t, wire.Version(v))
		}
		kept, _ = cat.states.LoadOrStore(t, s)
	}
	s, _ := kept.(*toolState)
	return s
}

// size is how large the answers of one tool usually are.
type size struct{ last, before atomic.Int64 }

// was records the size of an answer.
func (s *size) was(n int) {
	if last := s.last.Load(); last != int64(n) {
		s.last.Store(int64(n))
		s.before.Store(last)
	} else if s.before.Load() != last {
		s.before.Store(last)
	}
}

// expected returns the expected size of the next answer: the smaller one of the last two, so that a single large answer
// does not make the others expensive.
func (s *size) expected() int { return int(min(s.last.Load(), s.before.Load())) }

// wrappedTools are the tools that have been called, wrapped in the server's middleware. The state that middleware has
// for a tool is kept as long as the tool is served, also when other tools are added and removed.
type wrappedTools struct {
	middleware []mcptool.Middleware

	mu     sync.Mutex
	byTool map[*mcptool.Tool]*mcptool.Tool
}

// of returns the wrapped tool.
func (w *wrappedTools) of(t *mcptool.Tool) *mcptool.Tool {
	if len(w.middleware) == 0 {
		return t
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	wrapped := w.byTool[t]
	if wrapped == nil {
		wrapped = calls.Wrap(t, w.middleware...)
		w.byTool[t] = wrapped
	}
	return wrapped
}

// keep removes all other tools.
func (w *wrappedTools) keep(tools []*mcptool.Tool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for t := range w.byTool {
		if !slices.Contains(tools, t) {
			delete(w.byTool, t)
		}
	}
}
