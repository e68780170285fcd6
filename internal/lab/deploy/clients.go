package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// client is a client with a session.
type client interface {
	// Call calls a tool, and returns the text of its result.
	Call(ctx context.Context, tool string, arguments map[string]any) (string, error)
	Close() error
}

// tally is the outcome of the calls of one client.
type tally struct {
	Client  string `json:"client"`
	Calls   int    `json:"calls"`
	Failed  int    `json:"failed"`
	Asked   int    `json:"asked"`   // questions that the user has answered
	First   string `json:"first"`   // failure
	Working bool   `json:"working"` // the last call succeeded
}

func (t *tally) note(err error) {
	t.Calls++
	if t.Working = err == nil; err != nil {
		if t.Failed++; t.First == "" {
			t.First = err.Error()
		}
	}
}

// clients are all clients.
type clients struct {
	all     []client
	tallies []*tally
	stop    context.CancelFunc
	running sync.WaitGroup

	script *exec.Cmd // nil without clients in TypeScript
	in     io.WriteCloser
	out    *bufio.Scanner
}

// connect begins the sessions.
func connect(ctx context.Context, url string, o options) (_ *clients, err error) {
	c := &clients{stop: func() {}}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	for _, peer := range []struct {
		name string
		dial func(context.Context, string) (client, error)
	}{{"go-sdk", dialGoSDK}, {"mcp-go", dialMCPGo}} {
		for range 4 {
			connected, err := peer.dial(ctx, url)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", peer.name, err)
			}
			c.all, c.tallies = append(c.all, connected), append(c.tallies, &tally{Client: peer.name})
		}
	}
	if o.script == "" {
		return c, nil
	}
	script := exec.CommandContext(ctx, o.node, o.script, url, o.only)
	script.Stderr = os.Stderr
	if c.in, err = script.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := script.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := script.Start(); err != nil {
		return nil, err
	}
	c.script, c.out = script, bufio.NewScanner(out)
	return c, c.await("connected")
}

// await waits until the script writes a line.
func (c *clients) await(line string) error {
	for c.out.Scan() {
		if c.out.Text() == line {
			return nil
		}
	}
	return fmt.Errorf("the script ended before %q: %w", line, c.out.Err())
}

// load makes calls, each client one after the other, until report.
func (c *clients) load(ctx context.Context) {
	ctx, c.stop = context.WithCancel(ctx)
	for i, client := range c.all {
		c.running.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				// A call that has begun is finished.
				c.tallies[i].note(digest(context.WithoutCancel(ctx), client, fmt.Sprintf("text %d of client %d", n, i)))
			}
		})
	}
}

// digest calls a tool with a result that can be verified.
func digest(ctx context.Context, c client, text string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	got, err := c.Call(ctx, "digest", map[string]any{"text": text})
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(text))
	if !strings.Contains(got, hex.EncodeToString(sum[:])) {
		return fmt.Errorf("digest of %q: got %s", text, got)
	}
	return nil
}

// ask makes a tool ask the users of all clients. Between two restarts no question is lost.
func (c *clients) ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for i, client := range c.all {
		text, err := client.Call(ctx, "sure", nil)
		if err == nil && !strings.Contains(text, "deploytest is sure") {
			err = errors.New("sure: got " + text)
		}
		c.askedBy(i, err)
	}
	if c.script != nil {
		_, _ = io.WriteString(c.in, "ask\n") // a failure is noticed when the script ends
		_ = c.await("asked")
	}
}

func (c *clients) askedBy(i int, err error) {
	if err != nil {
		c.tallies[i].First = err.Error()
		return
	}
	c.tallies[i].Asked++
}

// report ends the calls and prints their outcome. If the sessions survive, it is an error if a call has failed, or if a
// session has begun that is not the first one of a client.
func (c *clients) report(out io.Writer, log *sessionLog, survive bool) error {
	c.stop()
	c.running.Wait()
	all := c.tallies
	if c.script != nil {
		_ = c.in.Close()
		for c.out.Scan() {
			t := new(tally)
			if err := json.Unmarshal(c.out.Bytes(), t); err != nil {
				return fmt.Errorf("the script wrote %s: %w", c.out.Text(), err)
			}
			all = append(all, t)
		}
		if err := c.script.Wait(); err != nil {
			return err
		}
		c.script = nil
	}
	var failures error
	printf(out, "%-24s%8s%8s%8s  %s\n", "client", "calls", "failed", "asked", "at the end")
	for _, t := range all {
		end := "works"
		if !t.Working {
			end = "has not recovered: " + t.First
		}
		printf(out, "%-24s%8d%8d%8d  %.100s\n", t.Client, t.Calls, t.Failed, t.Asked, end)
		if t.First != "" || t.Calls == 0 {
			failures = errors.Join(failures, fmt.Errorf("%s: %s", t.Client, t.First))
		}
	}
	begun, resumed := log.count("session begins"), log.count("session resumed")
	printf(out, "\nsessions begun %d, resumed %d times\n", begun, resumed)
	switch {
	case !survive:
		return nil
	case begun != len(all):
		failures = errors.Join(failures, fmt.Errorf("%d sessions have begun, for %d clients", begun, len(all)))
	case resumed == 0:
		failures = errors.Join(failures, errors.New("no session was resumed"))
	}
	return failures
}

// printf prints, ignoring errors.
func printf(out io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) }

// close ends the sessions.
func (c *clients) close() error {
	c.stop()
	c.running.Wait()
	if c.script != nil {
		_ = c.script.Process.Kill()
		_ = c.script.Wait() // the error is expected after Kill
	}
	var err error
	for _, client := range c.all {
		err = errors.Join(err, client.Close())
	}
	return err
}

// sessionLog is the log of all instances.
type sessionLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (l *sessionLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// count returns the number of records with this message.
func (l *sessionLog) count(message string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), message)
}
