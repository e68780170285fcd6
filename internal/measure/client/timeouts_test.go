package client_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A request ends after the timeout without a sign of life, and not before; time the user takes to answer does not
// count.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := client.NewTimeouts(time.Minute)
		began := time.Now()
		ctx, release := p.Within(t.Context())
		defer release()
		time.Sleep(50 * time.Second)
		p.Activity()
		time.Sleep(50 * time.Second)
		p.Activity()
		resume := p.Pause()
		time.Sleep(time.Hour)
		resume()
		answered := time.Now()
		if ctx.Err() != nil {
			t.Fatal("it was over while the user thought")
		}
		<-ctx.Done()
		if got := time.Since(answered); got < time.Minute || got > 2*time.Minute {
			t.Errorf("over %v after the last sign of life, %v after the beginning", got, time.Since(began))
		}
		if !client.IsSilence(ctx) {
			t.Error("it is not said why")
		}
		ended, release := p.Within(t.Context())
		release()
		if client.IsSilence(ended) || !errors.Is(ended.Err(), context.Canceled) {
			t.Error("an answer is taken for silence")
		}
	})
}

// TestStartTimeout checks that commands, which may be built or downloaded first, get longer, and that an explicit value
// wins.
func TestStartTimeout(t *testing.T) {
	t.Parallel()
	command, web := client.Target{Command: []string{"go", "run", "."}}, client.Target{URL: "http://127.0.0.1/mcp"}
	for _, test := range []struct {
		given time.Duration
		to    client.Target
		want  time.Duration
	}{
		{0, command, 2 * time.Minute},
		{0, web, 30 * time.Second},
		{time.Second, command, time.Second},
		{time.Second, web, time.Second},
		{time.Hour, command, time.Hour},
	} {
		if got := client.StartTimeout(client.Options{Timeout: test.given}, test.to); got != test.want {
			t.Errorf("--timeout %v %s: %v, want %v", test.given, test.to, got, test.want)
		}
	}
}
