package hostile_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/task"
)

// crowds are scenes in which one client takes as much as it can of shared resources.
func crowds() []scene {
	overHTTP := func(w way) bool { return w.http }
	sessions := func(w way) bool { return w.http && !w.modern }
	stateless := func(w way) bool { return w.http && w.modern }
	withTasks := func(w way) bool { return !w.modern }
	return []scene{
		{name: "600 posts of 4 MB", run: posts, most: 2*600*4*mega + heldByCaller, only: overHTTP},
		{name: "16 posts of 4 MB beside sleepers", run: besideSleepers, most: 512 * mega, only: overHTTP},
		{name: "150 unfinished bodies of 15 MB", run: unfinished, most: 32 * mega, only: overHTTP},
		{name: "1100 sessions", run: manySessions, most: 128 * mega, only: sessions},
		{name: "1100 subscriptions", run: subscriptions, most: 128 * mega, only: stateless},
		{name: "1100 sleepers", run: manySleepers, room: 1024, most: 128 * mega, only: stateless},
		{name: "tasks that end while the disk is full", run: fullDisk, most: 8 * mega, only: withTasks},
		{name: "12 tasks with results of 8 MB", run: largeResults, most: 512 * mega, only: withTasks},
	}
}

// heldByCaller is the maximum memory held by the messages of one caller and everything that belongs to them.
const heldByCaller = 128*mega + 32*mega

// posts sends calls that contain much white space and then sleep. The share of one caller is a quarter of the memory
// for messages; a message with its decoded arguments counts as 4 MB. The bytes allocated include the bodies of refused
// calls, of which more or less is read before the share is used up; a buffer that doubles allocates twice its size.
func posts(t *testing.T, s *stage) (sent int) {
	t.Helper()
	const count, fit = 600, 16 // the rest of a message is in the first 4 KiB, which do not count
	before := now()
	var wg sync.WaitGroup
	var rested, refused atomic.Int64
	for i := range count {
		m := s.call(fmt.Sprint(i+10), "nap", `{"seconds":60`, " ", 4*mega, "}")
		sent += m.size()
		wg.Go(func() {
			switch a := s.send(m); {
			case a.said() == "rested":
				rested.Add(1)
			case strings.Contains(a.said(), "of memory at once") && (a.status == 503 || a.Result != nil && a.Result.IsError):
				refused.Add(1)
			default:
				t.Errorf("answered with status %d: %s", a.status, a.said())
			}
		})
	}
	if held := now().heap - before.heap; held > heldByCaller && !underRace {
		t.Errorf("%s are held", size(held))
	}
	wg.Wait()
	// Bodies still being read also count, so fewer calls may fit.
	if n := rested.Load(); n > fit || n < fit/2 || refused.Load() != count-n {
		t.Errorf("%d calls ran and %d were refused", n, refused.Load())
	}
	return sent
}

// besideSleepers sends large messages while many calls wait. Nothing may hold the messages once they are answered. (A
// stopped timer stays in the heap of timers while most of the others run, and with it what its func refers to.)
func besideSleepers(t *testing.T, s *stage) (sent int) {
	t.Helper()
	const count, naps = 16, 128
	var wg sync.WaitGroup
	for i := range naps {
		m := s.call(fmt.Sprint(i+10), "nap", `{"seconds":60`, "", 0, "}")
		sent += m.size()
		wg.Go(func() {
			if a := s.send(m); a.said() != "rested" {
				t.Errorf("answered with status %d: %s", a.status, a.said())
			}
		})
	}
	before := now()
	for i := range count {
		m := s.call(fmt.Sprint(i+1000), "rare", `{`, " ", 4*mega, "}")
		sent += m.size()
		s.send(m)
	}
	if held := now().heap - before.heap; held > 4*mega && !underRace {
		t.Errorf("%s are held", size(held))
	}
	wg.Wait()
	return sent
}

// unfinished declares bodies of 15 MB and sends only a part. Memory is counted as it arrives, so they do not delay
// others.
func unfinished(t *testing.T, s *stage) (sent int) {
	t.Helper()
	const count = 150
	c, ok := s.client.(*httpClient)
	if !ok {
		t.Fatalf("%T", s.client)
	}
	m := s.call("1", "take", `{"text":"`, "x", 15*mega, `"}`)
	var wg sync.WaitGroup
	for range count {
		sent += len(m.head)
		wg.Go(func() {
			if a, took := c.unfinished(m), time.Since(s.began); a.status != 400 || took != time.Minute { // ReadTimeout
				t.Errorf("after %v: status %d, %s", took, a.status, a.said())
			}
		})
	}
	synctest.Wait()
	alive(t, "beside unfinished bodies", s.client, s.era)
	wg.Wait()
	return sent
}

// beyondShare is by how many these scenes exceed the share of a caller.
const beyondShare = 100

// manySessions opens sessions and abandons them. Beyond the caller's share, each new one ends the least recently used
// one.
func manySessions(t *testing.T, s *stage) (sent int) {
	t.Helper()
	c, ok := s.client.(*httpClient)
	if !ok {
		t.Fatalf("%T", s.client)
	}
	for range 1000 + beyondShare {
		c.session = ""
		m := s.initialize()
		sent += m.size()
		if a := s.send(m); a.status != 200 {
			t.Errorf("answered with status %d: %s", a.status, a.said())
		}
	}
	alive(t, "in the last session", s.client, s.era)
	time.Sleep(2 * time.Hour) // until they expire
	return sent
}

// subscriptions opens streams on which nothing is sent.
func subscriptions(t *testing.T, s *stage) (sent int) {
	t.Helper()
	m := s.request("1", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
	var wg sync.WaitGroup
	var refused atomic.Int64
	for range 1000 + beyondShare {
		sent += m.size()
		wg.Go(func() {
			if a := s.send(m); a.status == 503 {
				refused.Add(1)
			}
		})
	}
	synctest.Wait()
	if refused.Load() != beyondShare {
		t.Errorf("%d subscriptions were refused", refused.Load())
	}
	alive(t, "beside subscriptions", s.client, s.era)
	s.vanish()
	wg.Wait()
	return sent
}

// manySleepers calls a tool that sleeps, more often than calls may be in flight.
func manySleepers(t *testing.T, s *stage) (sent int) {
	t.Helper()
	const most = 1024 // the room of the scene
	var wg sync.WaitGroup
	var rested, refused atomic.Int64
	for i := range most + beyondShare {
		m := s.call(fmt.Sprint(i+10), "nap", `{"seconds":600}`, "", 0, "")
		sent += m.size()
		wg.Go(func() {
			a := s.send(m)
			switch took := time.Since(s.began); {
			case a.said() == "rested" && took == 10*time.Minute:
				rested.Add(1)
			case strings.Contains(a.said(), "at most 1024 calls are in flight") && took == 0:
				refused.Add(1)
			default:
				t.Errorf("answered after %v: %s", took, a.said())
			}
		})
	}
	wg.Wait()
	if rested.Load() != most || refused.Load() != beyondShare {
		t.Errorf("%d calls ran and %d were refused", rested.Load(), refused.Load())
	}
	return sent
}

// store is a task store with a disk that may be full.
type store struct {
	task.Store
	isFull atomic.Bool
}

var errDisk = errors.New("no space left on device")

func (s *store) Update(ctx context.Context, r task.Record) (task.Record, error) {
	if s.isFull.Load() {
		return task.Record{}, errDisk
	}
	return s.Store.Update(ctx, r)
}

// jobIn is the duration of a task and the size of its result.
type jobIn struct {
	Seconds int `json:"seconds"`
	Bytes   int `json:"bytes"`
}

func (s *stage) job(_ context.Context, in jobIn) (mcptool.Text, error) {
	time.Sleep(time.Duration(in.Seconds) * time.Second)
	return mcptool.Text{Text: strings.Repeat("x", in.Bytes)}, nil
}

// begin creates a task and returns its id.
func (s *stage) begin(t *testing.T, seconds, bytes int) (id string, sent int) {
	t.Helper()
	m := s.request("1", "tools/call", fmt.Sprintf(`"name":"job","arguments":{"seconds":%d,"bytes":%d},"task":{}`, seconds, bytes))
	a := s.send(m)
	var begun struct {
		Result struct{ Task struct{ TaskID string } }
	}
	if err := json.Unmarshal([]byte(a.text), &begun); err != nil || begun.Result.Task.TaskID == "" {
		t.Fatalf("no task: %s", a.said())
	}
	return begun.Result.Task.TaskID, m.size()
}

// status returns the status of a task.
func (s *stage) status(id string) string {
	var got struct {
		Result struct{ Status, StatusMessage string }
	}
	_ = json.Unmarshal([]byte(s.send(s.request("1", "tasks/get", `"taskId":"`+id+`"`)).text), &got)
	return strings.TrimSpace(got.Result.Status + " " + got.Result.StatusMessage)
}

// fullDisk completes tasks while the store rejects writes. This instance reports them as failed, and so do all
// instances once the store accepts writes again.
func fullDisk(t *testing.T, s *stage) (sent int) {
	t.Helper()
	const count = 32
	ids := [count]string{}
	for i := range ids {
		var size int
		ids[i], size = s.begin(t, 10, 100)
		sent += size
	}
	s.store.isFull.Store(true)
	time.Sleep(time.Minute)
	check := func(when string) {
		for _, id := range ids {
			if got := s.status(id); !strings.HasPrefix(got, "failed") {
				t.Errorf("%s: a task is %s", when, got)
				return
			}
		}
	}
	check("while the disk is full")
	alive(t, "while the disk is full", s.client, s.era)
	s.store.isFull.Store(false)
	time.Sleep(10 * time.Minute)
	check("afterwards")
	if r, err := s.store.Get(t.Context(), ids[0]); err != nil || r.Status != task.StatusFailed {
		t.Errorf("the store has %v, %v", r.Status, err)
	}
	return sent
}

// largeResults fills the store with results up to the limit of one principal.
func largeResults(t *testing.T, s *stage) (sent int) {
	t.Helper()
	const count, most = 12, 64 * mega
	before := now()
	completed, failed := 0, 0
	for range count {
		id, size := s.begin(t, 1, 8*mega)
		sent += size
		time.Sleep(10 * time.Second)
		switch got := s.status(id); {
		case got == "completed":
			completed++
		case strings.HasPrefix(got, "failed"):
			failed++
		default:
			t.Errorf("a task is %s", got)
		}
	}
	now()
	if held := now().heap - before.heap; held > most+16*mega && !underRace {
		t.Errorf("%s are held", size(held))
	}
	if completed != 7 || failed != count-completed { // the text is slightly larger than 8 MB
		t.Errorf("%d tasks have completed, %d failed", completed, failed)
	}
	return sent
}
