package reflectschema_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// wholeNumbers has a field of each type for integers.
type wholeNumbers struct {
	I   int             `json:"i,omitempty"`
	I64 int64           `json:"i64,omitempty"`
	I32 int32           `json:"i32,omitempty"`
	I8  int8            `json:"i8,omitempty"`
	U   uint            `json:"u,omitempty"`
	U64 uint64          `json:"u64,omitempty"`
	U32 uint32          `json:"u32,omitempty"`
	U8  uint8           `json:"u8,omitempty"`
	P   *int64          `json:"p,omitempty"`
	Q   int64           `json:"q,string,omitempty"`
	N   json.Number     `json:"n,omitempty"`
	B   *big.Int        `json:"b,omitempty"`
	MI  map[int64]bool  `json:"mi,omitempty"`
	MU  map[uint64]bool `json:"mu,omitempty"`
}

// limits are the ranges of the fields; nil for unbounded.
var limits = map[string][2]*big.Int{
	"i": signed(64), "i64": signed(64), "i32": signed(32), "i8": signed(8), "p": signed(64), "q": signed(64), "mi": signed(64),
	"u": unsigned(64), "u64": unsigned(64), "u32": unsigned(32), "u8": unsigned(8), "mu": unsigned(64),
	"n": {}, "b": {},
}

func power(bits uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), bits) }

func signed(bits uint) [2]*big.Int {
	limit := power(bits - 1)
	return [2]*big.Int{new(big.Int).Neg(limit), limit.Sub(limit, big.NewInt(1))}
}

func unsigned(bits uint) [2]*big.Int {
	limit := power(bits)
	return [2]*big.Int{new(big.Int), limit.Sub(limit, big.NewInt(1))}
}

// edges returns integers around common limits.
func edges() (list []*big.Int) {
	for _, bits := range []uint{0, 7, 8, 31, 32, 53, 63, 64, 65, 190} {
		for _, beside := range []int64{-1, 0, 1} {
			n := power(bits)
			n.Add(n, big.NewInt(beside))
			list = append(list, n, new(big.Int).Neg(n))
		}
	}
	for _, text := range []string{"1000000000000000000", "9999999999999999999", "10000000000000000000", "999999999999999999"} {
		n, _ := new(big.Int).SetString(text, 10)
		list = append(list, n, new(big.Int).Neg(n))
	}
	return list
}

// spellings returns the JSON forms of an integer.
func spellings(n *big.Int) []string {
	digits := n.String()
	list := []string{digits, digits + ".0", digits + "e0", digits + ".000E-0"}
	if mantissa := strings.TrimRight(digits, "0"); mantissa != digits && mantissa != "" && mantissa != "-" {
		list = append(list, fmt.Sprintf("%se%d", mantissa, len(digits)-len(mantissa)))
	}
	return list
}

// TestIntegerEdges checks for integers around every limit, in all spellings, that each field accepts exactly its range
// without loss, and that the error names the limit. The limits of 64-bit types are not in the schema; the decoder
// checks them.
func TestIntegerEdges(t *testing.T) {
	t.Parallel()
	compiled, err := reflectschema.Compile(reflect.TypeFor[wholeNumbers](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	list := edges()
	for range 500 {
		n := randomBits(rng)
		list = append(list, n, new(big.Int).Neg(n))
	}
	for _, n := range list {
		for name, limit := range limits {
			for _, text := range spellings(n) {
				checkInteger(t, compiled, name, text, n, limit)
			}
		}
	}
}

// randomBits returns an integer of up to 70 bits.
func randomBits(rng *rand.Rand) *big.Int {
	n := new(big.Int).SetUint64(rng.Uint64())
	n.Lsh(n, 6).Add(n, big.NewInt(rng.Int64N(64)))
	return n.Rsh(n, uint(rng.IntN(70)))
}

// checkInteger decodes one number into one field.
func checkInteger(t *testing.T, compiled *reflectschema.Type, name, text string, n *big.Int, limit [2]*big.Int) {
	t.Helper()
	data := fmt.Sprintf(`{%q:%s}`, name, text)
	switch name {
	case "q":
		data = fmt.Sprintf(`{%q:%q}`, name, text)
	case "mi", "mu":
		data = fmt.Sprintf(`{%q:{%q:true}}`, name, text)
	}
	inside := limit[0] == nil || n.Cmp(limit[0]) >= 0 && n.Cmp(limit[1]) <= 0
	if (name == "mi" || name == "mu" || name == "q") && text != n.String() {
		inside = false // a name and a number in a string have one spelling
	}
	var got wholeNumbers
	err := compiled.Decode([]byte(data), reflect.ValueOf(&got).Elem())
	switch {
	case inside && err != nil:
		t.Errorf("%s: %v", data, err)
		return
	case !inside && err == nil:
		t.Errorf("%s decodes to %+v", data, got)
		return
	case !inside:
		if text == n.String() && name != "mi" && name != "mu" && !tellsLimit(err.Error(), name, text, limit) {
			t.Errorf("%s: got error %v", data, err)
		}
		return
	}
	written, err := compiled.AppendEncode(nil, reflect.ValueOf(got))
	if want := strings.Replace(data, text, n.String(), 1); err != nil || name != "n" && string(written) != want && n.Sign() != 0 {
		t.Errorf("%s encodes to %s, error %v", data, written, err)
	}
}

// tellsLimit reports whether a text names the exceeded limit and the number.
func tellsLimit(text, name, number string, limit [2]*big.Int) bool {
	want := "at most " + limit[1].String()
	if strings.HasPrefix(number, "-") {
		want = "at least " + limit[0].String()
	}
	return strings.HasPrefix(text, name+": must be "+want+", got "+number)
}

// TestIntegerWords checks the error texts for numbers far out of range, and for fractions.
func TestIntegerWords(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"i":1e19}`:                          "i: must be at most 9223372036854775807, got 1e19",
		`{"i":-1e19}`:                         "i: must be at least -9223372036854775808, got -1e19",
		`{"i":1e400}`:                         "i: must be at most 9223372036854775807, got 1e400",
		`{"i":1e1000}`:                        "i: must be a number with an exponent of at most 999, got 1e1000",
		`{"u64":1e20}`:                        "u64: must be at most 18446744073709551615, got 1e20",
		`{"u64":-1}`:                          "u64: must be at least 0, got -1",
		`{"u64":-0}`:                          "",
		`{"i":1.0e18}`:                        "",
		`{"i":1.5}`:                           "i: must be an integer, got the number 1.5",
		`{"i":9007199254740992.5}`:            "i: must be an integer, got the number 9007199254740992.5",
		`{"i":1e-1}`:                          "i: must be an integer, got the number 1e-1",
		`{"q":"9223372036854775808"}`:         "q: must be at most 9223372036854775807, got 9223372036854775808",
		`{"mi":{"9223372036854775808":true}}`: "it must be an integer from -9223372036854775808 to 9223372036854775807",
		`{"n":1e400,"b":1e19}`:                "",
	} {
		_, err := decode[wholeNumbers](t, data)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got error %v, want %q", data, err, want)
		}
	}
}

// TestIntegerTags checks that bounds and values of tags are exact.
func TestIntegerTags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tagCase
		want string
	}{
		{tagCase{int64(0), `jsonschema:"minimum=-9223372036854775808,maximum=9223372036854775807"`, "the whole range"}, `required {"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}`},
		{tagCase{int64(0), `jsonschema:"maximum=9223372036854775808"`, "one more"}, "int64 cannot hold 9223372036854775808"},
		{tagCase{int64(0), `jsonschema:"minimum=1e19"`, "with an exponent"}, "int64 cannot hold 1e19"},
		{tagCase{uint64(0), `jsonschema:"default=18446744073709551615"`, "the greatest"}, `optional {"type":"integer","minimum":0,"default":18446744073709551615}`},
		{tagCase{uint64(0), `jsonschema:"default=18446744073709551616"`, "one more"}, "uint64 cannot hold 18446744073709551616"},
		{tagCase{0, `jsonschema:"enum=9007199254740993,enum=9007199254740992"`, "two that are one float64"}, `required {"type":"integer","enum":[9007199254740993,9007199254740992]}`},
		{tagCase{big.Int{}, `jsonschema:"maximum=1e19,default=10000000000000000000"`, "no limits"}, `optional {"type":"integer","maximum":1e19,"default":10000000000000000000}`},
	} {
		if got := tagAnswer(t, tt.tagCase, reflectschema.DirectionInput); !strings.Contains(got, tt.want) {
			t.Errorf("%T `%s`: got %s, want %s; %s", tt.goType, tt.tag, got, tt.want, tt.reason)
		}
	}
}
