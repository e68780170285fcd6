package hostile_test

import (
	"bytes"
	"io"
	"strings"
	"time"
)

// era is a revision and the form of its requests.
type era struct {
	version string
	modern  bool // requests are self-contained, without a session
}

// meta returns the _meta member of requests in e followed by a comma, or "".
func (e era) meta() string {
	if !e.modern {
		return ""
	}
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + e.version + `","io.modelcontextprotocol/clientCapabilities":{}},`
}

// nullMeta is meta with null for each optional member.
func (e era) nullMeta() string {
	const nulls = `"progressToken":null,"io.modelcontextprotocol/logLevel":null,"io.modelcontextprotocol/clientInfo":null,"traceparent":null,`
	if !e.modern {
		return `"_meta":{` + nulls + `"io.modelcontextprotocol/protocolVersion":null},`
	}
	return strings.Replace(e.meta(), `{`, `{`+nulls, 1)
}

// initialize returns the request that begins a session.
func (e era) initialize() message {
	return message{id: "0", method: "initialize", head: []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + e.version +
		`","capabilities":{},"clientInfo":{"name":"hostile","version":"1"}}}`)}
}

// initialized returns the notification that follows the response.
var initialized = message{head: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), silent: true}

// call returns a tools/call request whose arguments are text, then unit repeated times times, then rest.
func (e era) call(id, tool string, text string, unit string, times int, rest string) message {
	return newMessage(message{id: id, method: "tools/call", name: tool},
		`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{`+e.meta()+`"name":"`+tool+`","arguments":`+text, unit, times, rest+`}}`)
}

// request returns a request for any method.
func (e era) request(id, method, params string) message {
	return newMessage(message{id: id, method: method}, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":{`+e.meta()+params+`}}`, "", 0, "")
}

// message is a message of a client. It is written from existing blocks, so that sending 100 MB takes the client hardly
// any memory.
type message struct {
	id           string // raw JSON
	method, name string // for the HTTP headers
	head         []byte
	block        []byte // repetitions of the unit
	blocks       int
	tail         []byte
	silent       bool   // gets no response
	header       string // further HTTP header lines
	chunked      bool   // over HTTP, sent without a Content-Length
	slow         bool   // the head is written at one byte per second
}

// newMessage completes m with its text: text, then unit repeated times times, then rest.
func newMessage(m message, text, unit string, times int, rest string) message {
	const size = 64 << 10
	perBlock := max(size/max(len(unit), 1), 1)
	m.head = []byte(text)
	m.block, m.blocks = bytes.Repeat([]byte(unit), min(perBlock, times)), times/perBlock
	m.tail = []byte(strings.Repeat(unit, times%perBlock) + rest)
	return m
}

// slowly returns m, to be written at one byte per second.
func (m message) slowly() message {
	m.slow = true
	return m
}

// size returns the length of m in bytes.
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
