package rawjson_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

func TestValuesExceed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want int // number of values, at least 1
	}{
		{`1`, 1},
		{`[1,2,3]`, 4},
		{`{"a":[1,{"b":2}],"c":"x"}`, 8},
		{`{"a,[{\"":",,,[[{{\\"}`, 3},
		{`[{},{},{}]`, 10},
		{`"` + strings.Repeat(",", 100) + `"`, 1},
		{`[` + strings.Repeat("1,", 99) + `1]`, 101},
	} {
		for most := 1; most < tt.want+2; most++ {
			if got := rawjson.ValuesExceed([]byte(tt.text), most); got != (tt.want > most) {
				t.Errorf("ValuesExceed(%.40s, %d) = %t, want %t", tt.text, most, got, tt.want > most)
			}
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []uint32
	}{
		{`1`, nil},
		{`"[{,"`, nil},
		{`[]`, []uint32{0}},
		{` [ 1 , "]" , [ ] , { } ] `, []uint32{4, 0, 0}},
		{`{"a":[1,{"b":2}],"c":"\\\"}"}`, []uint32{2, 2, 1}},
		{`[[[[1]]],[[2,3]]]`, []uint32{2, 1, 1, 1, 1, 2}},
		{`[1,]`, nil},
		{`[1`, nil},
		{`[[[[[]]]]]`, nil},
	} {
		if got := rawjson.Sizes([]byte(tt.text), 4); !slices.Equal(got, tt.want) {
			t.Errorf("Sizes(%s) = %v, want %v", tt.text, got, tt.want)
		}
	}
}
