package main

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
)

// arguments reads the arguments of the call. After an invalid one, the rest is only
// scanned.
func (s *server) arguments() {
	switch c := &s.message.call; c.tool {
	case getWeather:
		s.weather(&c.weather)
	case searchOrders:
		s.orders(&c.orders)
	case bigRows:
		s.rows(&c.rows)
	case echo:
		s.echo(&c.echo)
	}
}

// demand records an error if a condition is false.
func (s *server) demand(isSo bool, otherwise string) {
	if !isSo && s.message.call.mistake == "" {
		s.message.call.mistake = otherwise
	}
}

// within reports whether the number of characters of text is in a range.
func within(text string, least, most int) bool {
	if len(text) <= most && len(text) >= least*utf8.UTFMax {
		return true
	}
	n := utf8.RuneCountInString(text)
	return n >= least && n <= most
}

func oneOf(text string, words ...string) bool { return slices.Contains(words, text) }

// known reads a string and returns the equal word, if any, to avoid a copy.
func (s *server) known(words ...string) string {
	text := s.str()
	for _, word := range words {
		if string(text) == word {
			return word
		}
	}
	return string(text)
}

// A seen is the set of members of an object read so far.
type seen uint

// see reports whether a member is new.
func (s *seen) see(member int) bool {
	bit := seen(1) << member
	isNew := *s&bit == 0
	*s |= bit
	return isNew
}

func (s *server) weather(in *tools.WeatherIn) {
	var have seen
	isNew := true
	first := true
	for s.expect('{'); ; {
		name, ok := s.member(&first)
		if !ok {
			break
		}
		switch string(name) {
		case "location":
			isNew = have.see(0)
			in.Location = string(s.str())
			s.demand(within(in.Location, 1, 80), "location: it must have 1 to 80 characters")
		case "unit":
			isNew = have.see(1)
			in.Unit = s.known("celsius", "fahrenheit")
			s.demand(oneOf(in.Unit, "celsius", "fahrenheit"), "unit: it must be celsius or fahrenheit")
		case "days":
			isNew = have.see(2)
			in.Days = s.integer()
			s.demand(in.Days >= 1 && in.Days <= 14, "days: it must be from 1 to 14")
		default:
			s.unknown()
		}
		s.demand(isNew, "a member is there twice")
	}
	s.demand(have == 1<<3-1, "location, unit and days are required")
}

func (s *server) unknown() {
	s.skip(depth)
	s.demand(false, "there is a member that nobody knows")
}

func (s *server) orders(in *tools.OrdersIn) {
	var have seen
	isNew := true
	first := true
	for s.expect('{'); ; {
		name, ok := s.member(&first)
		if !ok {
			break
		}
		switch string(name) {
		case "query":
			isNew = have.see(0)
			in.Query = string(s.str())
			s.demand(within(in.Query, 0, 200), "query: it has more than 200 characters")
		case "customer":
			isNew = have.see(1)
			s.customer(&in.Customer)
		case "statuses":
			isNew = have.see(2)
			in.Statuses = s.strings()
			s.demand(len(in.Statuses) <= 4, "statuses: more than 4")
			for _, status := range in.Statuses {
				s.demand(oneOf(status, "open", "paid", "shipped", "returned"), "statuses: not one of open, paid, shipped, returned")
			}
		case "from":
			isNew = have.see(3)
			in.From = string(s.str())
			s.demand(within(in.From, 0, 10), "from: it has more than 10 characters")
		case "until":
			isNew = have.see(4)
			in.Until = string(s.str())
			s.demand(within(in.Until, 0, 10), "until: it has more than 10 characters")
		case "sort":
			isNew = have.see(5)
			in.Sort = s.sorts()
			s.demand(len(in.Sort) <= 3, "sort: more than 3")
		case "min_total":
			isNew = have.see(6)
			in.MinTotal = s.float()
			s.demand(in.MinTotal >= 0, "min_total: less than 0")
		case "limit":
			isNew = have.see(7)
			in.Limit = s.integer()
			s.demand(in.Limit >= 1 && in.Limit <= 100, "limit: it must be from 1 to 100")
		case "offset":
			isNew = have.see(8)
			in.Offset = s.integer()
			s.demand(in.Offset >= 0, "offset: less than 0")
		case "tags":
			isNew = have.see(9)
			in.Tags = s.strings()
			s.demand(len(in.Tags) <= 20, "tags: more than 20")
		default:
			s.unknown()
		}
		s.demand(isNew, "a member is there twice")
	}
	s.demand(have == 1<<10-1, "all members are required")
}

func (s *server) customer(c *tools.Customer) {
	var have seen
	isNew := true
	first := true
	for s.expect('{'); ; {
		name, ok := s.member(&first)
		if !ok {
			break
		}
		switch string(name) {
		case "id":
			isNew = have.see(0)
			c.ID = s.integer()
			s.demand(c.ID >= 1, "customer.id: less than 1")
		case "name":
			isNew = have.see(1)
			c.Name = string(s.str())
			s.demand(within(c.Name, 1, 80), "customer.name: it must have 1 to 80 characters")
		case "email":
			isNew = have.see(2)
			c.Email = string(s.str())
			s.demand(within(c.Email, 0, 120), "customer.email: it has more than 120 characters")
		default:
			s.unknown()
		}
		s.demand(isNew, "customer: a member is there twice")
	}
	s.demand(have == 1<<3-1, "customer: id, name and email are required")
}

func (s *server) sorts() []tools.Sort {
	all := make([]tools.Sort, 0, 3)
	isFirst := true
	for s.expect('['); s.next(']', &isFirst); {
		var one tools.Sort
		var have seen
		isNew := true
		first := true
		for s.expect('{'); ; {
			name, ok := s.member(&first)
			if !ok {
				break
			}
			switch string(name) {
			case "field":
				isNew = have.see(0)
				one.Field = s.known("created", "total")
				s.demand(oneOf(one.Field, "created", "total"), "sort: field is not created or total")
			case "descending":
				isNew = have.see(1)
				one.Descending = s.boolean()
			default:
				s.unknown()
			}
			s.demand(isNew, "sort: a member is there twice")
		}
		s.demand(have == 1<<2-1, "sort: field and descending are required")
		all = append(all, one)
	}
	return all
}

func (s *server) strings() []string {
	all := make([]string, 0, 4)
	first := true
	for s.expect('['); s.next(']', &first); {
		all = append(all, s.known("open", "paid", "shipped", "returned"))
	}
	return all
}

func (s *server) rows(in *tools.RowsIn) {
	var have seen
	first := true
	for s.expect('{'); ; {
		name, ok := s.member(&first)
		if !ok {
			break
		}
		if !bytes.Equal(name, []byte("rows")) {
			s.unknown()
			continue
		}
		s.demand(have.see(0), "a member is there twice")
		in.Rows = s.integer()
		s.demand(in.Rows >= 0 && in.Rows <= tools.MaxRows, "rows: it must be from 0 to 100000")
	}
	s.demand(have == 1, "rows is required")
}

func (s *server) echo(in *tools.EchoIn) {
	var have seen
	first := true
	for s.expect('{'); ; {
		name, ok := s.member(&first)
		if !ok {
			break
		}
		if !bytes.Equal(name, []byte("text")) {
			s.unknown()
			continue
		}
		s.demand(have.see(0), "a member is there twice")
		in.Text = string(s.str())
		s.demand(within(in.Text, 0, 1_000_000), "text: it has more than 1000000 characters")
	}
	s.demand(have == 1, "text is required")
}

func appendWeather(dst []byte, out *tools.WeatherOut) []byte {
	dst = appendString(append(dst, `{"location":`...), out.Location)
	dst = appendString(append(dst, `,"conditions":`...), out.Conditions)
	dst = appendFloat(append(dst, `,"humidity":`...), out.Humidity)
	dst = appendBool(append(dst, `,"stale":`...), out.Stale)
	dst = append(dst, `,"days":[`...)
	for i := range out.Days {
		d := &out.Days[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"day":`...), d.Day)
		dst = appendFloat(append(dst, `,"high":`...), d.High)
		dst = appendFloat(append(dst, `,"low":`...), d.Low)
		dst = append(dst, '}')
	}
	return append(dst, "]}"...)
}

func appendOrders(dst []byte, out *tools.OrdersOut) []byte {
	dst = appendString(append(dst, `{"query":`...), out.Query)
	dst = strconv.AppendInt(append(dst, `,"total":`...), int64(out.Total), 10)
	dst = append(dst, `,"orders":[`...)
	for i := range out.Orders {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendOrder(dst, &out.Orders[i])
	}
	return append(dst, "]}"...)
}

func appendOrder(dst []byte, o *tools.Order) []byte {
	dst = strconv.AppendInt(append(dst, `{"id":`...), int64(o.ID), 10)
	dst = appendString(append(dst, `,"number":`...), o.Number)
	dst = appendString(append(dst, `,"status":`...), o.Status)
	dst = appendString(append(dst, `,"created":`...), o.Created)
	dst = strconv.AppendInt(append(dst, `,"customer":{"id":`...), int64(o.Customer.ID), 10)
	dst = appendString(append(dst, `,"name":`...), o.Customer.Name)
	dst = appendString(append(dst, `,"email":`...), o.Customer.Email)
	dst = appendString(append(dst, `},"address":{"street":`...), o.Address.Street)
	dst = appendString(append(dst, `,"city":`...), o.Address.City)
	dst = appendString(append(dst, `,"zip":`...), o.Address.Zip)
	dst = appendString(append(dst, `,"country":`...), o.Address.Country)
	dst = append(dst, `},"lines":[`...)
	for i := range o.Lines {
		line := &o.Lines[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"sku":`...), line.SKU)
		dst = appendString(append(dst, `,"title":`...), line.Title)
		dst = strconv.AppendInt(append(dst, `,"quantity":`...), int64(line.Quantity), 10)
		dst = appendFloat(append(dst, `,"price":`...), line.Price)
		dst = append(dst, '}')
	}
	dst = appendFloat(append(dst, `],"total":`...), o.Total)
	dst = appendBool(append(dst, `,"paid":`...), o.Paid)
	dst = appendString(append(dst, `,"note":`...), o.Note)
	dst = append(dst, `,"tags":[`...)
	for i, tag := range o.Tags {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, tag)
	}
	return append(dst, "]}"...)
}

func appendRows(dst []byte, out *tools.RowsOut) []byte {
	dst = append(dst, `{"rows":[`...)
	for i := range out.Rows {
		row := &out.Rows[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(append(dst, `{"id":`...), int64(row.ID), 10)
		dst = appendString(append(dst, `,"name":`...), row.Name)
		dst = appendString(append(dst, `,"email":`...), row.Email)
		dst = appendFloat(append(dst, `,"score":`...), row.Score)
		dst = appendBool(append(dst, `,"active":`...), row.Active)
		dst = append(dst, '}')
	}
	return append(dst, "]}"...)
}
