package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/runtime/bus"
)

// TestBus delivers notices between instances, drops invalid messages, and continues after an interruption.
func TestBus(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	p, through := newProxy(t, strings.TrimPrefix(address, "nats://"))
	one, two := connect(t, address, jetstream.Options{}).Bus(), connect(t, through, jetstream.Options{}).Bus()
	got := make(chan bus.Notice, 100)
	stop, err := two.Subscribe(func(n bus.Notice) { got <- n })
	if err != nil {
		t.Fatal(err)
	}
	raw := client(t, address)
	for _, text := range []string{"", "hello", "{}", `{"from":"x"}`, `[1]`, `{"from":"x","kind":"tools","subject":"` + strings.Repeat("s", 70<<10) + `"}`} {
		if err := raw.Publish("mcptool.notice", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := raw.Flush(); err != nil {
		t.Fatal(err)
	}
	want := []bus.Notice{
		{From: "i1", Kind: "tools"},
		{From: "i1", Kind: bus.KindResource, Subject: "file:///a b<ü>\u2028"},
		{From: "i1", Kind: "of a newer version"},
		{Kind: "prompts"}, // published by a program that is not a server
	}
	for i, n := range want {
		if err := one.Publish(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(n, <-got); diff != "" {
			t.Errorf("notice %d (-want +got):\n%s", i, diff)
		}
	}
	if err := one.Publish(t.Context(), bus.Notice{From: "i1", Kind: "x", Subject: strings.Repeat("s", 70<<10)}); err == nil {
		t.Error("a notice of 70 KiB is accepted")
	}
	p.set(true)
	eventually(t, "the interruption is noticed", func() error {
		if err := two.Publish(t.Context(), want[0]); !errors.Is(err, jetstream.ErrUnavailable) {
			return fmt.Errorf("Publish: %w", err)
		}
		return nil
	})
	p.set(false)
	if diff := cmp.Diff(bus.Notice{Kind: bus.KindMissed}, <-got); diff != "" {
		t.Errorf("after the interruption (-want +got):\n%s", diff)
	}
	if err := one.Publish(t.Context(), want[1]); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[1], <-got); diff != "" {
		t.Errorf("and then (-want +got):\n%s", diff)
	}
	stop()
	stop()
	for len(got) > 0 {
		<-got
	}
	if err := errors.Join(one.Publish(t.Context(), want[0]), two.Publish(t.Context(), want[0])); err != nil {
		t.Error(err)
	}
	if len(got) > 0 {
		t.Error("a notice arrives after stop")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantErr(t, "Publish", one.Publish(ctx, want[0]), context.Canceled)
}

// TestBusContext: Publish returns when its context ends, even if the server does not answer.
func TestBusContext(t *testing.T) {
	t.Parallel()
	p, through := newProxy(t, strings.TrimPrefix(natsServer(t), "nats://"))
	one := connect(t, through, jetstream.Options{}).Bus()
	p.hold.Lock()
	defer p.hold.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	wantErr(t, "Publish", one.Publish(ctx, bus.Notice{From: "i1", Kind: "tools"}), context.DeadlineExceeded)
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("Publish took %v", took)
	}
}

// missedWithin waits for a notice that others may have been lost.
func missedWithin(t *testing.T, got <-chan bus.Notice, most time.Duration) {
	t.Helper()
	for timeout := time.After(most); ; {
		select {
		case n := <-got:
			if n.Kind == bus.KindMissed {
				return
			}
		case <-timeout:
			t.Fatalf("nobody is told within %v that notices may have been lost", most)
		}
	}
}

// subscribed returns a channel of the notices that a bus delivers.
func subscribed(t *testing.T, b bus.Bus) <-chan bus.Notice {
	t.Helper()
	got := make(chan bus.Notice, 1000)
	stop, err := b.Subscribe(func(n bus.Notice) { got <- n })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return got
}

// TestBusCutOff drops the heartbeats of an instance. Once they get through again, all instances are notified that
// notices may have been lost, since its server may have been cut off from the others.
func TestBusCutOff(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	p, through := newNATSProxy(t, address)
	opts := jetstream.Options{Heartbeat: 100 * time.Millisecond}
	one, two := connect(t, address, opts), connect(t, through, opts)
	here, there := subscribed(t, one.Bus()), subscribed(t, two.Bus())
	dropped := p.once("mcptool.instance.", "", fault{drop: true})
	eventually(t, "a heartbeat is dropped", func() error {
		if !dropped.Load() {
			return errors.New("not yet")
		}
		return nil
	})
	p.set(func(subject string) fault { return fault{drop: strings.HasPrefix(subject, "mcptool.instance.")} })
	time.Sleep(6 * time.Second) // one attempt takes 5 s
	p.set(nil)
	missedWithin(t, there, 20*time.Second)
	missedWithin(t, here, 20*time.Second)
}

// TestClusterMissed checks that when a node of a cluster returns, subscribers at other nodes are notified that notices
// may have been lost.
func TestClusterMissed(t *testing.T) {
	t.Parallel()
	log := &logs{}
	opts := jetstream.Options{Heartbeat: 100 * time.Millisecond, Logger: log.logger()}
	c := newCluster(t, opts)
	got := subscribed(t, c.conns[1].Bus())
	if err := c.conns[0].Close(); err != nil {
		t.Fatal(err)
	}
	for quiet := false; !quiet; { // until each stream has a leader again, and the bus has noticed
		failed := func() int { return strings.Count(log.String(), "cannot be observed") }
		before := failed()
		time.Sleep(2 * time.Second)
		_, err := c.conns[1].Others(t.Context())
		quiet = err == nil && failed() == before
	}
	for len(got) > 0 {
		<-got
	}
	c.start(t, 0, opts)
	missedWithin(t, got, 20*time.Second)
	eventually(t, "the reason is logged", func() error { return log.wants("a new route") })
}
