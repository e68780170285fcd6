package tools

import "strings"

// WeatherSamples returns the arguments of get_weather to use in turn. They differ, to detect mixed-up responses.
func WeatherSamples() []WeatherIn {
	var all []WeatherIn
	for i, city := range []string{"Lisbon", "Oporto", "Madrid", "London", "Berlin", "Vienna", "Prague"} {
		all = append(all, WeatherIn{Location: city, Unit: "celsius", Days: 3 + i})
	}
	return all
}

// OrdersSamples returns the arguments of search_orders to use in turn.
func OrdersSamples() []OrdersIn {
	var all []OrdersIn
	for _, query := range []string{"books and lamps", "lamps, not books", "only the books!"} {
		all = append(all, OrdersIn{
			Query:    query,
			Customer: Customer{ID: 517, Name: "Ana Sofia Marques", Email: "ana.marques@example.com"},
			Statuses: []string{"open", "paid", "shipped"}, From: "2026-01-01", Until: "2026-11-20",
			Sort:     []Sort{{Field: "created", Descending: true}, {Field: "total"}},
			MinTotal: 9.99, Limit: 50, Tags: []string{"gift", "express", "insured"},
		})
	}
	return all
}

// EchoSamples returns the arguments of echo to use in turn: prose, with a line break and sometimes a quote in each
// line, and a few characters beyond ASCII.
func EchoSamples() []EchoIn {
	const size = 64 << 10
	var all []EchoIn
	for _, paragraph := range []string{
		"The parcel was left with a neighbour on Tuesday, since nobody opened the door;\nthe note says \"second floor, ask for Mr. Sørensen\", and has no telephone number.\n",
		"She asked whether the invoice could be split: one half for the office in Porto,\nthe other for the warehouse. The system answered \"not supported\", twice.\n\n",
		"Restart the service, wait until the queue is empty, and only then change the key.\nWhoever did it in the other order lost what had come in between – a day's work.\n",
	} {
		all = append(all, EchoIn{Text: strings.Repeat(paragraph, size/len(paragraph))})
	}
	return all
}
