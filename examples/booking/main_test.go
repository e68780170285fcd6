package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

func tool(t *testing.T, o *Office) *mcptool.Tool {
	t.Helper()
	tool, err := mcptool.New(o.Book)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// TestTools tests the tool in every revision, including those in which the user cannot
// be asked.
func TestTools(t *testing.T) {
	t.Parallel()
	registry := &mcptool.Registry{}
	if err := registry.Add(tool(t, NewOffice(1000))); err != nil {
		t.Fatal(err)
	}
	mcptooltest.Check(t, registry,
		mcptooltest.Arguments("book_seat", BookIn{From: "Lisbon", To: "Porto"}),
		mcptooltest.Answers("book_seat", Seat{Class: "1"}, true))
}

// TestBook makes one booking for clients of each era.
func TestBook(t *testing.T) {
	t.Parallel()
	for _, replay := range []bool{false, true} {
		office := NewOffice(1)
		user := &mcptooltest.Client{Replay: replay, Answers: []any{Seat{Class: "1", Quiet: true}, true}}
		got := mcptooltest.CallAs[BookIn, BookOut](t, user, tool(t, office), BookIn{From: "Lisbon", To: "Porto"})
		if diff := cmp.Diff(BookOut{Booking: "T0001", Seat: "1-01", Price: 60}, got); diff != "" {
			t.Errorf("replay %v (-want +got):\n%s", replay, diff)
		}
		if want := []string{"1-01"}; !slices.Equal(office.sold, want) || len(office.held) != 0 {
			t.Errorf("replay %v: sold %v, held %v", replay, office.sold, office.held)
		}
		var messages []string
		for _, q := range user.Asked() {
			messages = append(messages, q.Message)
		}
		if diff := cmp.Diff([]string{"Which seat from Lisbon to Porto?", "Book seat 1-01 for 60 euros?"}, messages); diff != "" {
			t.Errorf("replay %v: the questions (-want +got):\n%s", replay, diff)
		}
	}
}

// TestBookDeclined checks that declining releases the seat.
func TestBookDeclined(t *testing.T) {
	t.Parallel()
	for _, replay := range []bool{false, true} {
		office := NewOffice(1)
		user := &mcptooltest.Client{Replay: replay, Answers: []any{Seat{Class: "2"}, mcptooltest.RefusalDecline}}
		_, err := user.Call(t.Context(), tool(t, office), []byte(`{"from":"Lisbon","to":"Porto"}`))
		if !errors.Is(err, mcptool.ErrDeclined) || len(office.held) != 0 || len(office.sold) != 0 {
			t.Errorf("replay %v: %v; sold %v, held %v", replay, err, office.sold, office.held)
		}
	}
}

// TestBookWithoutUser checks that a client that cannot ask the user gets a clear error
// and no seat is held.
func TestBookWithoutUser(t *testing.T) {
	t.Parallel()
	office := NewOffice(1)
	user := &mcptooltest.Client{Capabilities: json.RawMessage(`{}`)}
	_, err := user.Call(t.Context(), tool(t, office), []byte(`{"from":"Lisbon","to":"Porto"}`))
	if _, ok := errors.AsType[*mcptool.CapabilityError](err); !ok || office.next != 0 {
		t.Errorf("got %v, %d seats held", err, office.next)
	}
	if _, err := tool(t, office).Call(context.Background(), []byte(`{"from":"Lisbon","to":"Porto"}`)); err == nil {
		t.Error("booked with nobody there to ask")
	}
}

// TestBookFull checks that a seat is held only once: a train with one seat is full for
// the second user.
func TestBookFull(t *testing.T) {
	t.Parallel()
	office := NewOffice(1)
	book := tool(t, office)
	for i, want := range []string{"", "the train is full"} {
		user := &mcptooltest.Client{Replay: true, Answers: []any{Seat{Class: "2"}, true}}
		_, err := user.Call(t.Context(), book, []byte(`{"from":"Lisbon","to":"Porto"}`))
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("booking %d: %v, want %q", i+1, err, want)
		}
	}
}

// TestBuyAgain checks that the last answer may be sent twice, so that the code after it
// runs twice.
func TestBuyAgain(t *testing.T) {
	t.Parallel()
	office := NewOffice(2)
	hold, err := office.Hold(Seat{Class: "1"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if booking, err := office.Buy(hold); booking != "T0001" || err != nil {
			t.Errorf("got %q, %v", booking, err)
		}
	}
	office.Release(hold) // too late
	if booking, err := office.Buy(hold); booking != "T0001" || err != nil || len(office.sold) != 1 {
		t.Errorf("got %q, %v, sold %v", booking, err, office.sold)
	}
}

// TestBookDismissed checks that the seat is released when the user dismisses the
// question.
func TestBookDismissed(t *testing.T) {
	t.Parallel()
	for _, replay := range []bool{false, true} {
		office := NewOffice(1)
		user := &mcptooltest.Client{Replay: replay, Answers: []any{Seat{Class: "2"}, mcptooltest.RefusalDismiss}}
		_, err := user.Call(t.Context(), tool(t, office), []byte(`{"from":"Lisbon","to":"Porto"}`))
		if !errors.Is(err, mcptool.ErrDismissed) || len(office.held) != 0 || len(office.sold) != 0 {
			t.Errorf("replay %v: %v; sold %v, held %v", replay, err, office.sold, office.held)
		}
	}
}
