package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// A message is one of the server.
type message struct {
	kind envelope.Kind
	id   int64  // of a request or a response; -1, which no request of the client has, if it is not an integer
	text []byte // in valid Unicode, unless err is set
	err  error  // why the message cannot be read; its kind is then Malformed, or Response if it has the id of a request
}

// An incoming reads the messages of a server, and counts the invalid ones.
type incoming struct {
	// other gets messages that answer no waiting request: requests, notifications and unexpected messages. ctx is that of
	// the request whose response stream carried the message, if one did. It does not block.
	other      func(ctx context.Context, m message)
	unexpected func(message []byte, why string) // Options.Unexpected

	mu      sync.Mutex
	invalid int
	problem string // of the first invalid message
	around  string // a part of that message
}

// read reads a message. Invalid UTF-8 and unpaired surrogates become U+FFFD, as in package strictjson: most clients accept
// the surrogate that a server in JavaScript sends when it cuts a text within an emoji.
func (in *incoming) read(text []byte) message {
	e, readable, err := strictjson.Message(text, maxDepth)
	m := message{kind: e.Kind, id: -1, text: readable}
	if err != nil {
		m.err = &unreadableError{err}
	}
	if id, err := strconv.ParseInt(string(e.ID), 10, 64); err == nil {
		m.id = id
	}
	if m.kind != envelope.Malformed && (err != nil || !bytes.Equal(readable, text)) {
		in.note(text)
	}
	return m
}

// keptBefore and keptAfter are the sizes of the text that is kept around an error, in bytes.
const keptBefore, keptAfter = 60, 20

// note counts an invalid message. Deeply nested JSON is valid.
func (in *incoming) note(text []byte) {
	syntax, ok := errors.AsType[*rawjson.SyntaxError](rawjson.Valid(text, maxDepth))
	if !ok {
		return
	}
	in.mu.Lock()
	if in.invalid++; in.invalid == 1 {
		in.problem = syntax.Problem
		in.around = string(text[max(0, syntax.Offset-keptBefore):min(len(text), syntax.Offset+keptAfter)])
	}
	in.mu.Unlock()
	if in.unexpected != nil {
		in.unexpected(text, syntax.Error())
	}
}

func (in *incoming) noted() (n int, problem, around string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.invalid, in.problem, in.around
}

// InvalidMessages returns the number of messages so far that are not valid JSON, the problem of the first one, and the text
// around it. They are read with U+FFFD in place of what is not Unicode, or fail the request that they answer.
func (c *Client) InvalidMessages() (n int, problem, around string) { return c.in.noted() }

// An unreadableError is the reason why a message cannot be read.
type unreadableError struct{ error }

func (e *unreadableError) Unwrap() error { return e.error }

func isUnreadable(err error) bool {
	_, ok := errors.AsType[*unreadableError](err)
	return ok
}

// unreadable describes a response to a request of method that cannot be read.
func unreadable(method string, err error) string {
	return fmt.Sprintf("its answer to %s cannot be read: %v", method, err)
}
