package tools

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
