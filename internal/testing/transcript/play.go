package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Conn is the client's end of one connection to a server.
type Conn interface {
	// Send sends one line, given without its end.
	Send(line []byte) error
	// Receive returns the server's next message. It waits until ctx ends, and then returns
	// the error of ctx; after the server's last message it returns [io.EOF].
	Receive(ctx context.Context) ([]byte, error)
	// CloseSend signals that no more lines follow.
	CloseSend() error
}

const (
	patience = 10 * time.Second       // how long a message may take
	silence  = 250 * time.Millisecond // how long the server must be silent for "nothing"
)

// Play plays the transcript over conn. The error names the first line from which the server deviates.
func (t *Transcript) Play(ctx context.Context, conn Conn) error {
	taken := map[string]string{}
	for i := 0; i < len(t.steps); i++ {
		n, err := play(ctx, conn, t.steps[i:], taken)
		if err != nil {
			return fmt.Errorf("%s.txt:%d: %w", t.Name, t.steps[i].line, err)
		}
		i += n - 1
	}
	return nil
}

// play plays the first of steps, with its group if it has one, and returns how many it took.
func play(ctx context.Context, conn Conn, steps []step, taken map[string]string) (int, error) {
	switch s := steps[0]; s.verb {
	case sendLine:
		return 1, conn.Send(fill(s.text, taken))
	case wait:
		select {
		case <-time.After(s.pause):
			return 1, nil
		case <-ctx.Done():
			return 1, ctx.Err()
		}
	case closeSend:
		return 1, conn.CloseSend()
	case expectNothing:
		return 1, playSilence(ctx, conn)
	case expectEnd:
		switch msg, err := receive(ctx, conn, patience); {
		case err == nil:
			return 1, fmt.Errorf("want the end of the output, got %s", msg)
		case errors.Is(err, io.EOF):
			return 1, nil
		default:
			return 1, err
		}
	default:
		group := 1
		for s.verb == expectAny && group < len(steps) && steps[group].verb == expectAny {
			group++
		}
		return group, playGroup(ctx, conn, steps[:group], taken)
	}
}

// fill replaces the placeholders in a line by strings from earlier messages.
func fill(line []byte, taken map[string]string) []byte {
	for name, text := range taken {
		line = bytes.ReplaceAll(line, []byte("${"+name+"}"), []byte(text))
	}
	return line
}

// playSilence checks that the server sends nothing for a while.
func playSilence(ctx context.Context, conn Conn) error {
	switch msg, err := receive(ctx, conn, silence); {
	case err == nil:
		return fmt.Errorf("want no message, got %s", msg)
	case errors.Is(err, context.DeadlineExceeded):
		return nil
	default:
		return err
	}
}

// playGroup checks the next messages, which may come in any order.
func playGroup(ctx context.Context, conn Conn, group []step, taken map[string]string) error {
	open := append([]step(nil), group...)
	for len(open) > 0 {
		msg, err := receive(ctx, conn, patience)
		if err != nil {
			return fmt.Errorf("no message: %w; want %s", err, show(open[0].expected))
		}
		got, err := decode(msg)
		if err != nil {
			return fmt.Errorf("not JSON: %w: %s", err, msg)
		}
		found := -1
		for i := range open {
			if err = match("message", open[i].expected, got); err == nil {
				found = i
				take(open[i].expected, got, taken)
				break
			}
		}
		if found < 0 {
			return fmt.Errorf("%w\ngot  %s\nwant %s", err, msg, show(open[0].expected))
		}
		open = append(open[:found], open[found+1:]...)
	}
	return nil
}

func receive(ctx context.Context, conn Conn, most time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return conn.Receive(ctx)
}
