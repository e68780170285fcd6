package main

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// A message has the parts of a request as slices of the scanned text.
type message struct {
	id       []byte // raw; nil for a notification
	method   []byte
	name     []byte // name of the tool
	rawArgs  []byte // if they precede the name of the tool
	isModern bool   // of revision 2026-07-28
	call     call
}

// A server answers one message at a time.
type server struct {
	scanner
	message message
}

// A call is a tool with its arguments.
type call struct {
	tool    int
	mistake string // error in the arguments; "" if they are valid
	weather tools.WeatherIn
	orders  tools.OrdersIn
	rows    tools.RowsIn
	echo    tools.EchoIn
}

// The tools.
const (
	noTool = iota
	getWeather
	searchOrders
	bigRows
	echo
)

func toolOf(name []byte) int {
	switch string(name) {
	case "get_weather":
		return getWeather
	case "search_orders":
		return searchOrders
	case "big_rows":
		return bigRows
	case "echo":
		return echo
	default:
		return noTool
	}
}

// Constant parts of responses.
const (
	head       = `{"jsonrpc":"2.0","id":`
	modernTail = `,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.0.0"}}`
)

// answer appends the response to a message, or nothing for a notification.
func (s *server) answer(ctx context.Context, dst, text []byte) []byte {
	s.scanner = scanner{text: text, unescaped: s.unescaped[:0]}
	s.message = message{}
	m := &s.message
	s.request()
	if s.bad {
		return append(dst, head+`null,"error":{"code":-32700,"message":"the message is no JSON-RPC request"}}`...)
	}
	if m.id == nil {
		return dst
	}
	dst = append(append(dst, head...), m.id...)
	switch string(m.method) {
	case "tools/call":
		return s.called(ctx, dst)
	case "tools/list":
		dst = append(append(dst, `,"result":{`...), list...)
	case "initialize":
		dst = append(dst, `,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1.0.0"}`...)
	case "server/discover":
		dst = append(dst, `,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}`...)
	case "ping":
		if !m.isModern {
			return append(dst, `,"result":{}}`...)
		}
		return append(append(append(dst, `,"result":{`...), modernTail[1:]...), "}}"...)
	default:
		return append(dst, `,"error":{"code":-32601,"message":"there is no such method"}}`...)
	}
	return append(s.tail(dst), "}}"...)
}

// list is the result of tools/list.
var list = func() []byte {
	dst := []byte(`"tools":[`)
	for _, t := range []struct{ name, description string }{
		{"big_rows", tools.RowsDescription},
		{"echo", tools.EchoDescription},
		{"get_weather", tools.WeatherDescription},
		{"search_orders", tools.OrdersDescription},
	} {
		input, output := tools.Schemas(t.name)
		text, err := json.Marshal(struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Input       json.RawMessage `json:"inputSchema"`
			Output      json.RawMessage `json:"outputSchema"`
		}{t.name, t.description, input, output})
		if err != nil {
			panic("impossible: " + err.Error())
		}
		dst = append(append(dst, text...), ',')
	}
	dst[len(dst)-1] = ']'
	return dst
}()

// tail appends the last members of results in the newest revision.
func (s *server) tail(dst []byte) []byte {
	if s.message.isModern {
		return append(dst, modernTail...)
	}
	return dst
}

// request reads a message.
func (s *server) request() {
	m := &s.message
	isVersioned := false
	first := true
	s.expect('{')
	for {
		name, ok := s.member(&first)
		if !ok {
			break
		}
		switch string(name) {
		case "jsonrpc":
			isVersioned = string(s.str()) == "2.0"
		case "id":
			c := s.space()
			begin := s.at
			if c == '"' {
				s.str()
			} else {
				s.number()
			}
			m.id = s.text[begin:s.at]
		case "method":
			m.method = s.str()
		case "params":
			s.params()
		default:
			s.skip(depth)
		}
	}
	s.end()
	if !isVersioned || m.method == nil {
		s.fail()
	}
	if m.rawArgs != nil && !s.bad && m.call.tool != noTool {
		s.scanner = scanner{text: m.rawArgs, unescaped: s.unescaped}
		s.arguments()
		s.end()
	}
}

// params reads the parameters of a request.
func (s *server) params() {
	m := &s.message
	first := true
	s.expect('{')
	for {
		name, ok := s.member(&first)
		if !ok {
			return
		}
		switch string(name) {
		case "name":
			if s.space() != '"' { // clientInfo and others also have a name
				s.skip(depth)
				continue
			}
			m.name = s.str()
			m.call.tool = toolOf(m.name)
		case "arguments":
			if m.call.tool != noTool {
				s.arguments()
				continue
			}
			s.space()
			begin := s.at
			s.skip(depth)
			m.rawArgs = s.text[begin:s.at]
		case "_meta":
			s.meta()
		default:
			s.skip(depth)
		}
	}
}

func (s *server) meta() {
	first := true
	s.expect('{')
	for {
		name, ok := s.member(&first)
		if !ok {
			return
		}
		if string(name) == "io.modelcontextprotocol/protocolVersion" {
			s.message.isModern = string(s.str()) == "2026-07-28"
			continue
		}
		s.skip(depth)
	}
}

// called appends the part of the response to a tools/call after the id.
func (s *server) called(ctx context.Context, dst []byte) []byte {
	c := &s.message.call
	if c.tool == noTool {
		return append(dst, `,"error":{"code":-32602,"message":"there is no such tool"}}`...)
	}
	if c.mistake != "" {
		dst = append(dst, `,"result":{"content":[{"type":"text","text":`...)
		dst = appendString(dst, c.mistake)
		return append(s.tail(append(dst, `}],"isError":true`...)), "}}"...)
	}
	dst = append(dst, `,"result":{"structuredContent":`...)
	begin := len(dst)
	var err error
	switch c.tool {
	case getWeather:
		var out tools.WeatherOut
		out, err = tools.GetWeather(ctx, c.weather)
		dst = appendWeather(dst, &out)
	case searchOrders:
		var out tools.OrdersOut
		out, err = tools.SearchOrders(ctx, c.orders)
		dst = appendOrders(dst, &out)
	case echo:
		var out tools.EchoOut
		out, err = tools.Echo(ctx, c.echo)
		dst = append(appendString(append(dst, `{"text":`...), out.Text), '}')
	default:
		var out tools.RowsOut
		out, err = tools.BigRows(ctx, c.rows)
		dst = appendRows(dst, &out)
	}
	if err != nil {
		dst = append(dst[:begin], `null,"isError":true,"content":[{"type":"text","text":`...)
		return append(s.tail(append(appendString(dst, err.Error()), "}]"...)), "}}"...)
	}
	text := dst[begin:]
	dst = append(dst, `,"content":[{"type":"text","text":`...)
	dst = rawjson.AppendQuoted(dst, text) // already as fast as possible
	return append(s.tail(append(dst, "}]"...)), "}}"...)
}

// appendString appends a string.
func appendString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for {
		n := ordinaryUntil(text, 0)
		dst = append(dst, text[:n]...)
		if n == len(text) {
			return append(dst, '"')
		}
		dst, text = appendUnusual(dst, text[n:])
	}
}

// appendUnusual appends the first character of text, which is not ordinary, and returns the rest.
func appendUnusual(dst []byte, text string) (_ []byte, rest string) {
	if c := text[0]; c < utf8.RuneSelf {
		if i := strings.IndexByte("\"\\\b\f\n\r\t", c); i >= 0 {
			return append(dst, '\\', `"\bfnrt`[i]), text[1:]
		}
		const hex = "0123456789abcdef"
		return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15]), text[1:]
	}
	r, n := utf8.DecodeRuneInString(text)
	return utf8.AppendRune(dst, r), text[n:]
}

// appendFloat appends a number in its shortest form. A number with at most three decimals is formatted like an integer:
// with up to 15 digits, no shorter decimal has the same float64.
func appendFloat(dst []byte, f float64) []byte {
	const most = 1e11
	if f < 0 || f > most {
		return strconv.AppendFloat(dst, f, 'g', -1, 64)
	}
	thousandths := int64(f*1000 + 0.5)
	if float64(thousandths)/1000 != f {
		return strconv.AppendFloat(dst, f, 'g', -1, 64)
	}
	dst = strconv.AppendInt(dst, thousandths/1000, 10)
	rest := thousandths % 1000
	if rest == 0 {
		return dst
	}
	digits := [...]byte{'.', digit(rest / 100), digit(rest / 10), digit(rest)}
	n := len(digits)
	for digits[n-1] == '0' {
		n--
	}
	return append(dst, digits[:n]...)
}

// digit returns the last digit of n.
func digit(n int64) byte { return byte('0' + n%10) }

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}
