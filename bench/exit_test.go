package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

func TestExitCode(t *testing.T) {
	lost := &client.UnreachableError{What: "server: it has ended", Stderr: "one\n\x1b[31mtwo\n"}
	for _, test := range []struct {
		name string
		err  error
		want int
		says string
	}{
		{"all is well", nil, 0, ""},
		{"the command has said why", errNo, 1, ""},
		{"the answer is no", noError("%d breaks", 3), 1, "bench: 3 breaks\n"},
		{"refused", fmt.Errorf("calling: %w", &client.RPCError{Code: -32602, Message: "no such tool"}), 1, "bench: calling: no such tool (JSON-RPC error -32602)\n"},
		{"called wrongly", usageError("no %s", "file"), 2, "bench: no file\n"},
		{"anything else", errors.New("disk full"), 2, "bench: disk full\n"},
		{"no server", fmt.Errorf("listing: %w", lost), 3, "bench: listing: server: it has ended\n  | one\n  | \ufffd[31mtwo\n"},
		{"interrupted", fmt.Errorf("listing: %w", context.Canceled), 130, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := exitCode(test.err); got != test.want {
				t.Errorf("exit code %d, want %d", got, test.want)
			}
			var out bytes.Buffer
			if test.err != nil {
				(&console{err: terminal.NewWriter(&out)}).explain(test.err)
			}
			if out.String() != test.says {
				t.Errorf("it says %q, want %q", out.String(), test.says)
			}
		})
	}
}
