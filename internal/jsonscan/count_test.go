package jsonscan_test

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
)

func TestValuesExceed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want int // values, at least 1
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
			if got := jsonscan.ValuesExceed([]byte(tt.text), most); got != (tt.want > most) {
				t.Errorf("ValuesExceed(%.40s, %d) = %t, want %t", tt.text, most, got, tt.want > most)
			}
		}
	}
}
