package busclient

import (
	"time"

	"github.com/mcptool-go/mcptool/internal/notify"
)

// firstSubscribe and lastSubscribe are the first and the maximum pause between attempts to subscribe to the Bus.
const firstSubscribe, lastSubscribe = 500 * time.Millisecond, 30 * time.Second

// Subscribe starts receiving notices when it is first called. It does not wait.
func (c *Client) Subscribe() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hasBegun && c.stopping.Err() == nil {
		c.hasBegun = true
		c.running.Go(c.subscribed)
	}
}

// subscribed subscribes to the Bus until the server is shut down. After failed attempts it reports that notices may have
// been missed.
func (c *Client) subscribed() {
	var stop func()
	for pause := firstSubscribe; c.stopping.Err() == nil; pause = min(2*pause, lastSubscribe) {
		err := c.subscribing.call(c.stopping, func() (err error) {
			stop, err = c.bus.Subscribe(c.received)
			return err
		})
		if err != nil {
			c.pause(pause)
			continue
		}
		if pause > firstSubscribe {
			c.received(notify.Notice{Kind: notify.NoticesMissed})
		}
		<-c.stopping.Done()
		_ = c.subscribing.call(c.stopping, func() error {
			stop()
			return nil
		})
		return
	}
}

// received handles a notice of the Bus, whose content is not trusted. It ignores the notices of this instance.
func (c *Client) received(n notify.Notice) {
	if n.From != c.from && !isLong(n) {
		c.receive(n)
	}
}
