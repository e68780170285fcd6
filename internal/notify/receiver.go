package notify

import "time"

// firstSubscribe and lastSubscribe are the first and the maximum pause between attempts to subscribe to the Bus.
const firstSubscribe, lastSubscribe = 500 * time.Millisecond, 30 * time.Second

// subscribe starts receiving notices when it is first called. It does not wait.
func (b *busClient) subscribe() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.hasBegun && b.stopping.Err() == nil {
		b.hasBegun = true
		b.running.Go(b.subscribed)
	}
}

// subscribed subscribes to the Bus until the server is shut down. After failed attempts it reports that notices may have
// been missed.
func (b *busClient) subscribed() {
	var stop func()
	for pause := firstSubscribe; b.stopping.Err() == nil; pause = min(2*pause, lastSubscribe) {
		err := b.subscribing.call(b.stopping, func() (err error) {
			stop, err = b.bus.Subscribe(b.receive)
			return err
		})
		if err != nil {
			b.pause(pause)
			continue
		}
		if pause > firstSubscribe {
			b.receive(Notice{Kind: noticesMissed})
		}
		<-b.stopping.Done()
		_ = b.subscribing.call(b.stopping, func() error {
			stop()
			return nil
		})
		return
	}
}
