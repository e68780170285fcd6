package runtime

import (
	"sync/atomic"

	"github.com/mcptool-go/mcptool/mcptool"
)

// served is what can be called, a tool or a method of the author's own, and what the engine has found
// out about it. That of a tool is kept with the catalog, until the tools change.
type served struct {
	tool   *mcptool.Tool // with the server's middleware around it; nil for a method
	method *Method       // nil for a tool
	pace   *pace
	size   size
	forms  [latest + 1]outputForm // how each revision sees its structured result
	bounds *bounds                // the limits of the tool, nil if it has none
}

// find returns the tool with this name, nil if there is none.
func (c *core) find(name []byte) *served {
	cat := c.catalog()
	if last := cat.last.Load(); last != nil && last.tool.Name() == string(name) {
		return last
	}
	tool, ok := c.tools.Lookup(string(name))
	if !ok {
		return nil
	}
	found := cat.served(tool)
	cat.last.Store(found)
	return found
}

// served returns what is known of the tool.
func (cat *catalog) served(t *mcptool.Tool) *served {
	kept, ok := cat.called.Load(t)
	if !ok {
		s := &served{tool: cat.wraps.of(t), pace: newPace(), bounds: cat.bounds.of(t)}
		for v := range s.forms {
			s.forms[v], _ = cat.output(t, version(v))
		}
		kept, _ = cat.called.LoadOrStore(t, s)
	}
	s, _ := kept.(*served)
	return s
}

// size is how large the answers of one tool tend to be.
type size struct{ last, before atomic.Int64 }

// was notes the size of an answer.
func (s *size) was(n int) {
	if last := s.last.Load(); last != int64(n) {
		s.last.Store(int64(n))
		s.before.Store(last)
	} else if s.before.Load() != last {
		s.before.Store(last)
	}
}

// expected returns the size that the next answer will have, if it is as the last two. A
// single large answer does not make the others pay for it.
func (s *size) expected() int { return int(min(s.last.Load(), s.before.Load())) }

// buffer returns an empty buffer for the next answer; give it back with putBuffer. A large
// answer has one of its own, of the right size if possible: to grow into the megabytes is
// to copy them several times.
func (s *size) buffer() *[]byte {
	if n := s.expected(); n > keepBuffer {
		return new(make([]byte, 0, n+n/16))
	}
	return getBuffer()
}
