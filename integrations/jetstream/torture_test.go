//go:build unix

package jetstream_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/fixture/booking"
)

var (
	tortureSeed = flag.Uint64("torture-seed", 1, "the seed of TestTorture")
	tortureFor  = flag.Duration("torture-for", 12*time.Second, "how long TestTorture does something to nodes and instances")
)

// faultPause is the mean time between two faults.
const faultPause = time.Second

// torture is a NATS cluster, several instances of a server, and the tasks of their clients.
type torture struct {
	t      *testing.T
	rand   *rand.Rand
	nodes  []*natsNode
	peers  []*peer
	tasks  booking.Tasks
	faults map[string]int

	slowest time.Duration // longest time until clients were notified after an interruption
}

// TestTorture kills, stops, and disconnects at random three nodes of a NATS cluster and three instances of a server,
// each in a separate process, while clients create tasks and answer their questions through any of the instances. Each
// task that a client knows of ends once, with its result; Once never returns two different values for a key; each
// accepted answer reaches the func; and two seconds after an instance is reconnected, the clients of all instances have
// been notified of the changes in between.
//
//	go test ./integrations/jetstream -v -run TestTorture -torture-for 5m -torture-seed 7
func TestTorture(t *testing.T) { //nolint:paralleltest // it sets an environment variable
	if config := os.Getenv(tortureNode); config != "" {
		runNode(t, config)
		return
	}
	if addresses := os.Getenv(tortureInstance); addresses != "" {
		runInstance(t, addresses)
		return
	}
	log, most := filepath.Join(t.TempDir(), "log"), *tortureFor
	if testing.Short() {
		most = min(most, tortureLease)
	}
	t.Setenv(booking.LogFile, log)
	w := &torture{t: t, rand: rand.New(rand.NewPCG(*tortureSeed, 1)), faults: map[string]int{}}
	w.tasks.Parallel = 16
	began := time.Now()
	w.start()
	t.Logf("all processes run after %v", time.Since(began))
	const fewest = 5 // minimum number of tasks, on a slow machine
	next := time.Now()
	for end := time.Now().Add(most); time.Now().Before(end) || w.tasks.Len() < fewest || len(w.faults) == 0; {
		w.tasks.Begin(w.rand.IntN(4), w.pick)
		if w.rand.IntN(4) == 0 { // so that many tasks are waiting when a fault occurs
			w.tasks.Answer(t, w.pick)
		}
		w.mend(false)
		if time.Now().After(next) {
			w.fault()
			next = time.Now().Add(time.Duration(w.rand.IntN(2000)) * faultPause / 1000)
		}
	}
	w.mend(true)
	open := -1
	for end := time.Now().Add(time.Minute); open != 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		open = w.tasks.Answer(t, w.pick)
	}
	if open != 0 {
		t.Errorf("%d of %d tasks have not ended", open, w.tasks.Len())
	}
	runs := w.tasks.Check(t, log)
	t.Logf("seed %d: %d tasks, %d runs; %v; clients were notified within %v", *tortureSeed, w.tasks.Len(), runs, w.faults, w.slowest)
}

// start starts the nodes and the instances and waits until they work.
func (w *torture) start() {
	nodes, listen := newNodes(w.t)
	w.nodes = nodes
	for _, n := range w.nodes {
		n.start(w.t)
	}
	for _, address := range listen {
		eventually(w.t, "a node runs", func() error { return dial(address) })
	}
	for i := range instances {
		p := newPeer(w.t, i, listen)
		p.start(w.t)
		w.peers = append(w.peers, p)
	}
	for _, p := range w.peers {
		eventually(w.t, "an instance runs", p.announce)
	}
}

// pick returns a func that sends requests to an instance that is neither stopped nor cut off, or nil if there is none.
func (w *torture) pick() booking.Request {
	if p := w.healthyPeer(); p != nil {
		return p.request
	}
	return nil
}

// healthyPeer returns an instance that is neither stopped nor cut off, or nil if there is none.
func (w *torture) healthyPeer() *peer {
	for _, i := range w.rand.Perm(len(w.peers)) {
		if p := w.peers[i]; p.busy.IsZero() {
			return p
		}
	}
	return nil
}

// sparedNode returns a node if all nodes run: the cluster works with two.
func (w *torture) sparedNode() *natsNode {
	if slices.ContainsFunc(w.nodes, func(n *natsNode) bool { return !n.busy.IsZero() }) {
		return nil
	}
	return w.nodes[w.rand.IntN(len(w.nodes))]
}

// mend repairs all processes, or those whose fault is over.
func (w *torture) mend(all bool) {
	var broken []*process
	for _, n := range w.nodes {
		broken = append(broken, &n.process)
	}
	for _, p := range w.peers {
		broken = append(broken, &p.process)
	}
	for _, p := range broken {
		if !p.busy.IsZero() && (all || time.Now().After(p.busy)) {
			p.mend()
		}
	}
}

// fault applies a fault to a node, an instance, both, or all.
func (w *torture) fault() {
	p, n := w.healthyPeer(), w.sparedNode()
	long := time.Duration(w.rand.IntN(2000)) * tortureLease / 1000
	what := []string{"kill instance", "stop instance", "cut instance", "kill node", "stop node", "kill both", "notices", "kill all nodes"}[w.rand.IntN(8)]
	if strings.Contains(what, "instance") && p == nil || strings.Contains(what, "node") && n == nil || what == "kill both" && (p == nil || n == nil) {
		return
	}
	switch what {
	case "kill instance":
		w.kill(p)
	case "stop instance":
		w.stop(&p.process, long)
	case "cut instance":
		p.cut(true)
		p.busy, p.mends = time.Now().Add(long), func() { p.cut(false) }
	case "kill node":
		n.Kill()
		n.busy, n.mends = time.Now().Add(long), func() { n.start(w.t) }
	case "stop node":
		w.stop(&n.process, long)
	case "kill both":
		w.kill(p)
		n.Kill()
		n.busy, n.mends = time.Now().Add(long), func() { n.start(w.t) }
	case "notices":
		w.notices(long)
	case "kill all nodes":
		for _, n := range w.nodes {
			n.Kill()
		}
		for _, n := range w.nodes {
			n.start(w.t)
		}
	}
	w.faults[what]++
}

// kill kills an instance and starts it again.
func (w *torture) kill(p *peer) {
	p.Kill()
	p.start(w.t)
}

// stop suspends a process for some time.
func (w *torture) stop(p *process, long time.Duration) {
	p.signal(syscall.SIGSTOP)
	p.busy, p.mends = time.Now().Add(long), func() { p.signal(syscall.SIGCONT) }
}

// noticeTime is how long after an interruption clients may take to learn of changes.
const noticeTime = 2 * time.Second

// notices cuts off one instance. The clients of all instances must be notified of changes made meanwhile at this and
// another instance at most two seconds after it is reconnected.
func (w *torture) notices(long time.Duration) {
	w.mend(true)
	eventually(w.t, "all instances work", func() error { return w.announce(w.peers...) })
	two := w.rand.Perm(len(w.peers))
	cut, other := w.peers[two[0]], w.peers[two[1]]
	cut.cut(true)
	time.Sleep(long / 2)
	changed := time.Now()
	for _, p := range []*peer{cut, other} {
		if err := p.announce(); err != nil {
			w.t.Errorf("a call that needs no tasks: %v", err)
		}
	}
	time.Sleep(long / 2)
	cut.cut(false)
	back := time.Now()
	if err := w.await(noticeTime, func(p *peer) bool {
		return p.wasTold("", back) && p.wasTold(seats(cut.number), changed) && p.wasTold(seats(other.number), changed)
	}); err != nil {
		w.t.Errorf("instance %d was cut off for %v, and this and instance %d had changes: %v", cut.number, long, other.number, err)
	}
	w.slowest = max(w.slowest, time.Since(back))
}

// announce makes a change at each of these instances and waits until the clients of all are notified of it.
func (w *torture) announce(peers ...*peer) error {
	began := time.Now()
	for _, p := range peers {
		if err := p.announce(); err != nil {
			return err
		}
	}
	return w.await(time.Second, func(told *peer) bool {
		return !slices.ContainsFunc(peers, func(p *peer) bool { return !told.wasTold(seats(p.number), began) })
	})
}

// await waits until isTold returns true for all instances.
func (w *torture) await(most time.Duration, isTold func(*peer) bool) error {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		i := slices.IndexFunc(w.peers, func(p *peer) bool { return !isTold(p) })
		if i < 0 {
			return nil
		}
		if time.Since(began) > most {
			return fmt.Errorf("within %v the client of instance %d was not notified", most, i)
		}
	}
}
