package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Office sells the seats of one train. Its methods are safe for concurrent use.
type Office struct {
	mu    sync.Mutex
	seats int
	next  int             // next seat to hold; seats are held in order
	held  map[string]bool // by seat
	sold  []string        // seats, in the order they were sold
}

// Hold is a seat reserved for a buyer.
type Hold struct {
	Seat  string `json:"seat"`
	Price int    `json:"price"`
}

// NewOffice returns an office with a number of seats to sell.
func NewOffice(seats int) *Office { return &Office{seats: seats, held: map[string]bool{}} }

// Hold reserves a seat.
func (o *Office) Hold(want Seat) (Hold, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.next == o.seats {
		return Hold{}, errors.New("the train is full")
	}
	o.next++
	h := Hold{Seat: fmt.Sprintf("%s-%02d", want.Class, o.next), Price: 35}
	if want.Class == "1" {
		h.Price = 60
	}
	o.held[h.Seat] = true
	return h, nil
}

// Release releases a seat.
func (o *Office) Release(h Hold) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.held, h.Seat)
}

// Buy sells a held seat and returns the booking number. For a seat that is already sold it
// returns the same number again: a client that missed the response may resend the user's
// confirmation.
func (o *Office) Buy(h Hold) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.Index(o.sold, h.Seat)
	if i < 0 && !o.held[h.Seat] {
		return "", fmt.Errorf("seat %s is not held any more; book again", h.Seat)
	}
	if i < 0 {
		delete(o.held, h.Seat)
		i = len(o.sold)
		o.sold = append(o.sold, h.Seat)
	}
	return fmt.Sprintf("T%04d", i+1), nil
}
