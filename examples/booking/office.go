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
	next  int             // seats are held in their order, none twice
	held  map[string]bool // by seat
	sold  []string        // seats, in the order they were sold
}

// Hold is a seat that nobody else can buy for now.
type Hold struct {
	Seat  string `json:"seat"`
	Price int    `json:"price"`
}

// NewOffice returns an office with so many seats to sell.
func NewOffice(seats int) *Office { return &Office{seats: seats, held: map[string]bool{}} }

// Hold keeps a seat back.
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

// Release gives a seat back.
func (o *Office) Release(h Hold) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.held, h.Seat)
}

// Buy sells a seat that is held and returns the number of the booking. For a seat that it has
// sold it returns that number again: a client that did not get the answer may send the user's yes
// once more.
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
