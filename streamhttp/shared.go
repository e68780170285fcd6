package streamhttp

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/runtime"
)

// shared has what the parts of a [Handler] have in common.
type shared struct {
	srv       *runtime.Server
	config    config
	limits    runtime.Limits
	log       *slog.Logger
	memory    *admission.Share // of the server, for messages
	supported []string         // the revisions of srv, the newest first
	life      lifetime
}

// lifetime has the stages of the shutdown of a [Handler], and counts what the shutdown waits for.
type lifetime struct {
	isDraining atomic.Bool     // only messages about tasks are served, see drain
	stopping   context.Context // ends when Shutdown begins, and ends open streams
	stop       context.CancelFunc
	closing    context.Context // ends when Shutdown returns, and cancels the remaining calls
	close      context.CancelFunc

	mu   sync.Mutex
	open int           // requests, and sessions that Shutdown ends; it does not grow after the end of stopping. Guarded by mu.
	idle chan struct{} // closed when open is 0 after the end of stopping
}

// begin makes the zero value usable.
func (l *lifetime) begin() {
	l.stopping, l.stop = context.WithCancel(context.Background())
	l.closing, l.close = context.WithCancel(context.Background())
	l.idle = make(chan struct{})
}

// isEnding reports whether a shutdown has begun.
func (l *lifetime) isEnding() bool { return l.isDraining.Load() || l.stopping.Err() != nil }

// enter counts a request until leave. It returns false after the end of stopping.
func (l *lifetime) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopping.Err() != nil {
		return false
	}
	l.open++
	return true
}

func (l *lifetime) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open--; l.open == 0 && l.stopping.Err() != nil {
		close(l.idle)
	}
}
