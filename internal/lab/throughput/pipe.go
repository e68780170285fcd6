package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A pipe is a session over stdio.
type pipe struct {
	*child
	rev    revision
	nextID int
	buf    []byte
	told   time.Time // when the last answer to request had come, before it was read as JSON
}

// openPipe starts a contender and does what comes before the first request.
func (r *rig) openPipe(ctx context.Context, c contender, rev revision, args ...string) (*pipe, error) {
	ch, err := r.start(ctx, c, args...)
	if err != nil {
		return nil, err
	}
	p := &pipe{child: ch, rev: rev, nextID: firstID}
	if rev == modern {
		return p, nil
	}
	params := fmt.Sprintf(`"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"throughput","version":"1.0.0"}`, rev)
	if _, err := p.request("initialize", params); err != nil {
		return nil, p.fail(err)
	}
	if _, err := p.in.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")); err != nil {
		return nil, p.fail(err)
	}
	return p, nil
}

// fail ends the child, whose error explains best what err is a consequence of.
func (p *pipe) fail(err error) error {
	_ = p.cmd.Process.Kill()
	_ = p.stop()
	return fmt.Errorf("%w\n%s", err, p.stderr.String())
}

// request sends one request and returns the result, valid until the next use of p.
func (p *pipe) request(method, params string) (json.RawMessage, error) {
	if p.rev == modern {
		if params != "" {
			params += ","
		}
		params += meta
	}
	p.nextID++
	p.buf = fmt.Appendf(p.buf[:0], `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`+"\n", p.nextID, method, params)
	if _, err := p.in.Write(p.buf); err != nil {
		return nil, err
	}
	line, err := p.out.next(true)
	p.told = time.Now()
	if err != nil {
		return nil, err
	}
	var answer struct {
		ID     int
		Result json.RawMessage
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, err
	}
	if answer.ID != p.nextID || answer.Result == nil {
		return nil, fmt.Errorf("%s was answered with %s", method, cut(line))
	}
	return answer.Result, nil
}

// drive keeps inFlight calls in flight for a while, at least one round of them, and
// returns how many there were. All are answered when it returns.
//
// One goroutine writes and reads, so that the driver wakes no threads of its own: what has
// been answered is asked for anew in one write. It cannot get stuck, because the
// requests in flight fit into the pipe.
func (p *pipe) drive(j *judge, inFlight int, d time.Duration) (calls int, err error) {
	open := make(map[int]bool, inFlight)
	for begin := time.Now(); ; {
		p.buf = p.buf[:0]
		for asking := calls == 0 || time.Since(begin) < d; asking && len(open) < inFlight; calls++ {
			p.nextID++
			open[p.nextID] = true
			p.buf = append(j.asked.appendRequest(p.buf, p.nextID), '\n')
		}
		if len(open) == 0 {
			return calls, nil
		}
		if _, err := p.in.Write(p.buf); err != nil {
			return 0, err
		}
		if err := p.hear(j, open); err != nil {
			return 0, err
		}
	}
}

// hear waits for an answer, takes what has come with it, and strikes off what is
// answered.
func (p *pipe) hear(j *judge, open map[int]bool) error {
	for wait := true; ; wait = false {
		line, err := p.out.next(wait)
		if line == nil || err != nil {
			return err
		}
		id, err := j.judge(line)
		if err != nil {
			return err
		}
		if !open[id] {
			return fmt.Errorf("request %d was not asked, or is answered twice", id)
		}
		delete(open, id)
	}
}
