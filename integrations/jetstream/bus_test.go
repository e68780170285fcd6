package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestBus passes notices between instances, drops what is none, and goes on after an interruption.
func TestBus(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	p, through := newProxy(t, strings.TrimPrefix(address, "nats://"))
	one, two := connect(t, address, jetstream.Options{}).Bus(), connect(t, through, jetstream.Options{}).Bus()
	got := make(chan runtime.Notice, 100)
	stop, err := two.Subscribe(func(n runtime.Notice) { got <- n })
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
	want := []runtime.Notice{
		{From: "i1", Kind: runtime.ToolsChanged},
		{From: "i1", Kind: runtime.ResourceUpdated, Subject: "file:///a b<ü>\u2028"},
		{From: "i1", Kind: "of a newer version"},
		{Kind: runtime.PromptsChanged}, // of a program that is no server
	}
	for i, n := range want {
		if err := one.Publish(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(n, <-got); diff != "" {
			t.Errorf("notice %d (-want +got):\n%s", i, diff)
		}
	}
	if err := one.Publish(t.Context(), runtime.Notice{From: "i1", Kind: "x", Subject: strings.Repeat("s", 70<<10)}); err == nil {
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
	if diff := cmp.Diff(runtime.Notice{Kind: runtime.NoticesMissed}, <-got); diff != "" {
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
