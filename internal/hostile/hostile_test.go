package hostile_test

import (
	"cmp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// mostAnswer is the maximum size of a response to any of these messages: 4 KiB of text, escaped, plus the
// envelope.
const mostAnswer = 8 << 10

// mostLogged is how many bytes one message may write to the log: the stack of a panic.
const mostLogged = 16 << 10

// TestMessages sends all messages in sequence to one server in each way. The test log contains a table of their costs.
//
//nolint:paralleltest // it measures the process
func TestMessages(t *testing.T) {
	ways := waysNow()
	table, all, messages := newAccount(ways), tools(t), rows()
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { sendAll(t, w, all, messages, table) })
		})
	}
	t.Log(table)
}

func sendAll(t *testing.T, w way, all []*mcptool.Tool, messages []row, table *account) {
	t.Helper()
	log := new(counter)
	c := w.open(t, w.era, newServer(t, log, all...))
	for _, tool := range all {
		c.send(w.call(`"first"`, tool.Info().Name, "{}", "", 0, "")) // one-time allocations
	}
	before := now()
	for _, row := range messages {
		if row.header != "" && !w.http {
			continue
		}
		m, logged := row.message(w.era), log.bytes
		began := spent()
		a := c.send(m)
		took := spent().since(began)
		sent, most := m.size(), row.allowed(m) // drop the text of m, which would count as held
		row.verdict(w).check(t, row.name, w, a)
		alive(t, row.name, c, w.era)
		time.Sleep(time.Second) // net/http keeps a connection open for half a second after refusing its request
		after := now()
		if !underRace {
			checkCost(t, row.name, took, cost{most, mostCPU}, after.heap-before.heap)
		}
		if after.goroutines > before.goroutines {
			t.Errorf("%s: %d goroutines are left", row.name, after.goroutines-before.goroutines)
		}
		if logged = log.bytes - logged; logged > int64(cmp.Or(row.logged, mostLogged)) {
			t.Errorf("%s: %d bytes in the log", row.name, logged)
		}
		table.enter(row.name, w.name, sent, most, took)
		before = after
	}
}

// verdict returns the expected response to r over w.
func (r row) verdict(w way) verdict {
	v := r.want
	if w.http && w.modern && r.http != (verdict{}) {
		return r.http
	}
	return v
}

// check compares a response with the expected one.
func (v verdict) check(t *testing.T, name string, w way, a answer) {
	t.Helper()
	switch {
	case a.err != nil:
		t.Errorf("%s: answered with %.300q: %v", name, a.text, a.err)
		return
	case a.size > mostAnswer:
		t.Errorf("%s: an answer of %d bytes", name, a.size)
	case v.id != "" && string(a.ID) != v.id:
		t.Errorf("%s: answered under the id %s, want %s", name, a.ID, v.id)
	case w.http && a.status != cmp.Or(v.status, 200):
		t.Errorf("%s: status %d, want %d: %.300s", name, a.status, cmp.Or(v.status, 200), a.text)
	}
	code := 0
	if a.Error != nil {
		code = a.Error.Code
	}
	if code != v.code || !strings.Contains(a.said(), v.says) || a.Result != nil && a.Result.IsError != v.failed {
		t.Errorf("%s: answered with %.300s\nwant %+v", name, a.text, v)
	}
}
