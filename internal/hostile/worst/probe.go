package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// patience is the time limit for a response. The CPU time reported by the child has a separate bar; wall time is many
// times as long on a busy machine, and this only ends a child that hangs.
const patience = 2 * time.Minute

// mostHead is the maximum number of bytes kept of a response.
const mostHead = 4 << 10

// A probe is a child that serves one tool, with the streams to it.
type probe struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	orders  *os.File
	replies *json.Decoder
	closing []io.Closer
	stderr  bytes.Buffer
	buf     []byte // last message
	base    cost   // cost of a message of size 0
}

// errDied means that a child exited, or was killed, before it responded.
var errDied = errors.New("the server died")

// openProbe starts a child that serves t, and prepares it for calls.
func openProbe(program string, t *tool) (p *probe, err error) {
	orderReader, orders, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	replies, replyWriter, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, orderReader.Close(), orders.Close())
	}
	p = &probe{command: exec.Command(program), orders: orders, replies: json.NewDecoder(replies), closing: []io.Closer{orders, replies}} //nolint:noctx // close ends it
	p.command.Env = append(os.Environ(), childVariable+"=1")
	p.command.ExtraFiles = []*os.File{orderReader, replyWriter}
	p.command.Stderr = &p.stderr
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 64<<10)
	err = errors.Join(p.command.Start(), orderReader.Close(), replyWriter.Close())
	if err == nil {
		err = p.begin(t)
	}
	if err != nil {
		err = fmt.Errorf("%w: %s", err, firstLine(p.stderr.String()))
		p.close()
		return nil, err
	}
	return p, nil
}

// begin sends the tool, starts the session, and lets the child do its one-time initialization.
func (p *probe) begin(t *tool) error {
	if _, err := p.order(order{Tool: t}); err != nil {
		return err
	}
	const hello = `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"worst","version":"1"}}}`
	if _, err := p.exchange([]byte(hello)); err != nil {
		return err
	}
	if _, err := io.WriteString(p.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return err
	}
	for _, arguments := range []string{`{}`, `{"no such argument":[{}]}`, `{}`, `{}`} {
		m, err := p.estimate(call(raw(arguments)))
		if err != nil {
			return err
		}
		p.base = m.cost
	}
	return nil
}

// A measurement is the cost of a message, with the response.
type measurement struct {
	cost   cost
	sent   int // bytes
	head   []byte
	answer int // bytes
}

// measure sends m and returns its cost. The error may be errDied.
func (p *probe) measure(m *message) (measurement, error) { return p.send(m, false) }

// estimate is measure without the peak memory, in a tenth of the time.
func (p *probe) estimate(m *message) (measurement, error) { return p.send(m, true) }

func (p *probe) send(m *message, fast bool) (measurement, error) {
	p.buf = append(m.append(p.buf[:0]), '\n')
	if _, err := p.order(order{Fast: fast}); err != nil {
		return measurement{}, err
	}
	answer, err := p.exchange(p.buf[:len(p.buf)-1])
	if err != nil {
		return measurement{sent: len(p.buf)}, err
	}
	r, err := p.order(order{End: true})
	answer.cost, answer.sent = r.Cost, len(p.buf)
	return answer, err
}

// order sends an order and returns the reply.
func (p *probe) order(o order) (r reply, err error) {
	if err := json.NewEncoder(p.orders).Encode(o); err != nil {
		return r, fmt.Errorf("%w: %w", errDied, err)
	}
	if err := p.replies.Decode(&r); err != nil {
		return r, fmt.Errorf("%w: %w", errDied, err)
	}
	if r.Error != "" {
		err = errors.New(r.Error)
	}
	return r, err
}

// exchange sends a line and returns the response. A child that does not respond in time is killed.
func (p *probe) exchange(line []byte) (measurement, error) {
	late := time.AfterFunc(patience, func() { _ = p.command.Process.Kill() })
	defer late.Stop()
	sent := make(chan error, 1)
	go func() {
		_, err := p.in.Write(append(line, '\n'))
		sent <- err
	}()
	m, err := p.answer()
	if err = errors.Join(err, <-sent); err != nil {
		return m, fmt.Errorf("%w: %w", errDied, err)
	}
	return m, nil
}

// answer reads the next response and skips notifications.
func (p *probe) answer() (measurement, error) {
	for {
		var m measurement
		for {
			piece, err := p.out.ReadSlice('\n')
			m.answer += len(piece)
			m.head = append(m.head, piece[:min(len(piece), mostHead-len(m.head))]...)
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return m, err
			}
		}
		if !bytes.Contains(m.head[:min(len(m.head), 100)], []byte(`"method":`)) {
			return m, nil
		}
	}
}

// close kills the child, and returns why it had exited before, if it had.
func (p *probe) close() (reason string) {
	_ = p.command.Process.Kill()
	err := p.command.Wait() // the error is expected after Kill
	for _, c := range p.closing {
		_ = c.Close()
	}
	return strings.TrimSpace(fmt.Sprintf("%v: %s", err, firstLine(p.stderr.String())))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
