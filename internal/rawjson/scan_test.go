package rawjson_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// texts are inputs to the grammar; they also seed the fuzz test.
var texts = []struct {
	name, text string
	valid      bool
	reason     string
}{
	{"null", "null", true, "a scalar is a text"},
	{"spaces", " \t\r\n1 \n", true, "white space around a value is fine"},
	{"empty", "", false, "nothing is no value"},
	{"only space", "  ", false, "nothing is no value"},
	{"two values", "1 2", false, "one value per text"},
	{"nul byte", "1\x00", false, "NUL is no white space"},
	{"vertical tab", "\v1", false, "only four kinds of white space"},
	{"bom", "\ufeff{}", false, "a byte order mark is no white space"},
	{"true", "true", true, ""},
	{"false", "false", true, ""},
	{"cut word", "tru", false, "words are whole"},
	{"long word", "nullx", false, "words are whole"},
	{"capital", "True", false, "words are lower-case"},
	{"NaN", "NaN", false, "no such number"},
	{"zero", "0", true, ""},
	{"minus zero", "-0", true, "the grammar allows it"},
	{"leading zero", "01", false, "no leading zeros"},
	{"minus leading zero", "-01", false, "no leading zeros"},
	{"plus", "+1", false, "no plus sign"},
	{"minus", "-", false, "a digit is missing"},
	{"fraction", "-1.50", true, ""},
	{"bare fraction", ".5", false, "a digit is missing before the point"},
	{"open fraction", "1.", false, "a digit is missing after the point"},
	{"exponent", "1e+05", true, ""},
	{"huge exponent", "1e10000000", true, "the grammar has no range"},
	{"open exponent", "1e", false, "a digit is missing"},
	{"open signed exponent", "1E-", false, "a digit is missing"},
	{"hex", "0x1", false, "decimal only"},
	{"string", `"a b"`, true, ""},
	{"escapes", `"\"\\\/\b\f\n\r\t\u00e9"`, true, "all of them"},
	{"bad escape", `"\x"`, false, "no such escape"},
	{"cut escape", `"\`, false, "the string is not closed"},
	{"short u", `"\u12"`, false, "four digits"},
	{"bad u", `"\u12g4"`, false, "hexadecimal digits"},
	{"pair", `"\ud83d\ude00"`, true, "a surrogate pair"},
	{"pair in capitals", `"\uD83D\uDE00"`, true, "a surrogate pair"},
	{"lone high", `"\ud83d"`, false, "it stands for no character"},
	{"lone high, then escape", `"\ud83d\n....."`, false, "it stands for no character"},
	{"lone low", `"\ude00"`, false, "it stands for no character"},
	{"two highs", `"\ud83d\ud83d"`, false, "no pair"},
	{"utf-8", `"é€😀"`, true, ""},
	{"replacement character", `"` + "\ufffd" + `"`, true, "a character like any other"},
	{"bad utf-8", "\"\xff\"", false, "not UTF-8"},
	{"overlong", "\"\xc0\xaf\"", false, "not UTF-8"},
	{"encoded surrogate", "\"\xed\xa0\x80\"", false, "not UTF-8"},
	{"cut utf-8", "\"\xe2\x82", false, "not UTF-8, not closed"},
	{"newline in string", "\"a\nb\"", false, "written as an escape"},
	{"delete", "\"\x7f\"", true, "no control character to JSON"},
	{"not closed", `"abc`, false, ""},
	{"single quotes", `'a'`, false, ""},
	{"array", `[1, "a" ,null,[],{}]`, true, ""},
	{"trailing comma", `[1,]`, false, ""},
	{"leading comma", `[,1]`, false, ""},
	{"missing comma", `[1 2]`, false, ""},
	{"open array", `[1`, false, ""},
	{"wrong bracket", `[1}`, false, ""},
	{"wrong inner bracket", `{"a":[1}]`, false, ""},
	{"object", `{"a":1,"b":{"c":[true]}}`, true, ""},
	{"space after plain members", `{"a":"x","b":2 , "c":3}`, true, "plain members are skipped in a loop"},
	{"fraction after plain members", `{"a":"x","b":1.5,"c":1e2,"d":-0}`, true, "likewise"},
	{"leading zero after plain members", `{"a":"x","b":01}`, false, "likewise"},
	{"letter after a plain number", `{"a":"x","b":1x}`, false, "likewise"},
	{"plain number at the end", `{"a":"x","b":1`, false, "likewise"},
	{"plain string at the end", `{"a":"x"`, false, "likewise"},
	{"comma after plain members", `{"a":"x","b":1,}`, false, "likewise"},
	{"wrong bracket after plain members", `{"a":"x","b":1]`, false, "likewise"},
	{"control character in a plain name", "{\"a\":\"x\",\"b\t\":1}", false, "likewise"},
	{"repeated names", `{"a":1,"a":2}`, true, "left to the caller"},
	{"object trailing comma", `{"a":1,}`, false, ""},
	{"no colon", `{"a" 1}`, false, ""},
	{"no value", `{"a":}`, false, ""},
	{"no name", `{1:2}`, false, ""},
	{"unquoted name", `{a:1}`, false, ""},
	{"open object", `{"a":1`, false, ""},
	{"open object after colon", `{"a":`, false, ""},
	{"comment", `1 // one`, false, "no comments"},
	{"deep", strings.Repeat("[", 200) + strings.Repeat("]", 200), true, "below the limit"},
	{"mixed nesting", strings.Repeat(`{"a":[`, 90) + strings.Repeat("]}", 90), true, "each level remembers its kind"},
}

func TestValid(t *testing.T) {
	t.Parallel()
	for _, test := range texts {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := rawjson.Valid([]byte(test.text), 256)
			if (err == nil) != test.valid {
				t.Errorf("Valid(%q) = %v, want valid = %v: %s", test.text, err, test.valid, test.reason)
			}
			if syntax := new(rawjson.SyntaxError); err != nil && (!errors.As(err, &syntax) || syntax.Offset > len(test.text)) {
				t.Errorf("Valid(%q) = %#v, want a *SyntaxError inside the text", test.text, err)
			}
		})
	}
}

// TestStringBytes puts every byte at every position of a word: scanning stops at those that a
// string may not contain unescaped, and at no others.
func TestStringBytes(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		for at := range 20 {
			text := []byte(`"` + strings.Repeat("x", 20) + `"`)
			text[1+at] = byte(c)
			err := rawjson.Valid(text, 1)
			if syntax := new(rawjson.SyntaxError); errors.As(err, &syntax) != (c < ' ' || c == '"' || c == '\\' || c >= 0x80) {
				t.Errorf("Valid(%q) = %v", text, err)
			} else if err != nil && c != '"' && c != '\\' && syntax.Offset != 1+at {
				t.Errorf("Valid(%q) = %v, want it at byte %d", text, err, 1+at)
			}
		}
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		text  string
		limit int
		want  error
	}{
		{"at the limit", "[[[]]]", 3, nil},
		{"above the limit", "[[[]]]", 2, rawjson.ErrDepth},
		{"siblings do not add up", "[[],[],[]]", 2, nil},
		{"objects count", `{"a":{"b":{}}}`, 2, rawjson.ErrDepth},
		{"no limit given", strings.Repeat("[", rawjson.MaxDepth) + strings.Repeat("]", rawjson.MaxDepth), 0, nil},
		{"never beyond MaxDepth", strings.Repeat("[", 100_000), 1_000_000, rawjson.ErrDepth},
	} {
		if err := rawjson.Valid([]byte(test.text), test.limit); !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%s: got %v, want %v", test.name, err, test.want)
		}
	}
}

// TestDeepKinds checks that each container, however deep, must end with the byte that matches
// its start.
func TestDeepKinds(t *testing.T) {
	t.Parallel()
	const deepest = 200 // more than three words of the scanner's memory
	var open string
	var closing []byte // innermost first
	for depth := 1; depth <= deepest; depth++ {
		if depth*depth%7 < 3 { // no pattern that repeats with the word size
			open, closing = open+`[0,`, append([]byte{']'}, closing...)
		} else {
			open, closing = open+`{"a":0,"b":`, append([]byte{'}'}, closing...)
		}
		if err := rawjson.Valid([]byte(open+"1"+string(closing)), 0); err != nil {
			t.Fatalf("at depth %d: %v", depth, err)
		}
	}
	for i := range closing {
		wrong := slices.Clone(closing)
		wrong[i] ^= ']' ^ '}'
		if err := rawjson.Valid([]byte(open+"1"+string(wrong)), 0); err == nil {
			t.Errorf("the container at depth %d may end with %q", deepest-i, wrong[i])
		}
	}
}

// TestWalk takes an object apart as the envelope of a message is.
func TestWalk(t *testing.T) {
	t.Parallel()
	s := rawjson.New([]byte(` {"id": 007e1 , "x":0}`), 8)
	s.OpenObject()
	s.Member()
	s.Value()
	if _, ok := s.Member(); ok || s.Err() == nil {
		t.Error("a number with leading zeros was read")
	}
	if _, ok := s.Member(); ok || s.Next() != rawjson.Invalid || s.Value() != nil {
		t.Error("an error does not stick")
	}

	s = rawjson.New([]byte(`{ "a" : [1,{"b":2}] , "\u0070arams":{"k":"v","l":[ true , {"m":null} ]}, "z" : -1.5 }`), 8)
	var got []string
	s.OpenObject()
	for name, ok := s.Member(); ok; name, ok = s.Member() {
		if string(name) != "params" {
			got = append(got, string(name)+"="+string(s.Value()))
			continue
		}
		s.OpenObject()
		for name, ok := s.Member(); ok; name, ok = s.Member() {
			if s.Next() != rawjson.Array {
				got = append(got, "params."+string(name)+"="+string(s.Value()))
				continue
			}
			s.OpenArray()
			for s.Element() {
				got = append(got, "params."+string(name)+"[]="+string(s.Value()))
			}
		}
	}
	s.End()
	want := `a=[1,{"b":2}] params.k="v" params.l[]=true params.l[]={"m":null} z=-1.5`
	if s.Err() != nil || strings.Join(got, " ") != want {
		t.Errorf("got  %s, %v\nwant %s", strings.Join(got, " "), s.Err(), want)
	}
}

func TestWrongOpen(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[]`, `1`, ``, `"{"`} {
		s := rawjson.New([]byte(text), 8)
		if s.OpenObject(); s.Err() == nil {
			t.Errorf("OpenObject accepts %q", text)
		}
	}
	s := rawjson.New([]byte(`{}`), 8)
	if s.OpenArray(); s.Err() == nil {
		t.Error("OpenArray accepts an object")
	}
}

func TestLongEscapedName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(`\u00e9`, 1000)
	s := rawjson.New([]byte(`{"`+long+`":1}`), 8)
	s.OpenObject()
	name, ok := s.Member()
	if !ok || string(name) != strings.Repeat("é", 1000) {
		t.Errorf("name = %q, %v", name, ok)
	}
}

func TestStrings(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`""`: "", `"a"`: "a", `"\"\\\/\b\f\n\r\t"`: "\"\\/\b\f\n\r\t", `"\u00e9"`: "é", `"x\ud83d\ude00y"`: "x😀y", `"é\n"`: "é\n",
	} {
		if got := rawjson.Unquote([]byte(raw)); string(got) != want {
			t.Errorf("Unquote(%s) = %q, want %q", raw, got, want)
		}
		if !rawjson.Equal([]byte(raw), want) {
			t.Errorf("Equal(%s, %q) = false", raw, want)
		}
	}
	if rawjson.Equal([]byte("1"), "1") || rawjson.Equal(nil, "") {
		t.Error("Equal takes something else for a string")
	}
	for raw, want := range map[string]bool{"1": true, "-7": true, "0": true, "1.0": false, "1e2": false, `"1"`: false, "null": false, "": false} {
		if rawjson.IsInteger([]byte(raw)) != want {
			t.Errorf("IsInteger(%s) = %v", raw, !want)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	text := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools\/call","p\u0061rams":{"name":"x","arguments":{"a":[1,2,{"b":"é\n"}]}}}`)
	if n := testing.AllocsPerRun(100, func() {
		s := rawjson.New(text, 256)
		s.OpenObject()
		for name, ok := s.Member(); ok; name, ok = s.Member() {
			if string(name) == "nobody" {
				return
			}
			s.Value()
		}
		s.End()
		if s.Err() != nil {
			t.Fatal(s.Err())
		}
	}); n != 0 {
		t.Errorf("a scan allocates %v times", n)
	}
}
