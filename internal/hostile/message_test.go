package hostile_test

import (
	"bytes"
	"io"
	"strings"
	"time"
)

// era is a revision, and how its clients write requests.
type era struct {
	version string
	modern  bool // requests stand for themselves
}

// meta is the _meta of the requests of e, with a comma after it, or nothing.
func (e era) meta() string {
	if !e.modern {
		return ""
	}
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + e.version + `","io.modelcontextprotocol/clientCapabilities":{}},`
}

// nullMeta is meta with null for each member that may be left out.
func (e era) nullMeta() string {
	const nulls = `"progressToken":null,"io.modelcontextprotocol/logLevel":null,"io.modelcontextprotocol/clientInfo":null,"traceparent":null,`
	if !e.modern {
		return `"_meta":{` + nulls + `"io.modelcontextprotocol/protocolVersion":null},`
	}
	return strings.Replace(e.meta(), `{`, `{`+nulls, 1)
}

// initialize is the request that begins a session.
func (e era) initialize() message {
	return message{id: "0", method: "initialize", head: []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + e.version +
		`","capabilities":{},"clientInfo":{"name":"hostile","version":"1"}}}`)}
}

// initialized follows the answer to it.
var initialized = message{head: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), silent: true}

// call is a tools/call whose arguments are text, then unit so many times, then rest.
func (e era) call(id, tool string, text string, unit string, times int, rest string) message {
	return newMessage(message{id: id, method: "tools/call", name: tool},
		`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{`+e.meta()+`"name":"`+tool+`","arguments":`+text, unit, times, rest+`}}`)
}

// request is a request for any method.
func (e era) request(id, method, params string) message {
	return newMessage(message{id: id, method: method}, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":{`+e.meta()+params+`}}`, "", 0, "")
}

// message is a message of a client. It is written from blocks that exist already, so that sending 100 MB costs the
// client hardly any memory.
type message struct {
	id           string // raw JSON
	method, name string // for the headers of HTTP
	head         []byte
	block        []byte // many units
	blocks       int
	tail         []byte
	silent       bool   // there is no answer to it
	header       string // lines of the header of HTTP besides
	chunked      bool   // over HTTP its length is not said
	slow         bool   // its head is written a byte per second
}

// newMessage completes m with its text, then unit so many times, then rest.
func newMessage(m message, text, unit string, times int, rest string) message {
	const size = 64 << 10
	perBlock := max(size/max(len(unit), 1), 1)
	m.head = []byte(text)
	m.block, m.blocks = bytes.Repeat([]byte(unit), min(perBlock, times)), times/perBlock
	m.tail = []byte(strings.Repeat(unit, times%perBlock) + rest)
	return m
}

// slowly is m, written a byte per second.
func (m message) slowly() message {
	m.slow = true
	return m
}

// size is the length of m in bytes.
func (m message) size() int {
	return len(m.head) + m.blocks*len(m.block) + len(m.tail)
}

// writeTo writes m.
func (m message) writeTo(w io.Writer) error {
	for m.slow && len(m.head) > 0 {
		if _, err := w.Write(m.head[:1]); err != nil {
			return err
		}
		m.head = m.head[1:]
		time.Sleep(time.Second)
	}
	if _, err := w.Write(m.head); err != nil {
		return err
	}
	for range m.blocks {
		if _, err := w.Write(m.block); err != nil {
			return err
		}
	}
	_, err := w.Write(m.tail)
	return err
}
