package hostile_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// scene is a client that does something over time, in a separate bubble. It returns the number of bytes that it has
// sent.
type scene struct {
	name string
	run  func(t *testing.T, s *stage) (sent int)
	most int              // maximum bytes allocated
	http int              // the same over HTTP, if larger
	cpu  time.Duration    // maximum processor time, if larger than mostCPU
	long bool             // takes seconds, so it is played only at night, and once over each transport
	only func(w way) bool // the ways to play it; nil means all
	room int              // limit of calls in flight if not the default
}

// stage is the environment of a scene.
type stage struct {
	way
	client
	srv   *runtime.Server
	store *store
	runs  atomic.Int64 // of the tools
	mu    sync.Mutex
	ended []string // how and when the contexts of tools ended
	began time.Time
}

// end records how a tool ended.
func (s *stage) end(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = append(s.ended, fmt.Sprint(context.Cause(ctx), " after ", time.Since(s.began)))
}

// napIn is how long to sleep, and whether to ignore the end of the call.
type napIn struct {
	Seconds int  `json:"seconds"`
	Deaf    bool `json:"deaf,omitempty"`
}

func (s *stage) nap(ctx context.Context, in napIn) (mcptool.Text, error) {
	defer s.end(ctx)
	s.runs.Add(1)
	over := ctx.Done()
	if in.Deaf {
		over = nil
	}
	select {
	case <-time.After(time.Duration(in.Seconds) * time.Second):
		return mcptool.Text{Text: "rested"}, nil
	case <-over:
		return mcptool.Text{}, ctx.Err()
	}
}

func (s *stage) rare(context.Context, none) (mcptool.Text, error) {
	s.runs.Add(1)
	return mcptool.Text{Text: "done"}, nil
}

func scenes() []scene {
	return append(crowds(), []scene{
		{name: "64 sleepers beside fast calls", run: sleepers, most: 8 * mega},
		{name: "a server that is full", run: full, most: 8 * mega, room: roomOfFull},
		{name: "slow loris", run: loris, most: 16 * mega},
		{name: "vanishing mid-call", run: vanishing, most: 2 * mega},
		{name: "tools that ignore the end", run: ignoring, most: 2 * mega},
		{name: fmt.Sprint("a flood of ", floods, " calls"), run: flood, most: floods * 3 << 10, http: floods * 16 << 10, cpu: time.Minute, long: true},
	}...)
}

// TestScenes plays each scene over both transports, with and without sessions. The test log contains a table of their
// costs.
//
//nolint:paralleltest // it measures the process
func TestScenes(t *testing.T) {
	ways := waysNow()
	table := newAccount(ways)
	for _, scene := range scenes() {
		t.Run(scene.name, func(t *testing.T) {
			for _, w := range ways {
				if scene.long && (!testscale.IsNightly() || !w.typical()) || scene.only != nil && !scene.only(w) {
					continue
				}
				t.Run(w.name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { play(t, scene, w, table) })
				})
			}
		})
	}
	t.Log(table)
}

func play(t *testing.T, scene scene, w way, table *account) {
	t.Helper()
	s := &stage{way: w, store: &store{Store: task.NewMemory(task.MemoryLimits{})}}
	s.srv = newServer(t, new(counter),
		newTool(t, "take", take), newTool(t, "nap", s.nap),
		newTool(t, "rare", s.rare, mcptool.RateLimit(mcptool.Rate{Calls: 10, Per: time.Hour})),
		newTool(t, "job", s.job, mcptool.Task(mcptool.TaskSupportOptional)))
	s.srv.Tasks = tasks.New(s.store)
	s.srv.Limits.MaxCallsInFlight, s.srv.Limits.PerCaller.MaxCallsInFlight = scene.room, 2*scene.room
	s.client = w.open(t, w.era, s.srv)
	alive(t, "before", s.client, w.era)
	alive(t, "before", s.client, w.era) // the first call of a tool has a goroutine, later ones share one
	s.began = time.Now()
	before, began := now(), spent()
	sent := scene.run(t, s)
	took := spent().since(began)
	s.client = w.open(t, w.era, s.srv) // the same server continues to serve
	alive(t, "afterwards", s.client, w.era)
	time.Sleep(2 * time.Hour) // until all sleepers have woken up
	now()                     // one collection empties pools only partly
	held := now().heap - before.heap
	most := scene.most
	if w.http {
		most = max(most, scene.http)
	}
	if !underRace {
		checkCost(t, scene.name, took, cost{most, max(scene.cpu, mostCPU)}, held)
	}
	table.enter(scene.name, w.name, sent, most, took)
}

// sleepers take half the slots of a session with calls that sleep; fast calls are not delayed by them.
func sleepers(t *testing.T, s *stage) (sent int) {
	t.Helper()
	const count = 64
	var wg sync.WaitGroup
	for i := range count {
		m := s.call(fmt.Sprint(i+10), "nap", `{"seconds":60}`, "", 0, "")
		sent += m.size()
		wg.Go(func() {
			if a := s.send(m); a.said() != "rested" || time.Since(s.began) != time.Minute {
				t.Errorf("a sleeper is answered after %v: %s", time.Since(s.began), a.said())
			}
		})
	}
	synctest.Wait()
	if n := s.runs.Load(); n != count {
		t.Errorf("%d sleepers run", n)
	}
	for range 100 {
		alive(t, "beside sleepers", s.client, s.era)
	}
	if waited := time.Since(s.began); waited > 0 {
		t.Errorf("fast calls wait for %v", waited)
	}
	wg.Wait()
	return sent
}

// roomOfFull is the limit of calls in flight in the scene full.
const roomOfFull = 32

// full sends twice as many calls as the server accepts across all sessions: the others are refused at once.
func full(t *testing.T, s *stage) (sent int) {
	t.Helper()
	synctest.Wait() // until earlier calls have left
	var wg sync.WaitGroup
	var rested, busy atomic.Int64
	for i := range 2 * roomOfFull {
		m := s.call(fmt.Sprint(i+10), "nap", `{"seconds":60}`, "", 0, "")
		sent += m.size()
		wg.Go(func() {
			a := s.send(m)
			switch took := time.Since(s.began); {
			case a.said() == "rested" && took == time.Minute:
				rested.Add(1)
			case a.Result != nil && a.Result.IsError && strings.Contains(a.said(), "the server is busy") && took == 0:
				busy.Add(1)
			default:
				t.Errorf("answered after %v: %s", took, a.said())
			}
		})
	}
	wg.Wait()
	if rested.Load() != roomOfFull || busy.Load() != roomOfFull {
		t.Errorf("%d calls ran and %d were refused", rested.Load(), busy.Load())
	}
	synctest.Wait()
	return sent
}

// loris sends at one byte per second over as many connections as it can open. Other calls are served meanwhile, and
// loris is disconnected after the server's timeout.
func loris(t *testing.T, s *stage) (sent int) {
	t.Helper()
	napped := make(chan answer, 1)
	nap := s.call("2", "nap", `{"seconds":30}`, "", 0, "")
	go func() { napped <- s.send(nap) }()
	synctest.Wait()
	m := s.call("3", "take", `{"text":"`+strings.Repeat("x", 100)+`"}`, "", 0, "")
	ended := s.crawl(m)
	if a := <-napped; a.said() != "rested" || time.Since(s.began) != 30*time.Second {
		t.Errorf("beside it a call is answered after %v: %s", time.Since(s.began), a.said())
	}
	if s.http {
		alive(t, "beside loris", s.client, s.era)
	}
	want := map[string]time.Duration{"a header": 5 * time.Second, "a body": time.Minute, "a body in chunks": time.Minute, "a line": time.Duration(len(m.head)) * time.Second}
	for _, c := range ended() {
		sent += int(c.took / time.Second)
		if c.took < want[c.what] || c.took > want[c.what]+time.Second {
			t.Errorf("%s ends after %v", c.what, c.took)
		}
		switch {
		case c.what == "a line" && c.answer.said() == "took 100":
		case c.what == "a header" && c.answer.err != nil:
		case c.answer.status == 400:
		default:
			t.Errorf("%s is answered with %s", c.what, c.answer.said())
		}
	}
	return sent
}

// vanishing disconnects in the middle of calls. In a session over HTTP that has no effect; elsewhere they are
// cancelled.
func vanishing(t *testing.T, s *stage) (sent int) {
	t.Helper()
	const count = 32
	var wg sync.WaitGroup
	for i := range count {
		m := s.call(fmt.Sprint(i+10), "nap", `{"seconds":600}`, "", 0, "")
		sent += m.size()
		wg.Go(func() {
			if a := s.send(m); a.err == nil {
				t.Errorf("answered with %s", a.said())
			}
		})
	}
	synctest.Wait()
	s.vanish()
	wg.Wait()
	time.Sleep(15 * time.Minute)
	cause := "the client has disconnected"
	switch {
	case s.http && !s.modern:
		cause = "<nil> after 10m0s"
	case !s.http:
		cause = "shutting down after 2s" // the grace period after EOF
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ended) != count {
		t.Errorf("%d calls have ended", len(s.ended))
	}
	for _, how := range s.ended {
		if !strings.Contains(how, cause) {
			t.Errorf("a call has ended with %s, want %s", how, cause)
			break
		}
	}
	return sent
}

// ignoring calls tools that ignore the shutdown, which completes in time nevertheless.
func ignoring(t *testing.T, s *stage) (sent int) {
	t.Helper()
	const count = 32
	var wg sync.WaitGroup
	for i := range count {
		m := s.call(fmt.Sprint(i+10), "nap", `{"seconds":3600,"deaf":true}`, "", 0, "")
		sent += m.size()
		wg.Go(func() { s.send(m) })
	}
	synctest.Wait()
	s.shutdown()
	if took := time.Since(s.began); took > shutdownMost {
		t.Errorf("the end takes %v", took)
	}
	wg.Wait()
	return sent
}

// flood calls a tool far more often than its limit allows.
func flood(t *testing.T, s *stage) (sent int) {
	t.Helper()
	m := s.call("2", "rare", "{}", "", 0, "")
	refused := 0
	s.repeat(m, floods, func(a answer) {
		switch {
		case a.said() == "done":
		case a.Result != nil && a.Result.IsError && strings.Contains(a.said(), "too many calls") && a.size < 1<<10:
			refused++
		default:
			t.Fatalf("answered with %s", a.said())
		}
	})
	if ran := int(s.runs.Load()); ran != 10 || refused != floods-ran {
		t.Errorf("the tool ran %d times, %d calls were refused", ran, refused)
	}
	return m.size() * floods
}
