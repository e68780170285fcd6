package main

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

const (
	yes     = `{"action":"accept","content":{"confirm":true}}`
	no      = `{"action":"decline"}`
	first   = `{"action":"accept","content":{"class":"1"}}`
	refused = -32602
)

// modernCall returns a call of the modern era; state and answers come from an earlier round, "" for none.
func modernCall(state, answers string) string {
	retry := ""
	if state != "" {
		retry = fmt.Sprintf(`,"requestState":%q,"inputResponses":{%s}`, state, answers)
	}
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}},"name":"book_seat","arguments":{"from":"Lisbon","to":"Porto"}` + retry + `}}`
}

// ask sends a call and returns the response.
func (l line) ask(state, answers string) message {
	l.t.Helper()
	l.send(modernCall(state, answers))
	return l.receive()
}

// TestAnswerAgain checks that a client that sends a used state again, to any instance, neither books another seat nor
// loses what is booked. The state can be used more than once.
func TestAnswerAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		answer []string // to the last question, each with the same state
		want   []string // results
		sold   []string
		reason string
	}{
		{"once", []string{yes}, []string{booked}, []string{"1-01"}, "as it should be"},
		{"again", []string{yes, yes, yes}, []string{booked, booked, booked}, []string{"1-01"}, "a client that lost the result wants it, and not another seat"},
		{"no after yes", []string{yes, no, yes}, []string{booked, "", booked}, []string{"1-01"}, "the seat is sold, and not given back"},
		{"yes after no", []string{no, yes}, []string{"", ""}, nil, "the seat was given back, and somebody else may have it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			office := NewOffice(2)
			conn := connect(t, balance(t, server(t, office), server(t, office)))
			state := conn.ask(conn.ask("", "").Result.RequestState, `"q1":`+first).Result.RequestState
			var got []string
			for _, answer := range test.answer {
				got = append(got, string(conn.ask(state, `"q2":`+answer).Result.StructuredContent))
			}
			if !slices.Equal(got, test.want) || !slices.Equal(office.sold, test.sold) || office.next != 1 || len(office.held) != 0 {
				t.Errorf("got %q, sold %v of %d, held %v; want %q, sold %v: %s", got, office.sold, office.next, office.held, test.want, test.sold, test.reason)
			}
		})
	}
}

// TestAnswerAtOnce sends the same answer to both instances at the same time.
func TestAnswerAtOnce(t *testing.T) {
	t.Parallel()
	office := NewOffice(2)
	conn := connect(t, balance(t, server(t, office), server(t, office)))
	state := conn.ask(conn.ask("", "").Result.RequestState, `"q1":`+first).Result.RequestState
	const times = 8
	var sending sync.WaitGroup
	defer sending.Wait()
	for range times {
		sending.Go(func() { conn.send(modernCall(state, `"q2":`+yes)) })
	}
	for range times {
		if m := conn.receive(); string(m.Result.StructuredContent) != booked {
			t.Errorf("got %+v, want %s", m, booked)
		}
	}
	if want := []string{"1-01"}; !slices.Equal(office.sold, want) {
		t.Errorf("sold %v, want %v", office.sold, want)
	}
}

// TestFirstAnswerAgain sends an earlier answer again, which repeats what follows it: Once holds for the values recorded
// in one state. Each of the two resulting calls asks about its own seat, and the one that is declined sells nothing.
func TestFirstAnswerAgain(t *testing.T) {
	t.Parallel()
	office := NewOffice(2)
	conn := connect(t, balance(t, server(t, office), server(t, office)))
	state := conn.ask("", "").Result.RequestState
	one, two := conn.ask(state, `"q1":`+first).Result, conn.ask(state, `"q1":`+first).Result
	if string(one.InputRequests["q2"].Params) == string(two.InputRequests["q2"].Params) || office.next != 2 {
		t.Errorf("asked %s and %s, with %d held", one.InputRequests["q2"].Params, two.InputRequests["q2"].Params, office.next)
	}
	if got := conn.ask(two.RequestState, `"q2":`+no).Result.StructuredContent; got != nil {
		t.Errorf("no was answered %s", got)
	}
	if got := string(conn.ask(one.RequestState, `"q2":`+yes).Result.StructuredContent); got != booked {
		t.Errorf("yes was answered %s, want %s", got, booked)
	}
	if want := []string{"1-01"}; !slices.Equal(office.sold, want) || len(office.held) != 0 {
		t.Errorf("sold %v, held %v, want %v", office.sold, office.held, want)
	}
}

// TestOtherKeys checks that an instance with another key rejects the state with an error and does nothing.
func TestOtherKeys(t *testing.T) {
	t.Parallel()
	office := NewOffice(2)
	one, two, own := server(t, office), server(t, office), server(t, office)
	two.StateKeys, own.StateKeys = [][32]byte{{2}}, nil
	for name, other := range map[string]string{"another key": balance(t, two), "a key of its own": balance(t, own)} {
		conn, elsewhere := connect(t, balance(t, one)), connect(t, other)
		state := conn.ask("", "").Result.RequestState
		if m := elsewhere.ask(state, `"q1":`+first); m.Error.Code != refused || m.Result.RequestState != "" {
			t.Errorf("%s: the first answer: %+v, want %d", name, m, refused)
		}
		held := office.next
		state = conn.ask(state, `"q1":`+first).Result.RequestState
		if m := elsewhere.ask(state, `"q2":`+yes); m.Error.Code != refused || m.Result.StructuredContent != nil {
			t.Errorf("%s: the last answer: %+v, want %d", name, m, refused)
		}
		if office.next != held+1 || len(office.sold) != 0 {
			t.Errorf("%s: held %d, sold %v", name, office.next-held, office.sold)
		}
	}
}
