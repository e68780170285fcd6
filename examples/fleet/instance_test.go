package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// logs collects the log of an instance.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

// start runs a single instance on a directory. It returns its address and a func that shuts it down gracefully.
func start(t *testing.T, dir string, logged io.Writer) (addr string, end func()) {
	t.Helper()
	log := slog.New(slog.NewJSONHandler(logged, nil))
	tools, err := (&Shop{Log: log, Step: 300 * time.Millisecond}).Tools()
	if err != nil {
		t.Fatal(err)
	}
	ready, write := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		i := instance{
			addr: "127.0.0.1:0", host: host, dir: dir, secret: "a secret of all instances of the test", lease: 2 * time.Second,
			grace: 100 * time.Millisecond, tools: tools, log: log,
		}
		js, err := i.join() //nolint:contextcheck // join takes no context
		if err == nil {
			err = i.run(ctx, js, write)
		}
		write.CloseWithError(io.ErrUnexpectedEOF)
		ended <- err
	}()
	end = sync.OnceFunc(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the end of the instance: %v", err)
		}
	})
	t.Cleanup(end)
	addr, err = bufio.NewReader(ready).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(addr), end
}

// TestRestart places an order and restarts the instance while the order waits for the user, and again after the answer:
// the order keeps its number and the answer, and completes.
func TestRestart(t *testing.T) {
	t.Parallel()
	dir, logged := t.TempDir(), new(logs)
	addr, end := start(t, dir, logged)
	id := order(t, addr, "birthday")
	asked := await(t, addr, id, "input_required")
	end()

	addr, end = start(t, dir, logged)
	again := await(t, addr, id, "input_required")
	key := slices.Collect(maps.Keys(asked.InputRequests))[0]
	question := asked.InputRequests[key].Params.Message
	if got := again.InputRequests[key].Params.Message; got != question || !strings.Contains(question, "costs 21 euros") {
		t.Errorf("after the restart the question is %q, want %q, with 21 euros", got, question)
	}
	answer(t, addr, id, key, "Rua Augusta 1, Lisbon")
	end()

	addr, _ = start(t, dir, logged)
	var result struct{ StructuredContent OrderOut }
	if err := json.Unmarshal(await(t, addr, id, "completed").Result, &result); err != nil {
		t.Fatal(err)
	}
	out := result.StructuredContent
	if out.Number == "" || !strings.Contains(question, out.Number) || out.Address != "Rua Augusta 1, Lisbon" || out.Parcel == "" {
		t.Errorf("got %+v, asked %q", out, question)
	}
	number := fmt.Sprintf(`"number":%q`, out.Number)
	if runs, own := logged.count(`"the order runs"`), logged.count(`"the order runs","reference":"birthday",`+number); runs < 2 || runs != own {
		t.Errorf("%d runs of the order, %d of them with its number", runs, own)
	}
}

// TestSecret checks that an instance does not start without a strong secret. Without one, another instance could not
// continue its calls; with a weak one, anyone could.
func TestSecret(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"", "change-me"} {
		_, err := (&instance{dir: t.TempDir(), secret: secret}).join()
		if err == nil || !strings.Contains(err.Error(), "set FLEET_SECRET") {
			t.Errorf("%q: got %v", secret, err)
		}
	}
}
