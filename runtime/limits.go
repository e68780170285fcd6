package runtime

import (
	"time"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
)

// Limits bounds what one client can cost. A zero or negative member means its default.
// The defaults suit a server that one person's client starts; a server with many
// clients multiplies them by its sessions.
type Limits struct {
	// Message is the size of the largest message taken in, in bytes; default 16 MiB.
	// It leaves room for a file as base64 in the arguments. Transports stop
	// reading a message at this size, so memory stays bounded.
	Message int
	// Depth is how deep the JSON of a message may nest; default 256, at most 1024.
	// Real arguments nest a few levels; what decodes them recurses.
	Depth int
	// Concurrent is how many calls of one session run at once; default 64. Calls mostly
	// wait for something, so it is well above the number of processors. A cancelled
	// call counts until its tool returns. Each holds its arguments until it ends:
	// against a hostile client, the product of Concurrent and Message is what a session
	// can be made to hold.
	Concurrent int
	// Queue is how many calls of one session wait for others to end; default 256. While
	// there is room, the session goes on reading, so pings are answered and
	// cancellations are heard. When it is full, the session stops reading, and the
	// client notices.
	Queue int
	// QueueBytes bounds the arguments of the waiting calls together, in bytes;
	// default 32 MiB, two messages of the largest size. One call always fits.
	QueueBytes int
	// Batch is how many messages one JSON-RPC batch may hold; default 128. Only
	// revision 2025-03-26 has batches.
	Batch int
	// Listens is how many subscriptions one session may hold open; default 64.
	// Each one multiplies what a change of the tools sends.
	Listens int
	// Page is how many tools one page of tools/list holds; default 1000. It is high
	// because a client that does not ask for the second page misses what is on it.
	Page int
	// Text is the length of the longest error text or progress message sent, in bytes;
	// default 4 KiB. Longer ones are cut: models pay for each word.
	Text int
	// ProgressInterval is the least time between two progress notifications of one
	// call; default 50 ms. Reports in between are held back, and the last of them is
	// sent when the time has passed or the call ends.
	ProgressInterval time.Duration
	// LogRate is how many log records a session sends to its client per second, and how many
	// at once; default 100. The rest reach the server's log only.
	LogRate int
	// CloseGrace is how long [Session.Close] waits for calls it has cancelled; default 1 s.
	// A tool that heeds its context needs far less.
	CloseGrace time.Duration
}

// defaultLimits are the limits of the zero value.
var defaultLimits = Limits{
	Message:          16 << 20,
	Depth:            256,
	Concurrent:       64,
	Queue:            256,
	QueueBytes:       32 << 20,
	Batch:            128,
	Listens:          64,
	Page:             1000,
	Text:             4 << 10,
	ProgressInterval: 50 * time.Millisecond,
	LogRate:          100,
	CloseGrace:       time.Second,
}

// Resolved returns the limits with the defaults filled in, as sessions use them.
func (l Limits) Resolved() Limits {
	d := defaultLimits
	return Limits{
		Message:          positive(l.Message, d.Message),
		Depth:            min(positive(l.Depth, d.Depth), jsonscan.MaxDepth),
		Concurrent:       positive(l.Concurrent, d.Concurrent),
		Queue:            positive(l.Queue, d.Queue),
		QueueBytes:       positive(l.QueueBytes, d.QueueBytes),
		Batch:            positive(l.Batch, d.Batch),
		Listens:          positive(l.Listens, d.Listens),
		Page:             positive(l.Page, d.Page),
		Text:             positive(l.Text, d.Text),
		ProgressInterval: positive(l.ProgressInterval, d.ProgressInterval),
		LogRate:          positive(l.LogRate, d.LogRate),
		CloseGrace:       positive(l.CloseGrace, d.CloseGrace),
	}
}

// positive returns n, or def when n is not above zero.
func positive[N int | time.Duration](n, def N) N {
	if n <= 0 {
		return def
	}
	return n
}
