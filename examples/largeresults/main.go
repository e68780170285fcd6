// Command largeresults has three tools whose results are larger than the context of a model: 20,000 orders, a log of 4 MB, and
// a document of nested sections. The extension results shows the model the beginning of each, and the tool read_result
// answers its questions about the rest:
//
//	go run ./examples/largeresults
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/extension/results"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// Order is an order of a shop.
type Order struct {
	ID       int     `json:"id"`
	Day      string  `json:"day"`
	Customer string  `json:"customer"`
	City     string  `json:"city"`
	Status   string  `json:"status" jsonschema:"enum=open,enum=paid,enum=sent"`
	Total    float64 `json:"total" doc:"In euros"`
}

type ListOrdersOut struct {
	Orders []Order       `json:"orders"`
	More   *results.More `json:"_more,omitzero"` // for clients that show only structured results to the model
}

// ListOrders returns all orders of a year.
func ListOrders(_ context.Context, _ struct{}) (ListOrdersOut, error) {
	r := rand.New(rand.NewPCG(1, 1))
	cities, statuses := []string{"Lisbon", "Porto", "Faro"}, []string{"open", "paid", "sent"}
	orders := make([]Order, 20_000)
	for i := range orders {
		orders[i] = Order{
			ID: i + 1, Day: time.Date(2025, 1, 1+i/55, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), Customer: fmt.Sprintf("customer %d", r.IntN(400)),
			City: cities[r.IntN(len(cities))], Status: statuses[r.IntN(len(statuses))], Total: float64(r.IntN(100_000)) / 100,
		}
	}
	return ListOrdersOut{Orders: orders}, nil
}

// ReadLog returns the log of a day.
func ReadLog(context.Context, struct{}) (string, error) {
	r := rand.New(rand.NewPCG(2, 2))
	begin := time.Date(2025, 5, 4, 0, 0, 0, 0, time.UTC)
	var b strings.Builder
	for i := range 86_400 {
		level := "INFO"
		if r.IntN(5_000) == 0 {
			level = "ERROR"
		}
		fmt.Fprintf(&b, "%s %s request took %d ms\n", begin.Add(time.Duration(i)*time.Second).Format(time.DateTime), level, r.IntN(500))
	}
	return b.String(), nil
}

// Section is a part of a handbook.
type Section struct {
	Title    string    `json:"title"`
	Owner    string    `json:"owner"`
	Text     string    `json:"text"`
	Sections []Section `json:"sections"`
}

// GetHandbook returns the handbook.
func GetHandbook(context.Context, struct{}) (Section, error) {
	r := rand.New(rand.NewPCG(3, 3))
	return newSection(r, "1", 4), nil
}

func newSection(r *rand.Rand, number string, depth int) Section {
	s := Section{
		Title: "Section " + number, Owner: []string{"ana", "ben", "eva"}[r.IntN(3)],
		Text: strings.Repeat("This is how we do it. ", 1+r.IntN(40)), Sections: []Section{},
	}
	for i := range 2 * depth {
		s.Sections = append(s.Sections, newSection(r, fmt.Sprintf("%s.%d", number, i+1), depth-1))
	}
	return s
}

func newServer() (*runtime.Server, error) {
	srv := &runtime.Server{
		Name: "large results", Version: "1.0.0", Tools: &mcptool.Registry{},
		Extensions: []runtime.Extension{results.New(results.Options{Budget: 8 << 10})},
	}
	orders, err := mcptool.New(ListOrders, mcptool.Description("All orders of 2025"), mcptool.ReadOnly(true))
	if err != nil {
		return nil, err
	}
	day, err := mcptool.New(ReadLog, mcptool.Description("The log of a day"), mcptool.ReadOnly(true), results.Budget(4<<10))
	if err != nil {
		return nil, err
	}
	handbook, err := mcptool.New(GetHandbook, mcptool.Description("The handbook"), mcptool.ReadOnly(true))
	if err != nil {
		return nil, err
	}
	return srv, srv.Tools.Add(orders, day, handbook)
}

func main() {
	srv, err := newServer()
	if err != nil {
		log.Fatal(err)
	}
	stdio.Main(srv)
}
