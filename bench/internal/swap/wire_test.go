package swap_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/swap"
)

// A wire is a client on stdio that sends and reads lines.
type wire struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	ended chan error // the result of ServeStdio
}

// connect connects a wire to a front.
func connect(t *testing.T, f *swap.Front) *wire {
	t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	c := &wire{t: t, in: in, lines: make(chan string, 1000), ended: make(chan error, 1)}
	go func() {
		c.ended <- f.ServeStdio(t.Context(), fromClient, toClient)
		_ = toClient.Close()
	}()
	go func() {
		defer close(c.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			c.lines <- s.Text()
		}
	}()
	t.Cleanup(func() {
		_ = in.Close()
		c.end()
		for range c.lines {
		}
	})
	return c
}

// begin returns a front with its first version, its journal, and a client that has done the handshake.
func begin(t *testing.T, o swap.Options, v swap.Version) (*swap.Front, *journal, *wire) {
	t.Helper()
	f, j := newFront(t, o)
	use(t, f, v)
	c := connect(t, f)
	c.initialize()
	return f, j, c
}

// end waits for the end of ServeStdio.
func (c *wire) end() error {
	c.t.Helper()
	select {
	case err := <-c.ended:
		c.ended <- err
		return err
	case <-time.After(patient):
		c.t.Fatal("ServeStdio does not return")
		return nil
	}
}

// send sends lines.
func (c *wire) send(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(c.in, line+"\n"); err != nil {
			c.t.Fatal(err)
		}
	}
}

// next returns the next line; "" at the end.
func (c *wire) next() string {
	c.t.Helper()
	select {
	case line := <-c.lines:
		return line
	case <-time.After(patient):
		c.t.Fatal("the front sends nothing")
		return ""
	}
}

// expect compares the next lines.
func (c *wire) expect(want ...string) {
	c.t.Helper()
	for _, line := range want {
		if got := c.next(); got != line {
			c.t.Fatalf("the client gets\n%s\nwant\n%s", got, line)
		}
	}
}

// expectText checks that the next line has all texts.
func (c *wire) expectText(texts ...string) {
	c.t.Helper()
	got := c.next()
	for _, text := range texts {
		if !strings.Contains(got, text) {
			c.t.Fatalf("the client gets\n%s\nwithout %s", got, text)
		}
	}
}

// silent checks that the client gets nothing.
func (c *wire) silent() {
	c.t.Helper()
	select {
	case line := <-c.lines:
		c.t.Fatalf("the client gets %s", line)
	case <-time.After(50 * time.Millisecond):
	}
}

// initialize does the handshake of the legacy era, and returns the response.
func (c *wire) initialize() string {
	c.t.Helper()
	c.send(initialize)
	line := c.next()
	c.send(initialized)
	return line
}

// The messages of a client.
const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"wire","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	toolsNote   = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	resNote     = `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`
	promptsNote = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`
	modernMeta  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":3}`
)

// call returns a call of a tool of the legacy era.
func call(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"}}`
}

// result returns the response of a raw server to such a call.
func result(id, version string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"` + version + `"}]}}`
}

// failed returns the response to a call that was not answered.
func failed(id, why string) string {
	text := new(bytes.Buffer)
	e := json.NewEncoder(text)
	e.SetEscapeHTML(false)
	_ = e.Encode(why)
	return `{"id":` + id + `,"jsonrpc":"2.0","result":{"content":[{"text":` + strings.TrimSpace(text.String()) + `,"type":"text"}],"isError":true}}`
}

// use uses a version.
func use(t *testing.T, f *swap.Front, v swap.Version) {
	t.Helper()
	f.Building()
	if err := f.Use(t.Context(), v); err != nil {
		t.Fatal(err)
	}
}
