//go:build unix

package jetstream_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/internal/testing/child"
	"github.com/mcptool-go/mcptool/internal/testing/fixture/booking"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/bus"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/stdio"
)

// The environment variables that mark a child process of TestTorture. The value is the configuration of a NATS node as
// JSON, or the NATS addresses for an instance of a server.
const (
	tortureNode     = "JETSTREAM_TORTURE_NODE"
	tortureInstance = "JETSTREAM_TORTURE_INSTANCE"
)

const tortureLease = 2 * time.Second

var tortureOptions = jetstream.Options{Lease: tortureLease, Heartbeat: 500 * time.Millisecond}

// nodeConfig is the configuration of a cluster node.
type nodeConfig struct {
	Dir  string
	Node embedded.Node
}

// runNode runs a node of a cluster until it is killed.
func runNode(t *testing.T, config string) {
	t.Helper()
	var c nodeConfig
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.Open(c.Dir, c.Node, tortureOptions); err != nil {
		t.Fatal(err)
	}
	<-t.Context().Done()
}

// seats returns the URI of the resource that the tool announce reports as changed for an instance.
func seats(instance int) string { return fmt.Sprint("booking://seats/", instance) }

const instances = 3

// runInstance runs an instance of a server until it is killed. The tool announce changes the list of tools and a
// resource.
func runInstance(t *testing.T, addresses string) {
	t.Helper()
	opts := tortureOptions
	opts.NATS = []nats.Option{nats.Token(clusterSecret), nats.IgnoreDiscoveredServers()} // they bypass the proxies
	c, err := jetstream.Connect(addresses, opts)
	if err != nil {
		t.Fatal(err)
	}
	tools := &mcptool.Registry{}
	book, err := mcptool.New(booking.Book)
	if err != nil {
		t.Fatal(err)
	}
	extra, err := mcptool.New(func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }, mcptool.Name("extra"))
	if err != nil {
		t.Fatal(err)
	}
	announce, err := mcptool.New(func(_ context.Context, in struct{ Instance int }) (struct{}, error) {
		tools.ResourceUpdated(seats(in.Instance))
		if tools.Remove(extra) > 0 {
			return struct{}{}, nil
		}
		return struct{}{}, tools.Add(extra)
	}, mcptool.Name("announce"))
	if err := errors.Join(err, tools.Add(book, announce)); err != nil {
		t.Fatal(err)
	}
	for i := range instances {
		free, err := mcptool.NewResource(func(context.Context, struct{}) (string, error) { return "all", nil }, mcptool.URI(seats(i)), mcptool.Name("seats"))
		if err := errors.Join(err, tools.Add(free)); err != nil {
			t.Fatal(err)
		}
	}
	srv := &runtime.Server{Name: "booking", Version: "1.0.0", Tools: tools, Tasks: tasks.New(c.Tasks()), Bus: bus.New(c.Bus())}
	srv.Limits.Tasks.MaxAttempts = 1000
	if err := stdio.Serve(t.Context(), srv); err != nil {
		t.Error(err)
	}
}

// process is a child process that is killed, stopped, and restarted.
type process struct {
	*child.Process
	busy  time.Time // until when it is dead, stopped, or cut off; zero if it is not
	mends func()    // undoes the fault
}

// signal sends a signal to the process.
func (p *process) signal(s os.Signal) { _ = p.Process.Process.Signal(s) } // it may just have exited

// mend undoes the fault of the process.
func (p *process) mend() {
	p.mends()
	p.busy = time.Time{}
}

// natsNode is a cluster node in a separate process.
type natsNode struct {
	process
	config string
}

// start starts the node without waiting until it is ready.
func (n *natsNode) start(t *testing.T) {
	t.Helper()
	n.Process = child.Start(t, "TestTorture", tortureNode, n.config)
	go func(out io.Reader) { _, _ = io.Copy(io.Discard, out) }(n.Out)
}

// newNodes returns the three nodes of a cluster, not yet started, and their client addresses.
func newNodes(t *testing.T) (nodes []*natsNode, listen []string) {
	t.Helper()
	const size = 3
	cluster := make([]string, size)
	for i := range cluster {
		cluster[i] = freeAddress(t)
		listen = append(listen, freeAddress(t))
	}
	for i := range cluster {
		config, err := json.Marshal(nodeConfig{t.TempDir(), embedded.Node{
			Listen: listen[i], Cluster: cluster[i], Peers: slices.Delete(slices.Clone(cluster), i, i+1), Secret: clusterSecret,
		}})
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, &natsNode{config: string(config)})
	}
	return nodes, listen
}

// peer is an instance in a separate process, connected to each node through its own proxy, and its client, which
// subscribes to changes.
type peer struct {
	process
	number    int // from 0
	proxies   []*proxy
	addresses []string

	mu      sync.Mutex // also held while a request is written
	ids     int
	pending map[int]chan answer  // pending requests by id
	told    map[string]time.Time // time of the last notification of a resource, by URI, or of the list of tools, ""
}

// answer is a response or a notification from the server.
type answer struct {
	ID            int
	Method        string
	Params        struct{ URI string }
	Result, Error json.RawMessage
}

// newPeer returns an instance for nodes with these addresses, not yet started.
func newPeer(t *testing.T, number int, nodes []string) *peer {
	t.Helper()
	p := &peer{number: number}
	for _, node := range nodes {
		proxy, address := newProxy(t, node)
		p.proxies, p.addresses = append(p.proxies, proxy), append(p.addresses, address)
	}
	return p
}

func (p *peer) start(t *testing.T) {
	t.Helper()
	p.Process = child.Start(t, "TestTorture", tortureInstance, strings.Join(p.addresses, ","))
	pending := map[int]chan answer{}
	p.mu.Lock()
	p.pending, p.told = pending, map[string]time.Time{}
	p.mu.Unlock()
	go p.read(p.Out, pending)
	p.send("subscriptions/listen", fmt.Sprintf(`"notifications":{"toolsListChanged":true,"resourceSubscriptions":[%q,%q,%q]}`, seats(0), seats(1), seats(2)))
}

// read reads the server's output until it ends.
func (p *peer) read(out io.Reader, pending map[int]chan answer) {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for id, one := range pending {
			delete(pending, id)
			close(one)
		}
	}()
	for s := bufio.NewScanner(out); s.Scan(); {
		var a answer
		if json.Unmarshal(s.Bytes(), &a) != nil {
			continue // output of the test framework
		}
		p.mu.Lock()
		switch a.Method {
		case "":
			if one := pending[a.ID]; one != nil {
				delete(pending, a.ID)
				one <- a
			}
		case "notifications/tools/list_changed", "notifications/resources/updated":
			p.told[a.Params.URI] = time.Now()
		}
		p.mu.Unlock()
	}
}

// wasTold reports whether the client was notified of a resource, or, for "", of the list of tools, after the given
// time.
func (p *peer) wasTold(uri string, after time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told[uri].After(after)
}

// cut cuts the connections to all nodes, or restores them.
func (p *peer) cut(cut bool) {
	for _, proxy := range p.proxies {
		proxy.set(cut)
	}
}

var errNoAnswer = errors.New("no answer")

// send sends a request of a client that supports tasks and returns a channel for its response. The channel is closed if
// the process exits.
func (p *peer) send(method, params string) <-chan answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ids++
	one := make(chan answer, 1)
	p.pending[p.ids] = one
	if _, err := fmt.Fprintf(p.In, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s,%s}}`+"\n", p.ids, method, params, booking.Meta); err != nil {
		delete(p.pending, p.ids)
		close(one)
	}
	return one
}

// request sends a request and decodes the response into result.
func (p *peer) request(method, params string, result any) error {
	const most = 15 * time.Second
	select {
	case a, ok := <-p.send(method, params):
		switch {
		case !ok:
			return errNoAnswer
		case a.Error != nil:
			return fmt.Errorf("%s: %s", method, a.Error)
		}
		return json.Unmarshal(a.Result, result)
	case <-time.After(most):
		return errNoAnswer
	}
}

// announce makes this instance change the resource and the list of which clients are notified.
func (p *peer) announce() error {
	return p.request("tools/call", fmt.Sprintf(`"name":"announce","arguments":{"Instance":%d}`, p.number), new(struct{}))
}
