package mcpheader_test

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/mcpheader"
	"github.com/mcptool-go/mcptool/internal/private"
)

// TestNumbers checks that equal numbers in the header and the argument may differ in notation, except for long numbers,
// whose comparison would take quadratic time.
func TestNumbers(t *testing.T) {
	t.Parallel()
	long := "1" + strings.Repeat("7", 1000)
	params := []private.ParamHeader{{Name: "N", Path: []string{"n"}}}
	for _, test := range []struct {
		header, argument string
		same             bool
	}{
		{"1", "1", true},
		{"1", "1.0", true},
		{"100", "1e2", true},
		{"1", "2", false},
		{"9007199254740993", "9007199254740992", false},
		{long, long, true},
		{long, long + ".0", false},
		{"1", long, false},
	} {
		err := mcpheader.CheckParams(map[string][]string{"Mcp-Param-N": {test.header}}, params, []byte(`{"n":`+test.argument+`}`))
		if (err == nil) != test.same {
			t.Errorf("%.20s and %.20s: %v", test.header, test.argument, err)
		}
	}
}
