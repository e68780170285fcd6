package runtime

import (
	"context"
	"sync"
	"time"
)

// firstSubscribe and lastSubscribe are the first and the maximum pause between attempts to subscribe to the Bus.
const firstSubscribe, lastSubscribe = 500 * time.Millisecond, 30 * time.Second

// busSubscription is the subscription of a server to its Bus, which begins when it is first needed.
type busSubscription struct {
	bus     Bus
	receive func(Notice)
	calls   busCalls

	stopping context.Context // ends with Shutdown
	once     sync.Once
	done     chan struct{} // closed when the subscription has ended, or never begins
}

// begin subscribes when it is first called. It does not wait.
func (s *busSubscription) begin() { s.once.Do(func() { go s.subscribe() }) }

// subscribe tries to subscribe until that succeeds or the server is shut down. After failed attempts it reports that
// notices may have been missed.
func (s *busSubscription) subscribe() {
	for failed, pause := false, firstSubscribe; ; failed, pause = true, min(2*pause, lastSubscribe) {
		var stop func()
		err := s.calls.call(s.stopping, func() (err error) {
			stop, err = s.bus.Subscribe(s.receive)
			return err
		})
		if err == nil {
			if failed {
				s.receive(Notice{Kind: NoticesMissed})
			}
			context.AfterFunc(s.stopping, func() { s.end(stop) })
			return
		}
		if !sleep(s.stopping, pause) {
			close(s.done)
			return
		}
	}
}

// end ends the subscription.
func (s *busSubscription) end(stop func()) {
	defer close(s.done)
	_ = s.calls.call(s.stopping, func() error {
		stop()
		return nil
	})
}

// close waits until the subscription has ended, for at most grace. The context stopping has ended.
func (s *busSubscription) close(grace time.Duration) {
	s.once.Do(func() { close(s.done) }) // it was never needed
	wait(s.done, grace)
}
