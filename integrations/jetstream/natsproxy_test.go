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
)

// fault is the action of a [natsProxy] on a message from the client.
type fault struct {
	drop bool            // do not forward it
	cut  bool            // close the connection instead
	hold <-chan struct{} // if not nil, forward it when this is closed
}

// natsProxy forwards the NATS protocol and applies faults to messages that the client
// publishes.
type natsProxy struct {
	to      string
	faults  atomic.Pointer[func(subject string) fault]
	answers atomic.Pointer[strings.Replacer] // replacements in the data from the server; nil for none
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

// set makes f choose the fault by the subject of each message; nil means no faults.
func (p *natsProxy) set(faults func(subject string) fault) {
	if faults == nil {
		p.faults.Store(nil)
		return
	}
	p.faults.Store(&faults)
}

// once applies a fault to the first message whose subject has the prefix and suffix.
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

// answer forwards data from the server.
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

// publish forwards data from the client.
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
		if words := strings.Fields(line); len(words) > 1 && (words[0] == "PUB" || words[0] == "HPUB") { // ends with the size
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
		if f.hold != nil {
			<-f.hold
		}
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
