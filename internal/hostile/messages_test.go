package hostile_test

import (
	"cmp"
	"slices"
	"strings"
)

// row is a message with the expected response and the maximum cost.
type row struct {
	name string
	// tool is called with these arguments: text, then unit repeated times times, then rest. Without a tool, they are
	// the whole message, in which META stands for the _meta of the era.
	tool, text, unit string
	times            int
	rest             string
	id               string // 1 if empty
	chunked          bool   // over HTTP, sent without a Content-Length
	want             verdict
	http             verdict // over HTTP in 2026-07-28 if it differs
	per              int     // maximum bytes allocated per byte sent; 0 means 15
	most             int     // or in total
	header           string  // further HTTP header lines; the row is sent over HTTP only
	logged           int     // maximum bytes logged; 0 means the stack of a panic
}

// small is the fixed part of the allowed cost of a message: over HTTP, most of it is for the connection.
const small = 256 << 10

// explained is the number of bytes that finding the violations in nested alternatives may allocate.
const explained = 2 << 20

// allowed returns how many bytes may be allocated for m, the message of r: it is read, scanned, and decoded, and
// buffers double in size as they grow.
func (r row) allowed(m message) int {
	if r.most > 0 {
		return r.most
	}
	return small + cmp.Or(r.per, 15)*m.size()
}

// verdict is the expected response to a message.
type verdict struct {
	code   int  // error code, 0 for a result
	status int  // HTTP status, 0 for 200
	failed bool // a result with isError
	says   string
	id     string // of the response; "" if it does not matter
}

// under returns v for a response with this id.
func (v verdict) under(id string) verdict {
	v.id = id
	return v
}

// misaddressed is the response to a message whose headers contradict its body.
var misaddressed = verdict{code: -32020, status: 400}

func served(says string) verdict            { return verdict{says: says} }
func failed(says string) verdict            { return verdict{failed: true, says: says} }
func refused(code int, says string) verdict { return verdict{code: code, status: 400, says: says} }

const (
	million = 1_000_000
	// manyValues is a little less than the values of a message that a server accepts.
	manyValues = 390_000
	mega       = 1 << 20
)

// rows are the messages.
func rows() []row {
	all := slices.Concat(large(), deep(), numbers(), repeated(), text(), mistaken(), ids(), refusedIDs(), nulls(), headers(), shapes(), panics(), results())
	if underRace {
		return all // the checks of judged run in one goroutine and would take most of the time
	}
	return append(all, judged()...)
}

// message returns the message of the row in an era.
func (r row) message(e era) message {
	id := cmp.Or(r.id, "1")
	var m message
	if r.tool != "" {
		m = e.call(id, r.tool, r.text, r.unit, r.times, r.rest)
	} else {
		fill := strings.NewReplacer("META", e.meta(), "NULLS", e.nullMeta())
		m = newMessage(message{id: id, method: "tools/call", name: "take"}, fill.Replace(r.text), r.unit, r.times, fill.Replace(r.rest))
	}
	m.chunked, m.header = r.chunked, r.header
	return m
}

// large returns oversized messages.
func large() []row {
	const start = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{METAx":"`
	tooLarge := verdict{code: -32600, status: 413, says: "larger than 16.0 MiB"}
	return []row{
		{name: "100 MB of a string", text: start, unit: "x", times: 100 * mega, rest: `"}}`, want: tooLarge, most: 64 * mega}, // over HTTP, refused unread
		{name: "100 MB, the length not said", text: start, unit: "x", times: 100 * mega, rest: `"}}`, chunked: true, want: tooLarge.under("1"), most: 64 * mega},
		{name: "100 MB of spaces", unit: " ", times: 100 * mega, rest: "{}", want: tooLarge, most: 64 * mega},
		{name: "100 MB of [", unit: "[", times: 100 * mega, chunked: true, want: tooLarge, most: 64 * mega},
		{name: "as large as may be", tool: "take", text: `{"text":"`, unit: "x", times: 16*mega - 1000, rest: `"}`, want: served("took 16776216")},
		{name: "as large as may be, and wrong", tool: "take", text: `{"kind":"`, unit: "x", times: 16*mega - 1000, rest: `"}`, want: failed("kind")},
	}
}

// deep returns deeply nested messages.
func deep() []row {
	tooDeep := refused(-32600, "nests deeper than 256 levels")
	return []row{
		{name: "10 000 deep, arrays", unit: "[", times: 10_000, want: tooDeep},
		{name: "10 000 deep, objects", unit: `{"a":`, times: 10_000, want: tooDeep},
		{name: "10 000 deep in arguments", tool: "take", text: `{"any":`, unit: "[", times: 10_000, want: tooDeep},
		{name: "10 000 deep and closed", tool: "take", text: `{"any":` + strings.Repeat("[", 10_000), unit: "]", times: 10_000, rest: "}", want: tooDeep},
		{name: "5 000 000 deep", unit: "[", times: 5 * million, want: tooDeep},
		{name: "250 deep", tool: "take", text: `{"any":` + strings.Repeat("[", 250), unit: "]", times: 250, rest: "}", want: served("took 0")},
	}
}

// numbers returns long numbers, and short spellings of long ones.
func numbers() []row {
	var all []row
	for _, n := range []struct {
		name, text, unit string
		times            int
	}{
		{"a million digits", "", "9", million},
		{"a million digits after the point", "0.", "3", million},
		{"an exponent of a million digits", "1e", "9", million},
		{"1e10000000", "1e10000000", "", 0},
		{"1e-10000000", "1e-10000000", "", 0},
	} {
		for _, arg := range []string{"n", "x", "big", "any"} {
			all = append(all, row{name: n.name + " as " + arg, tool: "take", text: `{"` + arg + `":` + n.text, unit: n.unit, times: n.times, rest: "}", want: failed(arg)})
		}
		all = append(all, row{
			name: n.name + " as id", text: `{"jsonrpc":"2.0","method":"tools/call","params":{META"name":"take"},"id":` + n.text, unit: n.unit, times: n.times, rest: "}",
			want: refused(-32600, ""),
		})
	}
	return all
}

// repeated returns messages with duplicate member names, or very many of them.
func repeated() []row {
	twice := refused(-32600, "")
	many := manyNames("k")
	return []row{
		{name: "a member twice", text: `{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{META"name":"take"}}`, want: twice},
		{name: "the tool twice", text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META"name":"take","name":"panic"}}`, want: verdict{code: -32602}, http: misaddressed},
		{name: "an argument twice", tool: "take", text: `{"text":"a","text":"b"}`, want: failed("text")},
		{name: "an argument twice, escaped", tool: "take", text: `{"text":"a","\u0074ext":"b"}`, want: failed("text")},
		{name: "an argument twice, deep inside", tool: "take", text: `{"any":[{"a":{"b":1,"b":2}}]}`, want: failed("b")},
		{name: "an argument 390 000 times", tool: "take", text: `{"n":1`, unit: `,"n":1`, times: manyValues, rest: "}", want: failed("n")},
		{name: "100 000 unknown arguments", tool: "take", text: `{` + many, rest: `"text":"x"}`, want: failed("k0"), per: 40},
		{name: "100 000 unknown members", text: `{` + many, rest: `"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META"name":"take"}}`, want: served("took 0")},
		{name: "100 000 unknown params", text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + many, rest: `META"name":"take"}}`, want: served("took 0")},
		{name: "100 000 keys of a map", tool: "take", text: `{"map":{` + many, rest: `"k":1}}`, want: served("took 0"), per: 20},
	}
}

// text returns messages whose bytes are invalid or harmful text.
func text() []row {
	return []row{
		{name: "invalid UTF-8", text: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}", want: refused(-32700, "")},
		{name: "invalid UTF-8 in an argument", tool: "take", text: "{\"text\":\"\xff\xfe\"}", want: refused(-32700, "")},
		{name: "overlong UTF-8 in an argument", tool: "take", text: "{\"text\":\"\xc0\xaf\"}", want: refused(-32700, "")},
		{name: "a surrogate in UTF-8", tool: "take", text: "{\"text\":\"\xed\xa0\x80\"}", want: refused(-32700, "")},
		{name: "half a surrogate pair", tool: "take", text: `{"text":"\ud800"}`, want: refused(-32700, "")},
		{name: "NUL in a string", tool: "take", text: "{\"text\":\"\x00\"}", want: refused(-32700, "")},
		{name: "no JSON", text: "\x00\x01\x02\xff\xfe", want: refused(-32700, "")},
		{name: "half a message", text: `{"jsonrpc":"2.0","id":1,"meth`, want: refused(-32700, "")},
		{name: "an unknown tool of 1 MB", text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META"name":"`, unit: "x", times: mega, rest: `"}}`, want: verdict{code: -32602, says: "unknown tool"}, http: misaddressed},
		{name: "an unknown method of 1 MB", text: `{"jsonrpc":"2.0","id":1,"params":{META"x":1},"method":"`, unit: "x", times: mega, rest: `"}`, want: verdict{code: -32601}, http: misaddressed},
		{name: "terminal escapes in an argument", tool: "take", text: `{"kind":"\u001b[2J\u202e"}`, want: failed("kind")},
	}
}

// mistaken returns arguments with very many violations, or with few that are costly to find.
func mistaken() []row {
	return []row{
		{name: "more values than anybody writes", tool: "take", text: `{"names":["a"`, unit: `,"a"`, times: mega / 2, rest: "]}", want: refused(-32600, "more than 400000 values")},
		{name: "390 000 1s for strings", tool: "take", text: `{"names":[1`, unit: ",1", times: manyValues, rest: "]}", want: failed("names"), per: 100},
		{name: "130 000 [] for strings", tool: "take", text: `{"names":[[]`, unit: ",[]", times: manyValues / 3, rest: "]}", want: failed("names"), per: 100},
		{name: "equal items where they must differ", tool: "take", text: `{"set":[1`, unit: ",1", times: manyValues, rest: "]}", want: failed("set"), per: 500}, // each is an exact number
		{name: "a pattern made to backtrack", tool: "take", text: `{"code":"`, unit: "a", times: mega, rest: `!"}`, want: failed("code")},
		{name: "a time of 1 MB", tool: "take", text: `{"when":"`, unit: "1", times: mega, rest: `"}`, want: failed("when")},
		{name: "an enum value of 1 MB", tool: "take", text: `{"kind":"`, unit: "a", times: mega, rest: `"}`, want: failed("kind")},
		{name: "arguments that are no object", tool: "take", text: `[`, unit: "{},", times: 100_000, rest: "{}]", want: verdict{code: -32602}},
	}
}

// ids returns ids of every invalid kind and of some valid ones.
func ids() []row {
	var all []row
	for _, id := range []string{"null", "true", "{}", "[1]", "1.5", "1e3", "-0.0", "01", `"\ud800"`} {
		code := -32600
		if id == "01" || id == `"\ud800"` {
			code = -32700
		}
		all = append(all, row{name: "the id " + id, text: `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{META"name":"take"}}`, want: refused(code, "")})
	}
	all = append(all, row{name: "an id of 1 MB", text: `{"jsonrpc":"2.0","method":"tools/call","params":{META"name":"take"},"id":"`, unit: "x", times: mega, rest: `"}`, want: refused(-32600, "")})
	for _, id := range []string{"-1", "18446744073709551616", `"a\nb"`, `"1"`, `"\u0000"`, `""`} {
		all = append(all, row{name: "an unusual id " + id, tool: "take", text: "{}", id: id, want: served("took 0")})
	}
	return all
}

// refusedIDs returns messages that are invalid as a whole but whose ids can be read, so that the error response has the
// id.
func refusedIDs() []row {
	const call = `"jsonrpc":"2.0","method":"tools/call","params":{META"name":"take","arguments":{`
	parse, invalid := refused(-32700, "").under("7"), refused(-32600, "").under("7")
	return []row{
		{id: "7", name: "invalid UTF-8 after the id", text: `{"id":7,` + call + "\"text\":\"\xff\"}}}", want: parse},
		{id: "7", name: "invalid UTF-8 before the id", text: `{` + call + "\"text\":\"\xff\"}},\"id\":7}", want: parse},
		{id: "7", name: "too deep after the id", text: `{"id":7,` + call + `"any":`, unit: "[", times: 10_000, want: invalid},
		{id: "7", name: "too deep before the id", text: `{` + call + `"any":` + strings.Repeat("[", 10_000), unit: "]", times: 10_000, rest: `}},"id":7}`, want: invalid},
		{id: "7", name: "too many values before the id", text: `{` + call + `"set":[1`, unit: ",1", times: mega, rest: `]}},"id":7}`, want: invalid},
		{id: "7", name: "a member twice beside the id", text: `{"id":7,"jsonrpc":"2.0",` + call + `}}}`, want: invalid},
		{id: "7", name: "the id of a member further in", text: `{` + call + `"any":{"id":8},"text":` + "\"\xff\"}},\"id\":7}", want: parse},
		{name: "17 MB, the id at the end", text: `{` + call + `"text":"`, unit: "x", times: 17 * mega, rest: `"}},"id":7}`, want: verdict{code: -32600, status: 413}, most: 64 * mega},
	}
}

// nulls returns messages with null for optional members, which is equivalent to their absence.
func nulls() []row {
	return []row{
		{name: "null for what a call may have", text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META"name":"take","arguments":null,"requestState":null,"inputResponses":null}}`, want: served("took 0")},
		{name: "null for the members of _meta", text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{NULLS"name":"take"}}`, want: served("took 0")},
		{name: "null for result and error", text: `{"jsonrpc":"2.0","id":1,"result":null,"error":null,"method":"tools/call","params":{META"name":"take"}}`, want: served("took 0")},
	}
}

// headers returns HTTP requests that a proxy and the server could interpret differently.
func headers() []row {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META"name":"take"}}`
	encoded := verdict{code: -32600, status: 415}
	return []row{
		{name: "an encoded body", text: call, header: "Content-Encoding: gzip\r\n", want: encoded},
		{name: "a body that is encoded twice", text: call, header: "Content-Encoding: identity, br\r\n", want: encoded},
		{name: "two revisions", text: call, header: "MCP-Protocol-Version: 2025-03-26\r\n", want: refused(-32600, ""), http: misaddressed},
	}
}

// shapes returns JSON that is not a request.
func shapes() []row {
	return []row{
		{name: "a number", text: "42", want: refused(-32600, "")},
		{name: "an empty object", text: "{}", want: refused(-32600, "")},
		{name: "a batch of 100 000 calls", text: `[{}`, unit: `,{"jsonrpc":"2.0","id":1,"method":"ping"}`, times: 100_000, rest: "]", want: refused(-32600, "")},
		{name: "jsonrpc 1.0", text: `{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{META"name":"take"}}`, want: refused(-32600, "")},
		{name: "a name that is no string", text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META"name":{"a":1}}}`, want: verdict{code: -32602}, http: misaddressed},
		{name: "_meta that is no object", text: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":[1],"name":"take"}}`, want: verdict{code: -32602}, http: refused(-32602, "")},
	}
}

// panics returns calls of tools that fail in ways that their authors did not expect.
func panics() []row {
	const reference = "the tool failed with an internal error (reference "
	huge := map[string]int{"panic_huge": 64 * mega}
	// The codec follows the cycle until values are too deep, on the fast path and again on the slow path.
	deep := map[string]int{"structured_ring": 2 * small}
	var all []row
	for _, how := range slices.Concat(crashes, []string{"writes_text", "writes_json", "writes_structured", "writes_meta", "writes_ring", "structured_ring"}) {
		all = append(all, row{name: "the tool " + how, tool: how, text: "{}", want: failed(reference), most: cmp.Or(huge[how], deep[how]), logged: huge[how]})
	}
	return append(all,
		row{name: "the tool reads_text", tool: "reads_text", text: `{"b":"x"}`, want: failed("b")},
		row{name: "the tool logs", tool: "logs", text: "{}", want: failed("logged")})
}

// results returns calls of tools that return more than the allowed size from existing memory. A tool's own memory is
// its responsibility; a result is encoded up to 32 MiB, and repeated as text only if it fits.
func results() []row {
	const tooLarge = "but the limit is 16.0 MiB; request a smaller part"
	return []row{
		{name: "a list of 32 MB", tool: "much", text: "{}", want: failed(tooLarge), most: 7 * 32 * mega},
		{name: "a text of 32 MB", tool: "much_text", text: "{}", want: failed(tooLarge), most: 3 * 32 * mega},
		{name: "rows that become 40 MB", tool: "fill", text: `{"rows":[{}`, unit: `,{}`, times: manyValues / 3, rest: `]}`, want: failed("more than 32.0 MiB, " + tooLarge), most: 250 * mega},
	}
}
