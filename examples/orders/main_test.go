package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// serve runs the program with a database in dir until stop, which returns the number of audit records.
func serve(t *testing.T, dir string) (url string, stop func() (audited int)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	logged, log := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		c := config{
			dir: dir, orders: testOrders, addr: "127.0.0.1:0", delay: 100 * time.Millisecond,
			tokens: "s3cret ada orders:read orders:export", secret: "the same for each start",
		}
		err := run(ctx, c, slog.New(slog.NewJSONHandler(log, nil)))
		_ = log.Close()
		ended <- err
	}()
	lines := bufio.NewScanner(logged)
	for url == "" {
		if !lines.Scan() {
			t.Fatal(<-ended)
		}
		var record struct{ URL string }
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		url = record.URL
	}
	audited := make(chan int)
	go func() {
		n := 0
		for lines.Scan() {
			if strings.Contains(lines.Text(), `"msg":"tool called"`) {
				n++
			}
		}
		audited <- n
	}()
	return url, func() int {
		cancel()
		n := <-audited
		if err := <-ended; err != nil {
			t.Error(err)
		}
		return n
	}
}

// post sends a call of revision 2026-07-28, and returns the answer.
func post(ctx context.Context, url, tool, args string) (answer string, err error) {
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":%s,"name":%q,"arguments":%s}}`, meta, tool, args)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer s3cret",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return string(text), err
}

// TestShutdown ends the program under load, as SIGTERM does. No call that has begun is without its answer, and what was
// written is there at the next start.
func TestShutdown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url, stop := serve(t, dir)
	var clients sync.WaitGroup
	var answered atomic.Int64
	enough := make(chan struct{})
	for i := range 8 {
		clients.Go(func() {
			for n := i; ; n += 8 {
				id := 1 + n%testOrders
				answer, err := post(t.Context(), url, "get_order", fmt.Sprintf(`{"id":%d}`, id))
				if err != nil || strings.Contains(answer, "shutting down") {
					break
				}
				if !strings.Contains(answer, fmt.Sprintf(`"structuredContent":{"id":%d,`, id)) {
					t.Errorf("order %d: %.300s", id, answer)
				}
				if answered.Add(1) == 200 {
					close(enough)
				}
			}
		})
	}
	<-enough
	if answer, err := post(t.Context(), url, "export_orders", `{"year":2024}`); err != nil || !strings.Contains(answer, exportPrefix) {
		t.Errorf("an export: %.300s, %v", answer, err)
	}
	audited := stop()
	clients.Wait()
	if n := int(answered.Load()) + 1; audited != n {
		t.Errorf("%d calls ran, %d were answered", audited, n)
	}
	url, stop = serve(t, dir)
	if answer, err := post(t.Context(), url, "get_order", `{"id":1}`); err != nil || !strings.Contains(answer, `"structuredContent":{"id":1,`) {
		t.Errorf("after a restart: %.300s, %v", answer, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "exports", "orders-2024.csv")); err != nil {
		t.Error(err)
	}
	stop()
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]string{"": "TOKENS must have", "s3cret": "a line is a token", "s3cret ada orders:read\n\nother ben": ""} {
		_, err := access(lines)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", lines, err)
		}
	}
}
