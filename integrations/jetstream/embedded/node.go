// Package embedded runs a NATS server with JetStream in the program, as a single server or as one node of a cluster, for
// package jetstream. It is a package of its own so that programs that connect to other NATS servers do not link it.
package embedded

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/internal/hook"
	"github.com/mcptool-go/mcptool/internal/setting"
)

// Node configures the NATS server that [Open] starts. The zero value is a single server that only this process can use.
//
// Traffic between nodes, and with clients, is not encrypted. Use a private network, or a separate NATS server.
type Node struct {
	// Listen is the address, host:port, for clients in other processes, which use [jetstream.Connect] and, if there is a Secret,
	// the option nats.Token(Secret) or the address nats://SECRET@host:port. "" means no such clients.
	Listen string
	// Cluster is the address, host:port, for the other nodes of a cluster. "" means a single server.
	Cluster string
	// Peers are the Cluster addresses of the other nodes. A cluster has three or five nodes.
	Peers []string
	// Name is the unique name of the node in the cluster, which must be the same at each start; default Cluster, with
	// "_" for characters that are not letters or digits. It is required if Cluster has no host, or an unspecified one
	// such as 0.0.0.0. Two nodes with the same name can lose tasks: [Open] refuses to start the second one.
	Name string
	// Secret authenticates nodes and clients. It is required if Listen or Cluster is not a loopback address.
	Secret string
	// Wait is how long [Open] waits for the other nodes: for a majority, and on the first start for
	// jetstream.Options.Replicas nodes; default 1 min. A negative duration is an error of Open.
	Wait time.Duration
}

const (
	defaultWait = time.Minute
	// startTime is the time limit for the start of the server, without other nodes.
	startTime = 10 * time.Second
	// settleTime is how long the nodes of a cluster have to detect a duplicate name.
	settleTime  = 500 * time.Millisecond
	clusterUser = "mcptool"
	// retriesReported is the number of failed attempts to reach a node that are logged as one, with an attempt per
	// second.
	retriesReported = 60
)

// node is a NATS server in this process.
type node struct {
	server  *server.Server
	options *server.Options
	dir     *dir
	log     *serverLog
	stopped time.Time // when JetStream was last seen to fail, or was restarted; zero while it works
}

// Open starts a NATS server in this process that stores its data in a directory, and connects to it; Close of the result
// also stops the server. The directory is created if it does not exist. The server syncs each record to the disk before
// it acknowledges it.
//
// The error is [ErrDir] if another process uses the directory, or if it was used by a single server and node belongs to
// a cluster or the reverse: the NATS server would delete all tasks. It is [jetstream.ErrUnavailable] if the other nodes
// of a cluster cannot be reached in time; its text has the number of reachable ones. No context can end the wait:
// install signal handlers afterwards, or let a signal end the process, which loses nothing.
func Open(path string, node Node, opts jetstream.Options) (*jetstream.Conn, error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if err := setting.NotNegative("Node.Wait", node.Wait, "means the default, 1m0s"); err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	node.Wait = cmp.Or(node.Wait, defaultWait)
	ctx, cancel := context.WithTimeoutCause(context.Background(), node.Wait, fmt.Errorf("waited %v for the nodes of the cluster", node.Wait))
	defer cancel()
	n, err := start(path, &node, opts.Logger)
	if err != nil {
		return nil, err
	}
	c, err := jetstream.Internal(hook.Key{}).Connect(ctx, opts, n, nats.InProcessServer(n.server), nats.Token(n.options.Authorization))
	if err != nil {
		if reached := n.server.NumRemotes(); ctx.Err() != nil && reached < len(node.Peers) {
			err = fmt.Errorf("%w (this node reaches %d of %d others: check that they run, Node.Peers, that each has another Node.Name, and that all have the same Secret)", err, reached, len(node.Peers))
		}
		return nil, errors.Join(n.checkName(), err, n.Stop())
	}
	if node.Cluster != "" {
		time.Sleep(settleTime)
	}
	if err := n.checkName(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// ErrDir means that a directory is in use by another process, or was used in another mode before.
var ErrDir = errors.New("the directory cannot be used")

// checkName returns an error if another node with the same name has tried to connect.
func (n *node) checkName() error {
	if !n.log.duplicate.Load() {
		return nil
	}
	return fmt.Errorf("jetstream: another node of the cluster has the name %q: stop it, or give this one another Node.Name", n.options.ServerName)
}

// start starts a server.
func start(path string, config *Node, log *slog.Logger) (*node, error) {
	serverOptions, err := config.options(path)
	if err != nil {
		return nil, err
	}
	d, err := openDir(path, serverOptions.ServerName, config.Cluster != "")
	if err != nil {
		return nil, err
	}
	if err := config.checkFree(); err != nil {
		return nil, errors.Join(err, d.close())
	}
	n := &node{options: serverOptions.Clone(), dir: d, log: &serverLog{log: log}}
	s, err := server.NewServer(serverOptions) // NewServer changes the options
	if err != nil {
		return nil, errors.Join(fmt.Errorf("jetstream: %w", err), d.close())
	}
	n.server = s
	s.SetLoggerV2(n.log, false, false, false)
	s.Start()
	if !s.ReadyForConnections(startTime) || !s.JetStreamEnabled() {
		err := fmt.Errorf("jetstream: the NATS server has not started within %v; Options.Logger gets the reason", startTime)
		return nil, errors.Join(err, n.Stop())
	}
	return n, nil
}

// checkFree returns an error if an address of the node is in use. The server would retry forever.
func (n *Node) checkFree() error {
	for field, address := range map[string]string{"Listen": n.Listen, "Cluster": n.Cluster} {
		if address == "" {
			continue
		}
		var config net.ListenConfig
		listener, err := config.Listen(context.Background(), "tcp", address)
		if err == nil {
			err = listener.Close()
		}
		if err != nil {
			return fmt.Errorf("jetstream: Node.%s: %w", field, err)
		}
	}
	return nil
}

// Routes implements [hook.Node].
func (n *node) Routes() map[uint64]struct{} {
	routes := map[uint64]struct{}{}
	if found, err := n.server.Routez(nil); err == nil {
		for _, route := range found.Routes {
			routes[route.Rid] = struct{}{}
		}
	}
	return routes
}

// Stop implements [hook.Node].
func (n *node) Stop() error {
	n.server.Shutdown()
	n.server.WaitForShutdown()
	return n.dir.close()
}

// options returns the options of the server.
func (n *Node) options(path string) (*server.Options, error) {
	o := &server.Options{
		ServerName: n.Name, StoreDir: path, JetStream: true, SyncAlways: true,
		DontListen: true, NoSigs: true, DisableJetStreamBanner: true, Authorization: n.Secret,
	}
	if n.Listen != "" {
		host, port, err := n.address("Listen", n.Listen)
		if err != nil {
			return nil, err
		}
		o.DontListen, o.Host, o.Port = false, host, port
	}
	if n.Cluster == "" {
		if o.ServerName == "" {
			o.ServerName = "single"
		}
		if n.Peers != nil {
			return nil, errors.New("jetstream: Node has Peers but no Cluster address to accept them")
		}
		return o, nil
	}
	return o, n.cluster(o)
}

// cluster adds the options of a cluster node.
func (n *Node) cluster(o *server.Options) error {
	host, port, err := n.address("Cluster", n.Cluster)
	if err != nil {
		return err
	}
	if others := len(n.Peers); others != 2 && others != 4 { // an even number of nodes tolerates no more failures
		return fmt.Errorf("jetstream: Node.Peers has %d addresses, want the addresses of the 2 or 4 other nodes", others)
	}
	o.Cluster = server.ClusterOpts{Name: "mcptool", Host: host, Port: port}
	o.ReconnectErrorReports = retriesReported
	if n.Secret != "" {
		o.Cluster.Username, o.Cluster.Password = clusterUser, n.Secret
	}
	for i, peer := range n.Peers {
		peer = strings.TrimSpace(peer)
		if _, _, err := net.SplitHostPort(peer); err != nil {
			return fmt.Errorf("jetstream: Node.Peers: %w", err)
		}
		isPeer := func(other string) bool { return strings.TrimSpace(other) == peer }
		if peer == n.Cluster || slices.ContainsFunc(n.Peers[:i], isPeer) {
			return fmt.Errorf("jetstream: Node.Peers has %q, which is this node or a duplicate", peer)
		}
		route := &url.URL{Scheme: "nats-route", Host: peer}
		if n.Secret != "" {
			route.User = url.UserPassword(clusterUser, n.Secret)
		}
		o.Routes = append(o.Routes, route)
	}
	if o.ServerName == "" {
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			return fmt.Errorf("jetstream: Node.Cluster is %q, which may be the same for other nodes: set Node.Name", n.Cluster)
		}
		o.ServerName = nodeName(n.Cluster)
	}
	if o.DontListen { // otherwise the server would not connect to other nodes; the random token excludes clients
		o.DontListen, o.Host, o.Port = false, "127.0.0.1", server.RANDOM_PORT
		o.Authorization = rand.Text()
	}
	return nil
}

// nodeName derives a node name from an address.
func nodeName(address string) string {
	name := []byte(address)
	for i, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			name[i] = '_'
		}
	}
	return string(name)
}

// address parses a listen address, which requires a secret unless it is a loopback address.
func (n *Node) address(field, address string) (string, int, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("jetstream: Node.%s: %w", field, err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return "", 0, fmt.Errorf("jetstream: Node.%s: the port is %q, want a number above 0", field, text)
	}
	ip := net.ParseIP(host)
	if host != "localhost" && (ip == nil || !ip.IsLoopback()) && n.Secret == "" {
		return "", 0, fmt.Errorf("jetstream: Node.%s is %q, which others may reach: set Node.Secret", field, address)
	}
	return host, int(port), nil
}
