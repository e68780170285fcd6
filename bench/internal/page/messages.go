package page

import (
	"slices"
	"time"
)

// Limits of the recorded messages of the protocol. Of a message above maxMessage only the size is kept: a part could
// contain a part of a secret, which is not recognized.
const (
	maxMessage  = 1 << 20
	maxMessages = 2000
	maxRecorded = 16 << 20 // bytes of all texts
)

// A Message is a message of the protocol that was sent or received, without secrets.
type Message struct {
	N         int       `json:"n"`         // its number, from 1
	Direction string    `json:"direction"` // "toServer" or "toClient"
	Time      time.Time `json:"time"`
	Method    string    `json:"method"` // of a response, the method of its request; "" if it is not known
	Call      int       `json:"call"`   // id of its call; 0 if there is none, or if the call is unknown
	Bytes     int       `json:"bytes"`
	Text      string    `json:"text"` // "" if it is larger than 1 MiB

	session *session // nil if it is not a JSON-RPC message
}

// messages are the newest messages.
type messages struct {
	list []Message // oldest first
	size int
	last int
}

func (m *messages) add(one Message) {
	m.last++
	one.N = m.last
	m.list = append(m.list, one)
	m.size += len(one.Text)
	for len(m.list) > maxMessages || m.size > maxRecorded {
		m.size -= len(m.list[0].Text)
		m.list[0] = Message{}
		m.list = m.list[1:]
	}
}

// after returns the messages with numbers above n, which the caller must not change.
func (m *messages) after(n int) []Message {
	first := m.last - len(m.list) // the number before the first one
	return m.list[min(max(n-first, 0), len(m.list)):]
}

// conversation returns the recorded messages of the newest connection, without lines and events that are not messages.
func (p *Page) conversation() []Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.messages.list), func(m Message) bool { return m.session == nil || m.session != p.session })
}
