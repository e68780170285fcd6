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

// TestTools tries the tool in every revision, also those in which nobody can be asked.
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

// TestBook books once for clients of both eras.
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

// TestBookDeclined gives the seat back.
func TestBookDeclined(t *testing.T) {
	t.Parallel()
	for _, replay := range []bool{false, true} {
		office := NewOffice(1)
		user := &mcptooltest.Client{Replay: replay, Answers: []any{Seat{Class: "2"}, mcptooltest.Decline}}
		_, err := user.Call(t.Context(), tool(t, office), []byte(`{"from":"Lisbon","to":"Porto"}`))
		if !errors.Is(err, mcptool.ErrDeclined) || len(office.held) != 0 || len(office.sold) != 0 {
			t.Errorf("replay %v: %v; sold %v, held %v", replay, err, office.sold, office.held)
		}
	}
}

// TestBookWithoutUser: a client that cannot ask gets a clear error, and nothing is held.
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

// TestBookFull: a seat is held once, so one train of one seat is full for the second.
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

// TestBuyAgain: a client may send the last answer twice, and what follows it runs twice.
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
	office.Release(hold) // which is too late
	if booking, err := office.Buy(hold); booking != "T0001" || err != nil || len(office.sold) != 1 {
		t.Errorf("got %q, %v, sold %v", booking, err, office.sold)
	}
}

// TestBookDismissed gives the seat back: the user will not confirm.
func TestBookDismissed(t *testing.T) {
	t.Parallel()
	for _, replay := range []bool{false, true} {
		office := NewOffice(1)
		user := &mcptooltest.Client{Replay: replay, Answers: []any{Seat{Class: "2"}, mcptooltest.Dismiss}}
		_, err := user.Call(t.Context(), tool(t, office), []byte(`{"from":"Lisbon","to":"Porto"}`))
		if !errors.Is(err, mcptool.ErrDismissed) || len(office.held) != 0 || len(office.sold) != 0 {
			t.Errorf("replay %v: %v; sold %v, held %v", replay, err, office.sold, office.held)
		}
	}
}
