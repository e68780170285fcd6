package jetstream_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fault is what a [natsProxy] does to a message of the client.
type fault struct {
	drop  bool          // it is not passed on
	cut   bool          // the connection is closed instead
	delay time.Duration // before it is passed on
}

// natsProxy passes on the NATS protocol, and applies faults to what the client publishes.
type natsProxy struct {
	to      string
	faults  atomic.Pointer[func(subject string) fault]
	answers atomic.Pointer[strings.Replacer] // of what the server sends; nil means that it is passed on as it is
}

// newNATSProxy returns a proxy for a NATS server, and its URL.
func newNATSProxy(t *testing.T, server string) (*natsProxy, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &natsProxy{to: strings.TrimPrefix(server, "nats://")}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", p.to)
			if err != nil {
				client.Close()
				continue
			}
			go p.publish(client, server)
			go p.answer(server, client)
		}
	}()
	return p, "nats://" + l.Addr().String()
}

// set applies a func to the subject of each message; nil means no faults.
func (p *natsProxy) set(faults func(subject string) fault) {
	if faults == nil {
		p.faults.Store(nil)
		return
	}
	p.faults.Store(&faults)
}

// once applies a fault to the first message whose subject has a prefix and an ending.
func (p *natsProxy) once(prefix, ending string, f fault) (applied *atomic.Bool) {
	applied = new(atomic.Bool)
	p.set(func(subject string) fault {
		if strings.HasPrefix(subject, prefix) && strings.HasSuffix(subject, ending) && applied.CompareAndSwap(false, true) {
			return f
		}
		return fault{}
	})
	return applied
}

// answer passes on what the server sends.
func (p *natsProxy) answer(server, client net.Conn) {
	answers := p.answers.Load()
	if answers == nil {
		pass(server, client, new(sync.RWMutex))
		return
	}
	defer client.Close()
	defer server.Close()
	for r := bufio.NewReader(server); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		if _, err := answers.WriteString(client, line); err != nil {
			return
		}
	}
}

// publish passes on what the client sends.
func (p *natsProxy) publish(client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	r := bufio.NewReader(client)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		message, f := []byte(line), fault{}
		if words := strings.Fields(line); len(words) > 1 && (words[0] == "PUB" || words[0] == "HPUB") { // the last is the size
			var size int
			_, _ = fmt.Sscan(words[len(words)-1], &size)
			body := make([]byte, size+len("\r\n"))
			if _, err := io.ReadFull(r, body); err != nil {
				return
			}
			message = append(message, body...)
			if faults := p.faults.Load(); faults != nil {
				f = (*faults)(words[1])
			}
		}
		time.Sleep(f.delay)
		if f.cut {
			return
		}
		if f.drop {
			continue
		}
		if _, err := server.Write(message); err != nil {
			return
		}
	}
}
