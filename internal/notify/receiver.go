package notify

import (
	"context"
	"sync"
	"time"
)

// firstSubscribe and lastSubscribe are the first and the maximum pause between attempts to subscribe to the Bus.
const firstSubscribe, lastSubscribe = 500 * time.Millisecond, 30 * time.Second

// receiver is the subscription of an instance to its Bus, which begins when it is first needed.
type receiver struct {
	bus     Bus
	receive func(Notice)
	calls   busCalls

	stopping context.Context // ends with Shutdown
	once     sync.Once
	done     chan struct{} // closed when the subscription has ended, or never begins
}

// begin subscribes when it is first called. It does not wait.
func (r *receiver) begin() { r.once.Do(func() { go r.subscribe() }) }

// subscribe tries to subscribe until that succeeds or the server is shut down. After failed attempts it reports that
// notices may have been missed.
func (r *receiver) subscribe() {
	for failed, pause := false, firstSubscribe; ; failed, pause = true, min(2*pause, lastSubscribe) {
		var stop func()
		err := r.calls.call(r.stopping, func() (err error) {
			stop, err = r.bus.Subscribe(r.receive)
			return err
		})
		if err == nil {
			if failed {
				r.receive(Notice{Kind: noticesMissed})
			}
			context.AfterFunc(r.stopping, func() { r.end(stop) })
			return
		}
		select {
		case <-time.After(pause):
		case <-r.stopping.Done():
			close(r.done)
			return
		}
	}
}

// end ends the subscription.
func (r *receiver) end(stop func()) {
	defer close(r.done)
	_ = r.calls.call(r.stopping, func() error {
		stop()
		return nil
	})
}

// close waits until the subscription has ended or the time for that has expired. The context stopping has ended.
func (r *receiver) close(expired <-chan struct{}) {
	r.once.Do(func() { close(r.done) }) // it was never needed
	select {
	case <-r.done:
	case <-expired:
	}
}
