package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// TestLimits exceeds the server's limits: a result that is too large is refused, and sent when the model asks for less;
// the record of a call contains no values, and a caller that exceeds its rate gets the time to retry after.
func TestLimits(t *testing.T) {
	t.Parallel()
	const calls = 100 // far more than the rate allows in the meantime, even on a busy machine
	terms := strings.Repeat("123456,", 20_000) + "7"
	steps := 20_001 // of the first call
	var in strings.Builder
	for id := range calls {
		if id > 0 {
			steps = 10
		}
		if id > 1 {
			terms = "1"
		}
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"calculate_sum","arguments":{"terms":[%s],"steps":%d},`+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n", id, terms, steps)
	}
	server := exec.CommandContext(t.Context(), "go", "run", ".")
	server.Stdin = strings.NewReader(in.String())
	var log bytes.Buffer
	server.Stderr = &log
	out, err := server.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &log)
	}
	answers := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(answers) != calls {
		t.Fatalf("%d answers to %d calls", len(answers), calls)
	}
	limited := 0
	for _, line := range answers {
		var answer struct {
			ID     int
			Result struct {
				StructuredContent SumOut
				Content           []struct{ Text string }
				IsError           bool
			}
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		text := answer.Result.Content[0].Text
		switch r := answer.Result; {
		case strings.Contains(text, "call it again in"):
			limited++
		case answer.ID == 0:
			if !r.IsError || !strings.Contains(text, "but the limit is 97.7 KiB; request a smaller part") {
				t.Errorf("a result with all sums is answered with %.300s", text)
			}
		case answer.ID == 1:
			if r.IsError || r.StructuredContent.Sum != 123456*20_000+7 || len(r.StructuredContent.Steps) != 10 {
				t.Errorf("a result with 10 of the sums is answered with %.300s", text)
			}
		}
	}
	if limited == 0 || limited > calls-20 {
		t.Errorf("%d calls of %d were too many, want most, but not of the first 20", limited, calls)
	}
	if n := strings.Count(log.String(), `"msg":"tool called"`); n != calls || strings.Contains(log.String(), "123456") {
		t.Errorf("%d records of %d calls: %s", n, calls, &log)
	}
}
