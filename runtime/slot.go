package runtime

import (
	"context"
	"sync"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/callctx"
)

// slots are for long work: one fewer than processors, so that one remains free for quick work.
type slots struct{ *admission.Semaphore }

// enter waits for one of the slots, for work on a text of this size from a caller with this access: from
// 16 KiB on, except for trusted peers. The error is the error of ctx if that ends first. Leave gives the slot back, and
// may be called more than once.
func (s slots) enter(ctx context.Context, a *Access, size int) (leave func(), err error) {
	if size < callctx.Long || a == nil {
		return func() {}, nil
	}
	if err := s.Acquire(ctx, a.caller(), 0); err != nil {
		return func() {}, err
	}
	return sync.OnceFunc(s.Release), nil
}
