package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"runtime/coverage"
	"runtime/debug"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

type weatherIn struct {
	City string `json:"city" jsonschema:"minLength=1"`
	Unit string `json:"unit" jsonschema:"enum=celsius,enum=fahrenheit,default=celsius"`
}

type weatherOut struct {
	Temperature float64 `json:"temperature"`
	Conditions  string  `json:"conditions"`
}

const request = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"Lisbon"},` +
	`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

// warm is the number of calls before the counted one, and settled the time for their background work.
const (
	warm    = 20
	settled = 200 * time.Millisecond
)

// measure writes the counters of one call over the transport into dir.
func measure(ctx context.Context, transport, dir string) error {
	tool, err := mcptool.New(func(context.Context, weatherIn) (weatherOut, error) { return weatherOut{21, "sunny"}, nil }, mcptool.Name("get_weather"))
	if err != nil {
		return err
	}
	srv := &runtime.Server{Name: "callpath", Version: "1", Tools: new(mcptool.Registry)}
	if err := srv.Tools.Add(tool); err != nil {
		return err
	}
	// With several processors, or after a garbage collection, a sync.Pool may be empty, and a call runs functions that
	// fill it.
	goruntime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	call := overHTTP
	if transport == "stdio" {
		call = overStdio
	}
	send, end := call(ctx, srv)
	defer end()
	for i := range warm + 1 {
		if i == warm {
			time.Sleep(settled)
			if err := coverage.ClearCounters(); err != nil {
				return err
			}
		}
		answer, err := send()
		if err != nil {
			return err
		}
		if !strings.Contains(answer, "sunny") {
			return fmt.Errorf("got response %s", answer)
		}
	}
	time.Sleep(settled)
	if err := coverage.WriteMetaDir(dir); err != nil {
		return err
	}
	return coverage.WriteCountersDir(dir)
}

// overStdio serves over pipes. It returns a func that sends the request and returns the response, and one that stops
// the server.
func overStdio(ctx context.Context, srv *runtime.Server) (send func() (string, error), end func()) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = stdio.Serve(ctx, srv, stdio.In(in), stdio.Out(out)) // after an error, the next call fails
		_ = out.Close()
	}()
	answers := bufio.NewReader(fromServer)
	return func() (string, error) {
			if _, err := io.WriteString(toServer, request+"\n"); err != nil {
				return "", err
			}
			return answers.ReadString('\n')
		}, func() {
			_ = toServer.Close()
			<-over
		}
}

// overHTTP serves on a local port. The returned funcs are like those from overStdio.
func overHTTP(ctx context.Context, srv *runtime.Server) (send func() (string, error), end func()) {
	handler, err := streamhttp.NewHandler(srv)
	if err != nil {
		return func() (string, error) { return "", err }, func() {}
	}
	server := httptest.NewServer(handler)
	return func() (string, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader(request))
		if err != nil {
			return "", err
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "get_weather",
		} {
			r.Header.Set(name, value)
		}
		response, err := server.Client().Do(r)
		if err != nil {
			return "", err
		}
		defer func() { _ = response.Body.Close() }()
		text, err := io.ReadAll(response.Body)
		return string(text), err
	}, server.Close
}
