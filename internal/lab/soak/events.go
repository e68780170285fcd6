package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
)

// events reads an event stream.
type events struct {
	body  io.Closer
	lines *bufio.Scanner
	last  string // the id of the last event that had one
	count int    // events that had an id
}

// longest is the longest line that is read: the largest answer there is, and then some.
const longest = 16 << 20

func newEvents(body io.ReadCloser) *events {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 4<<10), longest)
	return &events{body: body, lines: lines}
}

// next returns the next event that is not empty; at the end of the stream the error is [io.EOF].
func (e *events) next() (name string, data []byte, err error) {
	for e.lines.Scan() {
		line := e.lines.Text()
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && len(data) > 0:
			return name, data, nil
		case line == "":
			name = ""
		case field == "id":
			e.last = value
			e.count++
		case field == "event":
			name = value
		case field == "data":
			data = append(data, value...)
		}
	}
	if err := e.lines.Err(); err != nil {
		return "", nil, err
	}
	return "", nil, io.EOF
}

// openSSE opens a session of the transport of revision 2024-11-05.
func openSSE(ctx context.Context, c *http.Client, base string, wrong func([]byte, error)) (*streamClient, error) {
	rev := revisions[0]
	ctx = context.WithoutCancel(ctx) // the session lasts until it is hung up
	streaming, hang := context.WithCancel(ctx)
	response, err := get(streaming, c, base+"/sse", nil) //nolint:bodyclose // it goes with its context
	if err != nil {
		hang()
		return nil, err
	}
	stream := newEvents(response.Body)
	name, endpoint, err := stream.next()
	if err == nil && name != "endpoint" {
		err = &unexpected{"the first event", name}
	}
	if err != nil {
		hang()
		return nil, err
	}
	l := newStreamClient(rev, nil, nil, wrong)
	l.send = func(ctx context.Context, msg []byte) error {
		response, err := post(ctx, c, base+string(endpoint), msg, nil)
		if err != nil {
			return err
		}
		return drain(response, http.StatusAccepted)
	}
	l.closeInput = func() error {
		hang()
		<-l.ended
		return nil
	}
	go l.listen(ctx, func() ([]byte, error) {
		_, data, err := stream.next()
		return data, err
	})
	return l, l.initialize(ctx)
}
