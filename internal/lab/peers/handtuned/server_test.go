package main

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

const weather = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_weather","arguments":{"location":"Lisb\u00f3n 😀","unit":"celsius","days":3}}}`

// TestAnswers tests messages that the measurements do not send.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, message, want string }{
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``},
		{"ping", `{"jsonrpc":"2.0","id":"a\"b","method":"ping"}`, `{"jsonrpc":"2.0","id":"a\"b","result":{}}`},
		{"modern ping", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, `"resultType":"complete"`},
		{"method", `{"jsonrpc":"2.0","id":1,"method":"x"}`, `-32601`},
		{"tool", strings.Replace(weather, "get_weather", "x", 1), `-32602`},
		{"escapes", weather, `\"location\":\"Lisbón 😀\"`},
		{"arguments first", `{"id":1,"params":{"arguments":{"rows":1.0e0},"name":"big_rows"},"method":"tools/call","jsonrpc":"2.0"}`, `"structuredContent":{"rows":[{"id":0,`},
		{"no version", strings.Replace(weather, "2.0", "1.0", 1), `-32700`},
		{"too many days", strings.Replace(weather, `"days":3`, `"days":15`, 1), `"text":"days: it must be from 1 to 14"}],"isError":true`},
		{"missing", strings.Replace(weather, `,"days":3`, ``, 1), `"isError":true`},
		{"twice", strings.Replace(weather, `"days":3`, `"days":3,"days":3`, 1), `"isError":true`},
		{"unknown", strings.Replace(weather, `"days":3`, `"days":3,"x":[{"a":null}]`, 1), `"isError":true`},
		{"no unit", strings.Replace(weather, "celsius", "kelvin", 1), `"isError":true`},
		{"long", strings.Replace(weather, "Lisb", strings.Repeat("é", 80), 1), `"isError":true`},
	} {
		var s server
		if got := string(s.answer(t.Context(), nil, []byte(tt.message))); !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") || got != "" && !json.Valid([]byte(got)) {
			t.Errorf("%s: got %s", tt.name, got)
		}
	}
}

// TestStrict compares the scanner with encoding/json on messages with a mistake somewhere.
func TestStrict(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	base := `{"jsonrpc":"2.0","id":-1.5e+3,"method":"ping","params":{"x":[1,0.25,true,false,null,"a\n\ud83d\ude00é",{"b":{}},[]]}}`
	valid := 0
	for range 200_000 {
		text := []byte(base)
		for range 1 + r.IntN(2) {
			at := r.IntN(len(text))
			switch c := "{}[]\",:\\u0019-+.eEé tfn\x00\xff"[r.IntN(26)]; r.IntN(3) {
			case 0:
				text[at] = c
			case 1:
				text = append(text[:at], text[at+1:]...)
			default:
				text = append(text[:at], append([]byte{c}, text[at:]...)...)
			}
		}
		s := scanner{text: text}
		s.skip(depth)
		s.end()
		// encoding/json accepts invalid UTF-8 and lone surrogates.
		if s.bad && json.Valid(text) && bytes.Equal(bytes.ToValidUTF8(text, nil), text) && !bytes.Contains(text, []byte(`\u`)) || !s.bad && !json.Valid(text) {
			t.Fatalf("%q: bad: %t", text, s.bad)
		}
		if !s.bad {
			valid++
		}
	}
	if valid < 1000 {
		t.Errorf("only %d were valid", valid)
	}
}

// TestLines checks that messages may arrive in arbitrary pieces and exceed the buffer.
func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Replace(weather, "Lisb", strings.Repeat(" ", 200_000), 1)
	var out bytes.Buffer
	if err := serve(t.Context(), iotest.HalfReader(strings.NewReader(weather+"\n\n"+long+"\n"+weather+"\n")), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || lines[0] != lines[2] || !strings.Contains(lines[1], "80 characters") {
		t.Errorf("got %d lines: %.500s", len(lines), out.String())
	}
	out.Reset()
	if err := serve(t.Context(), iotest.OneByteReader(strings.NewReader(weather+"\n"+weather+"\n")), &out); err != nil || out.String() != lines[0]+"\n"+lines[0]+"\n" {
		t.Errorf("got %v, %s", err, out.String())
	}
}

// TestFloats checks that numbers survive a round trip.
func TestFloats(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 100_000 {
		f := math.Round(r.Float64()*1e6) / math.Pow10(r.IntN(8))
		if i%5 == 0 {
			f = math.Float64frombits(r.Uint64())
			if math.IsNaN(f) || math.IsInf(f, 0) {
				continue
			}
		}
		text := string(appendFloat(nil, f))
		if got, err := strconv.ParseFloat(text, 64); err != nil || got != f || !json.Valid([]byte(text)) {
			t.Fatalf("%v is written as %s", f, text)
		}
		if shortest := strconv.FormatFloat(f, 'f', -1, 64); len(text) > len(shortest) && !strings.Contains(text, "e") {
			t.Fatalf("%s is written as %s", shortest, text)
		}
	}
}
